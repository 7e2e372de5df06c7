// M10: what an agent is told from one iteration to the next – how much of it stays the same, what comes after that, and
// whether it grows with the plan. Nothing is timed: it is counted.
import { briefFor, workerText } from "../src/core/brief.ts";
import { react } from "../src/core/decide/decide.ts";
import { emptyState } from "../src/core/empty-state.ts";
import type { Answer } from "../src/protocol/effect.ts";
import type { Handoff } from "../src/protocol/handoff.ts";
import { Limits } from "../src/protocol/task.ts";
import type { Measurement, Options, Row } from "./measure.ts";

const sizes = [10, 1_000, 10_000];
const iterations = 6;
const loop = "loop";
const commit = "a".repeat(40);
const owner = { host: "h", bootId: "b", pid: 1, group: 1, startTime: "1" };
const validation = { command: "npm test", timeoutMs: 1_000, quick: null };
const row = { id: "M10", floorMs: null, subjectMs: null, p10: null, p90: null };

export const prompt: Measurement = {
  id: "M10",
  what: "what an agent is told",
  async run({ say }: Options) {
    const rows: Row[] = [];
    const lengths: number[] = [];
    for (const size of sizes) {
      say(`M10: ${size} tasks`);
      const [first = "", ...later] = texts(size);
      const same = later.map((text) => commonPrefix(first, text));
      const differs = Math.max(...same.map((length) => 100 * (1 - length / first.length)));
      const after = Math.max(...later.map((text, n) => Buffer.byteLength(text.slice(same[n]))));
      const last = later.at(-1) ?? "";
      lengths.push(Buffer.byteLength(last));
      const about = { ...row, size: `${size} tasks` };
      const note = `of ${Buffer.byteLength(first)} bytes, over ${iterations} iterations`;
      rows.push({ ...about, work: "of our text, not the same", value: differs, goal: { atMost: 1, unit: "%" }, note });
      rows.push({ ...about, work: "after that, at most", value: after, goal: { atMost: 1_024, unit: "bytes" } });
    }
    const growth = (lengths.at(-1) ?? 0) / (lengths[0] ?? 1);
    const size = `${sizes[0]} → ${sizes.at(-1)} tasks`;
    return [...rows, { ...row, work: "growth with the plan", size, value: growth, goal: { atMost: 1 } }];
  },
};

/** All that each iteration of a loop is told by us, in a plan of this size. */
function texts(size: number): readonly string[] {
  const state = emptyState();
  react(state, { type: "mission.create", mission: "m", branch: "b", root: "/p", limits: Limits.parse({}), at: 1 });
  for (let n = 1; n < size; n += 1)
    react(state, { type: "task.add", task: { title: `another task, number ${n}`, priority: "P2", validation }, at: 1 });
  const description = "Port the parser to TypeScript, keep its tests, and explain each decision. ".repeat(20);
  const spec = {
    title: "port the parser",
    description,
    validation,
    loop: { promise: "TASK_COMPLETE", maxIterations: 9 },
  };
  react(state, { type: "task.add", task: { id: loop, priority: "P0", ...spec }, at: 1 });
  react(state, {
    ...{ type: "run.start", run: "r", owner, lanes: 1, worker: "w", claims: null, leaseSeconds: null, at: 2 },
    ...{ initScript: false, projectHash: null, trust: { how: "none" }, untrusted: null, gone: [], removedStale: null },
  });
  const told: string[] = [];
  while (told.length < iterations) {
    const [pending] = state.pending.values();
    if (pending === undefined) throw new Error("the loop does not go on");
    const { id, fence, kind } = pending.effect;
    if (kind === "agent.run") told.push(`${workerText(true)}\n${briefFor(state, loop, told.length + 1)}`);
    const answer: Answer =
      kind === "agent.run" ? ended(told.length) : { kind: "workspace.opened", path: "/w", base: commit };
    react(state, { type: "effect.answer", run: "r", id, fence, answer, at: 3 });
  }
  return told;
}

/** An iteration that leaves a handoff, and files to look at. */
function ended(n: number): Answer {
  const handoff: Handoff = {
    phase: "build",
    completed: Array.from({ length: n }, (_, at) => `part ${at + 1} is ported and its tests pass`),
    nextStep: `port part ${n + 1}`,
    criticalFiles: ["src/parser.ts", "src/lexer.ts"],
    notes: "the old parser accepts trailing commas",
  };
  const most = Array.from({ length: n * 2 }, (_, at) => ({ path: `src/part-${at}.ts`, added: 40, removed: 3 }));
  const standing = { changed: { files: n * 2, added: n * 80, removed: n * 6, most }, commits: [], lists: [] };
  return {
    kind: "agent.ended",
    end: { reason: "finished", message: "There is more to do." },
    stood: { tree: String(n).padStart(40, "0"), standing },
    left: { handoff: { handoff, hash: String(n) }, findings: [], untaken: [] },
  };
}

function commonPrefix(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
