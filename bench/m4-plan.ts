// M4: the plan in memory – add, pick the next, complete – against a plain heap; and a plan drained through the whole core.
import { react } from "../src/core/decide/decide.ts";
import { emptyState } from "../src/core/empty-state.ts";
import { evolve } from "../src/core/evolve/evolve.ts";
import type { State } from "../src/core/state.ts";
import { Limits, Priority, TaskSpec } from "../src/protocol/task.ts";
import { PlainPlan } from "./heap.ts";
import { type Measurement, type Options, quantile, type Row, ratios, timeCall } from "./measure.ts";

const sizes = [100, 10_000, 100_000];
const defaults = Limits.parse({});
const commit = "a".repeat(40);
const owner = { host: "h", bootId: "b", pid: 1, group: 1, startTime: "1" };
const idOf = (n: number): string => `task-${String(n).padStart(6, "0")}`;
const dependsOn = (n: number): string[] => (n % 3 === 2 ? [idOf(n - 1)] : []);

export const plan: Measurement = {
  id: "M4",
  what: "the plan in memory",
  async run({ quick, say }: Options) {
    const rows: Row[] = [];
    for (const size of sizes) {
      say(`M4: ${size} tasks`);
      const specs = Array.from({ length: size }, (_, n) => specOf(n));
      // Small plans many times over, so that a measurement is longer than the clock's grain.
      const times = Math.max(1, Math.round((quick ? 5_000 : 20_000) / size));
      const repeat = (work: () => void) => () => {
        globalThis.gc?.();
        return timeCall(() => {
          for (let n = 0; n < times; n += 1) work();
        });
      };
      const measured = await ratios(quick ? 5 : 15, {
        floor: repeat(() => drainPlain(specs)),
        subject: repeat(() => drainFolded(specs)),
      });
      const work = "add, pick, complete every task (fold)";
      rows.push({ id: "M4", work, size: `${size} tasks`, ...measured, goal: { atMost: 3 } });
    }
    say("M4: draining 100,000 tasks through decide");
    const drains = Array.from({ length: quick ? 1 : 5 }, () => timeCall(() => drainDecided(100_000)));
    const seconds = (part: "ms" | "cpuMs") =>
      quantile(
        drains.map((took) => (took[part] ?? Number.NaN) / 1_000),
        0.5,
      );
    const drained = plainRow("drain through decide", "100000 tasks", seconds("ms"), { atMost: 3, unit: "s" });
    rows.push({ ...drained, note: `${seconds("cpuMs").toFixed(2)} s of processor time` });
    const [small, large] = [bytesPerTask(10_000), bytesPerTask(100_000)];
    const note = `${Math.round(small)} bytes per task at 10,000, ${Math.round(large)} at 100,000`;
    rows.push({ ...plainRow("memory per task, growth 10k → 100k", "", large / small, { atMost: 1.2 }), note });
    return rows;
  },
};

const plainRow = (work: string, size: string, value: number, goal: Row["goal"]): Row => ({
  ...{ id: "M4", work, size, value, goal },
  ...{ floorMs: null, subjectMs: null, p10: null, p90: null },
});

const specOf = (n: number): TaskSpec =>
  TaskSpec.parse({
    id: idOf(n),
    title: "t",
    priority: Priority.options[n % 3],
    dependsOn: dependsOn(n),
    validation: { command: "true" },
  });

function drainPlain(specs: readonly TaskSpec[]): void {
  const plain = new PlainPlan();
  for (const { id, priority, dependsOn: before } of specs)
    plain.add(id, priority === "P0" ? 0 : priority === "P1" ? 1 : 2, before);
  let done = 0;
  for (let id = plain.pick(); id !== undefined; id = plain.pick()) {
    plain.complete(id);
    done += 1;
  }
  if (done !== specs.length) throw new Error(`the floor drained ${done} of ${specs.length}`);
}

/** The same through our own fold: what replay and every transaction do with the plan. */
function drainFolded(specs: readonly TaskSpec[]): void {
  const state = emptyState();
  evolve(state, {
    type: "mission.created",
    mission: "m",
    branch: "b",
    root: "/p",
    limits: defaults,
    concurrency: "exclusive",
    at: 1,
  });
  for (const spec of specs) evolve(state, { type: "task.added", spec, at: 1 });
  for (let id = state.ready.peek(); id !== undefined; id = state.ready.peek()) {
    evolve(state, { type: "task.claimed", task: id, attempt: 1, lane: 0, fence: 1, at: 1 });
    evolve(state, { type: "task.completed", task: id, attempt: 1, commit, at: 1 });
  }
  if (state.counts.completed !== specs.length) throw new Error("the fold did not drain the plan");
}

/** Every decision of a mission, without anything being performed or recorded. */
function drainDecided(size: number): State {
  const state = grown(size);
  react(state, {
    ...{
      type: "run.start",
      run: "r",
      owner,
      lanes: 4,
      worker: "w",
      claims: null,
      leaseSeconds: null,
      initScript: false,
      at: 2,
    },
    ...{ projectHash: null, trust: { how: "none" }, untrusted: null, gone: [], removedStale: null },
  });
  while (state.runs.size > 0) {
    const [first] = state.pending.values();
    if (first === undefined) throw new Error("the plan does not drain");
    const { id, fence, kind } = first.effect;
    react(state, { type: "effect.answer", run: "r", id, fence, answer: answerTo(kind), at: 3 });
  }
  return state;
}

function grown(size: number): State {
  const state = emptyState();
  const limits = Limits.parse({ maxTasksPerSession: 100_000, maxSessions: 100_000 });
  react(state, { type: "mission.create", mission: "m", branch: "b", root: "/p", limits, at: 1 });
  for (let n = 0; n < size; n += 1) {
    const validation = { command: "true", timeoutMs: 1_000, quick: null };
    const task = { id: idOf(n), title: "t", dependsOn: dependsOn(n), validation };
    react(state, { type: "task.add", task, at: 1 });
  }
  return state;
}

function answerTo(kind: string) {
  const candidate = { commit, parent: commit };
  switch (kind) {
    case "workspace.open":
      return { kind: "workspace.opened", path: "/w", base: commit } as const;
    case "agent.run":
      return { kind: "agent.ended", end: { reason: "finished", message: "" } } as const;
    case "workspace.commit":
      return { kind: "workspace.committed", candidate } as const;
    case "gate.check":
      return { kind: "gate.judged", verdict: { verdict: "pass", evidence: "" } } as const;
    default:
      return { kind: "workspace.merged", commit } as const;
  }
}

function bytesPerTask(size: number): number {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const state = grown(size);
  globalThis.gc?.();
  return (process.memoryUsage().heapUsed - before) / state.tasks.size;
}
