import { expect, test } from "vitest";
import { briefFor } from "../../src/core/brief.ts";
import { logLine } from "../../src/core/views/log-line.ts";
import type { IterationEnd } from "../../src/protocol/agent.ts";
import { commitOf, Scene } from "./scene.ts";

const task = "task-001";

/** A loop whose agent is at work; `mission`: an ordinary task. */
function working(kind: "loop" | "task" = "loop", maxIterations = 10): Scene {
  const loop = { promise: "TASK_COMPLETE", maxIterations };
  const scene = new Scene([kind === "loop" ? { kind: "feature", loop, maxAttempts: 1 } : { maxAttempts: 1 }], {
    maxIterations,
  });
  scene.start();
  scene.open(task);
  return scene;
}
const ends = (scene: Scene, tree: string | null, end: IterationEnd = { reason: "finished", message: "half" }) =>
  scene.answer(task, { kind: "agent.ended", end, ...(tree !== null && { stood: { tree } }) });
const unfinished = { reason: "unfinished", message: "more to do" } as const;
/** Promised, and not true. */
function failsWith(scene: Scene, tree: string, evidence: string): void {
  ends(scene, tree, { reason: "finished", message: "TASK_COMPLETE" });
  scene.answer(task, {
    kind: "workspace.committed",
    candidate: { commit: commitOf("a"), parent: commitOf("0") },
  });
  const failure = { kind: "test_fail", message: "validation exited with 1", evidence } as const;
  scene.answer(task, { kind: "gate.judged", verdict: { verdict: "fail", failure } });
}
const calls = (n: number) =>
  ({ reason: "unfinished", because: "repeating", message: `the same call failed: exit 1 in ${n} ms` }) as const;
const iterations = (scene: Scene): number => scene.all("iteration.ended").length;
const failures = (scene: Scene) => scene.all("attempt.failed").map(({ failure: { kind, message } }) => [kind, message]);

test.for(["loop", "task"] as const)(
  "B4: a %s whose files are the same at the end of three iterations in a row is ended, and says why",
  (kind) => {
    const scene = working(kind);
    for (const tree of ["a", "b", "b"]) ends(scene, tree, unfinished);
    expect(scene.pending(task)).toMatchObject({ kind: "agent.run", iteration: 4 });
    ends(scene, "b", unfinished);
    expect([iterations(scene), failures(scene)]).toEqual([
      4,
      [["stuck", "task-001 went in circles: its files were the same at the end of 3 iterations in a row"]],
    ]);
  },
);

test("B4, I1: a loop that was ended so has its last error and the next step in its failure, and the run stops with its limit", () => {
  const scene = working();
  for (let n = 0; n < 3; n++) ends(scene, "a");
  const [failed] = scene.all("attempt.failed");
  expect(failed?.failure).toEqual({
    kind: "stuck",
    message:
      "task-001 went in circles: its files were the same at the end of 3 iterations in a row; the last: it ended without the promise TASK_COMPLETE",
    remedy:
      "say it in other words or smaller steps (harness edit task-001 --description TEXT), or mend what is in its way; then: harness retry task-001",
  });
  expect(scene.pending(task).kind).toBe("workspace.commit");
  scene.answer(task, { kind: "workspace.committed", candidate: { commit: commitOf("c"), parent: commitOf("0") } });
  scene.archive(task);
  const [ended] = scene.all("run.ended");
  expect([ended?.reason, ended?.detail]).toEqual([
    "limit",
    `${failed?.failure.message}; next: ${failed?.failure.remedy}`,
  ]);
  if (failed === undefined) return;
  expect(logLine({ ...failed, at: 0 }, { session: 1, titleOf: () => "" })).toBe(
    `[1970-01-01T00:00:00.000Z] [SESSION-1] ERROR [task-001] [TASK_EXEC] ${failed.failure.message}; next: ${failed.failure.remedy}`,
  );
});

test("B4, I3: who changes something each time has exactly as many iterations as there are, promise or not", () => {
  const scene = working("loop", 7);
  for (let n = 1; n <= 7; n++) ends(scene, `tree-${n}`);
  expect([iterations(scene), failures(scene)]).toEqual([
    7,
    [["iterations_used_up", "task-001 was not finished in 7 iterations"]],
  ]);
});

test("B4: the same failure is given four iterations, whatever they change and whatever differs each time", () => {
  const scene = working();
  for (let n = 1; n <= 3; n++) failsWith(scene, `tree-${n}`, `1 test is red after ${n}.5s, pid ${4_000 + n}`);
  expect(scene.pending(task)).toMatchObject({ kind: "agent.run", iteration: 4 });
  failsWith(scene, "tree-4", "1 test is red after 9ms, pid 123456");
  expect([iterations(scene), failures(scene)]).toEqual([
    4,
    [
      [
        "stuck",
        "task-001 went in circles: 4 iterations in a row came to the same failure, whatever they changed; the last: validation exited with 1",
      ],
    ],
  ]);
});

