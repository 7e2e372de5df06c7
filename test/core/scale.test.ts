import fc from "fast-check";
import { expect, test } from "vitest";
import { react } from "../../src/core/decide/decide.ts";
import { emptyState } from "../../src/core/empty-state.ts";
import { compareRanks, naturalKey, type Rank, ReadyHeap } from "../../src/core/ready-heap.ts";
import type { State } from "../../src/core/state.ts";
import { Limits, Priority } from "../../src/protocol/task.ts";
import { commitOf, owner, validation } from "./scene.ts";

/** Drains a plan of `size` tasks, a third of them chained, and counts the comparisons of ranks each task cost. */
function comparisonsPerTask(size: number): number {
  const state: State = emptyState();
  const limits = Limits.parse({ maxTasksPerSession: 100_000, maxSessions: 100_000 });
  react(state, { type: "mission.create", mission: "m", branch: "b", root: "/p", limits, at: 1 });
  for (let n = 1; n <= size; n++) {
    const dependsOn = n % 3 === 0 ? [`task-${String(n - 1).padStart(3, "0")}`] : [];
    react(state, {
      type: "task.add",
      task: { title: "t", dependsOn, validation, priority: Priority.options[n % 3] ?? "P1" },
      at: 1,
    });
  }
  react(state, {
    type: "run.start",
    run: "r",
    owner,
    lanes: 4,
    worker: "w",
    claims: null,
    leaseSeconds: null,
    gone: [],
    removedStale: null,
    initScript: false,
    projectHash: null,
    trust: { how: "none" },
    untrusted: null,
    at: 2,
  });
  for (let steps = 0; state.runs.size > 0; steps++) {
    const [first] = state.pending.values();
    if (first === undefined || steps > size * 5) throw new Error("the plan does not drain");
    const { effect } = first;
    const { id, fence } = effect;
    react(state, { type: "effect.answer", run: "r", id, fence, answer: answerTo(effect.kind), at: 3 });
  }
  expect(state.counts.completed).toBe(size);
  return state.ready.comparisons / size;
}

function answerTo(kind: string) {
  const candidate = { commit: commitOf("a"), parent: commitOf("0") };
  switch (kind) {
    case "workspace.open":
      return { kind: "workspace.opened", path: "/w", base: commitOf("0") } as const;
    case "agent.run":
      return { kind: "agent.ended", end: { reason: "finished", message: "" } } as const;
    case "workspace.commit":
      return { kind: "workspace.committed", candidate } as const;
    case "gate.check":
      return { kind: "gate.judged", verdict: { verdict: "pass", evidence: "" } } as const;
    default:
      return { kind: "workspace.merged", commit: commitOf("a") } as const;
  }
}

test("K4: adding, picking and completing cost near-constant work from 100 to 100,000 tasks", () => {
  const small = comparisonsPerTask(100);
  const large = comparisonsPerTask(100_000);
  console.log(`comparisons per task: ${small.toFixed(1)} at 100, ${large.toFixed(1)} at 100,000`);
  // A binary heap costs about two comparisons per level; a thousand times more tasks are ten levels more.
  expect(large).toBeLessThan(small + 2.5 * Math.log2(1_000) * 2);
  expect(large).toBeLessThan(80);
}, 60_000);

test("K3: the heap gives the tasks in the order of the rules, whatever is added and taken out before", () => {
  const rank = fc.record({
    retry: fc.constantFrom(0 as const, 1 as const),
    priority: fc.constantFrom(...Priority.options),
    failedAt: fc.nat(3),
  });
  const plan = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,2}-?[0-9]{1,3}$/), rank, fc.boolean()), {
    selector: ([id]) => id,
  });
  fc.assert(
    fc.property(plan, (entries) => {
      const heap = new ReadyHeap();
      const ranks = new Map<string, Rank>();
      for (const [id, given] of entries) {
        ranks.set(id, { ...given, key: naturalKey(id) });
        heap.add(id, { ...given, key: naturalKey(id) });
      }
      for (const [id] of entries.filter(([, , removed]) => removed)) {
        ranks.delete(id);
        heap.remove(id);
      }
      const drained: string[] = [];
      for (let id = heap.peek(); id !== undefined; id = heap.peek()) {
        drained.push(id);
        heap.remove(id);
      }
      const expected = [...ranks].sort(([, a], [, b]) => compareRanks(a, b)).map(([id]) => id);
      expect(drained).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test("K3: ids are ordered as people read them", () => {
  const ids = ["task-10", "task-2", "task-1", "task-02", "task-999", "task-1000", "a9b10", "a9b9"];
  expect(ids.sort((a, b) => (naturalKey(a) < naturalKey(b) ? -1 : 1))).toEqual([
    "a9b9",
    "a9b10",
    "task-1",
    "task-02",
    "task-2",
    "task-10",
    "task-999",
    "task-1000",
  ]);
});