test.for<[string, (scene: Scene, n: number) => void]>([
  ["fewer tests are red", (scene, n) => failsWith(scene, `tree-${n}`, `${9 - n} tests are red`)],
  [
    "it says in between that it is not done",
    (scene, n) => (n % 3 === 0 ? ends(scene, `tree-${n}`) : failsWith(scene, `tree-${n}`, "red")),
  ],
  [
    "it wants a fresh context in between",
    (scene, n) => (n % 3 === 0 ? ends(scene, `tree-${n}`, unfinished) : failsWith(scene, `tree-${n}`, "red")),
  ],
])("B4: it is no circle if %s", ([, iterate]) => {
  const scene = working("loop", 8);
  for (let n = 1; n <= 8; n++) iterate(scene, n);
  expect([iterations(scene), failures(scene).map(([kind]) => kind)]).toEqual([8, ["iterations_used_up"]]);
});

test("B4: a call that keeps failing is told to the next iteration; a second one that does the same ends the attempt", () => {
  const scene = working("task");
  ends(scene, "a", calls(5));
  expect(briefFor(scene.state, task, 2)).toContain(
    "Do not make that call again as it is: find out why it fails, or reach the same in another way.\n\n    the same call failed: exit 1 in 5 ms",
  );
  ends(scene, "b", unfinished);
  expect(briefFor(scene.state, task, 3)).not.toContain("Why you were started again");
  ends(scene, "c", calls(6));
  ends(scene, "d", calls(7));
  expect([iterations(scene), failures(scene)]).toEqual([
    4,
    [
      [
        "stuck",
        "task-001 went in circles: 2 iterations in a row had to be ended because the same call kept failing; the last: the same call failed: exit 1 in 7 ms",
      ],
    ],
  ]);
});

test("B4, PR-7: a run that dies, or an agent that is lost, neither counts nor begins anew", () => {
  const scene = working();
  ends(scene, "a");
  ends(scene, "a");
  scene.start();
  scene.answer(task, { kind: "agent.lost", uncommitted: true, commits: false, tree: "a" });
  expect(scene.pending(task)).toMatchObject({ kind: "agent.run", iteration: 4 });
  ends(scene, "a");
  expect([iterations(scene), failures(scene).map(([kind]) => kind)]).toEqual([3, ["stuck"]]);
});

test("B4: what a lost agent changed is a change", () => {
  const scene = working();
  ends(scene, "a");
  ends(scene, "a");
  scene.start();
  scene.answer(task, { kind: "agent.lost", uncommitted: true, commits: false, tree: "b" });
  for (let n = 0; n < 2; n++) ends(scene, "b");
  expect(failures(scene)).toEqual([]);
  ends(scene, "b");
  expect(failures(scene).map(([kind]) => kind)).toEqual(["stuck"]);
});

test("B4, I3: an iteration that could not be served is none", () => {
  const scene = working();
  ends(scene, "a");
  ends(scene, "a");
  scene.delay(task, "overloaded");
  scene.waited(task);
  ends(scene, "a");
  expect(failures(scene).map(([kind]) => kind)).toEqual(["stuck"]);
});

test("B4: where nobody looked at the files nothing is said about them", () => {
  const scene = working("loop", 5);
  for (let n = 0; n < 5; n++) ends(scene, null);
  expect(failures(scene).map(([kind]) => kind)).toEqual(["iterations_used_up"]);
});

test("B4: several that went in circles are named together; one that failed otherwise makes the run fail", () => {
  const stuck = { reason: "failed", failure: { kind: "stuck", message: "in circles" } } as const;
  const fail = (kinds: readonly ("stuck" | "task_exec")[]): readonly unknown[] => {
    const scene = new Scene(kinds.map(() => ({ maxAttempts: 1 })));
    scene.start();
    for (const [n, kind] of kinds.entries()) {
      scene.open(`task-00${n + 1}`);
      const end = { ...stuck, failure: { ...stuck.failure, kind } };
      scene.answer(`task-00${n + 1}`, { kind: "agent.ended", end });
      scene.archive(`task-00${n + 1}`);
    }
    return scene.all("run.ended").map(({ reason, detail }) => [reason, detail]);
  };
  expect(fail(["stuck", "stuck"])).toEqual([["limit", "task-001, task-002 went in circles"]]);
  expect(fail(["stuck", "task_exec"])).toEqual([["failed", "2 failed, 0 blocked"]]);
});

test("B4: a brief that did not fit in between says nothing about the call, and is no reason to begin the row anew", () => {
  const scene = working();
  ends(scene, "a", calls(1));
  ends(scene, "a", { reason: "unfinished", because: "overflow", message: "prompt is too long" });
  ends(scene, "b", calls(2));
  expect(failures(scene).map(([kind]) => kind)).toEqual(["stuck"]);
});
