import { expect, test } from "vitest";
import { briefFor } from "../../src/core/brief.ts";
import { statusView } from "../../src/core/views/status.ts";
import type { TaskRequest } from "../../src/protocol/input.ts";
import { commitOf, Scene } from "./scene.ts";

const task = "task-001";
const phases = [
  { name: "research", prefix: "Find out. Write no code yet.", gate: { outputs: ["notes.md"] } },
  { name: "write", prefix: "Write it.", gate: { outputs: ["report.md"], command: "sh check.sh" } },
  { name: "verify", prefix: "Look at it as a stranger.", gate: { command: "sh verify.sh" } },
];
const loop = { promise: "TASK_COMPLETE", maxIterations: 10, phases };

function phased(more: Partial<TaskRequest> = {}): Scene {
  const scene = new Scene([{ kind: "feature", title: "Report", loop, ...more }], { maxIterations: 50 });
  scene.start();
  scene.open(task);
  return scene;
}
const candidate = (digit: string) => ({ commit: commitOf(digit), parent: commitOf("0") });
function promises(scene: Scene, digit = "a"): void {
  scene.answer(task, { kind: "agent.ended", end: { reason: "finished", message: "TASK_COMPLETE" } });
  scene.answer(task, { kind: "workspace.committed", candidate: candidate(digit) });
}
/** Through the gate of one phase. */
function passes(scene: Scene, checks: number, digit = "a"): void {
  promises(scene, digit);
  for (let check = 0; check < checks; check++) scene.judge(task, "pass");
}
const asked = (scene: Scene): unknown => {
  const effect = scene.pending(task);
  if (effect.kind === "agent.run") return `iteration ${effect.iteration}`;
  return effect.kind === "gate.check" ? [effect.phase ?? "all", effect.which] : effect.kind;
};
const phaseOf = (scene: Scene) => statusView(scene.state)?.tasks[0]?.loopPhase;

test("I8: each phase ends with its own gate, one iteration begins the next, and the task's own checks come last", () => {
  const scene = phased();
  const seen: unknown[] = [];
  for (const digit of ["a", "b", "c"]) {
    promises(scene, digit);
    while (scene.pending(task).kind === "gate.check") {
      seen.push(asked(scene));
      scene.judge(task, "pass");
    }
    seen.push(asked(scene));
  }
  expect(seen).toEqual([
    ["research", "phase-artifacts"],
    "iteration 2",
    ["write", "phase-artifacts"],
    ["write", "phase-command"],
    "iteration 3",
    ["verify", "phase-command"],
    ["all", "full"],
    "workspace.merge",
  ]);
  expect(scene.all("phase.passed").map(({ phase, number, of, iteration }) => [phase, number, of, iteration])).toEqual([
    ["research", 1, 3, 1],
    ["write", 2, 3, 2],
  ]);
  expect(scene.all("promise.unkept")).toEqual([]);
});

test("I8: the brief says which phase it is, what it is for, and how it is judged; a passed one leaves no complaint", () => {
  const scene = phased();
  const first = briefFor(scene.state, task, 1);
  expect(first).toContain(
    "# Phase 1 of 3: research\n\nFind out. Write no code yet.\n\nThe phases of this task: research (now), write, verify. Do this one, and leave what comes later to later.\n\n# Task task-001: Report",
  );
  expect(first).toContain("## How this phase is judged\n\nThese files must be there");
  expect(first).toContain("## How it is judged after the last phase\n\n    test -f a.txt");
  expect(first).toContain("Only when all of this phase is done,");
  promises(scene);
  scene.judge(task, "fail");
  expect(briefFor(scene.state, task, 2)).toContain("## Why it is not done");
  passes(scene, 1, "b");
  const second = briefFor(scene.state, task, 3);
  expect(second).toContain(
    "# Phase 2 of 3: write\n\nWrite it.\n\nThe phases of this task: research (passed), write (now)",
  );
  expect(second).not.toContain("## Why it is not done");
  expect(second).toContain("Then by:\n\n    sh check.sh");
  passes(scene, 2, "c");
  expect(briefFor(scene.state, task, 4)).toContain("Only when all of it is done,");
});

test("I8: a gate that does not pass is a promise that is not kept: the same phase, one iteration older", () => {
  const scene = phased();
  passes(scene, 1);
  promises(scene, "b");
  scene.judge(task, "pass");
  scene.judge(task, "fail");
  expect([asked(scene), phaseOf(scene), scene.all("promise.unkept").length]).toEqual([
    "iteration 3",
    { name: "write", number: 2, of: 3 },
    1,
  ]);
});

test("I8, PR-7: iterations are counted over all phases; a phase that passes with the last one ends the attempt", () => {
  const scene = phased({ loop: { ...loop, maxIterations: 2 } });
  passes(scene, 1);
  passes(scene, 2, "b");
  expect(scene.all("phase.passed").map(({ phase }) => phase)).toEqual(["research", "write"]);
  expect(scene.all("attempt.failed").map(({ failure }) => failure.message)).toEqual([
    "task-001 was not finished in 2 iterations",
  ]);
  expect(asked(scene)).toBe("workspace.archive");
});

test("I8: another attempt that goes on with the work goes on in its phase; a reset begins with the first", () => {
  const scene = phased({ loop: { ...loop, maxIterations: 1 } });
  passes(scene, 1);
  scene.archive(task);
  scene.send({ type: "task.retry", task });
  scene.start();
  expect(scene.pending(task)).toMatchObject({ kind: "workspace.open", resume: candidate("a") });
  scene.open(task);
  expect(phaseOf(scene)).toEqual({ name: "write", number: 2, of: 3 });
  promises(scene, "b");
  scene.judge(task, "fail");
  scene.archive(task);
  scene.send({ type: "task.reset", tasks: [task] });
  expect(phaseOf(scene)).toEqual({ name: "research", number: 1, of: 3 });
});

test("I8: an attempt that begins from nothing begins with the first phase", () => {
  const scene = phased({ kind: "task", maxAttempts: 2, loop: { ...loop, maxIterations: 1 } });
  passes(scene, 1);
  scene.archive(task);
  scene.open(task);
  expect([scene.state.tasks.get(task)?.claims, phaseOf(scene)]).toEqual([2, { name: "research", number: 1, of: 3 }]);
});

test("I8, V1: a lost agent is followed by the next iteration of the same phase", () => {
  const scene = phased();
  passes(scene, 1);
  scene.start();
  scene.answer(task, { kind: "agent.lost", uncommitted: true, commits: false, tree: "t" });
  expect([asked(scene), phaseOf(scene)]).toEqual(["iteration 3", { name: "write", number: 2, of: 3 }]);
});

test("I8, PR-9: who was overtaken after the last phase has its gate judged again, on the new commit", () => {
  const scene = phased();
  passes(scene, 1);
  passes(scene, 2, "b");
  passes(scene, 2, "c");
  expect(asked(scene)).toBe("workspace.merge");
  scene.answer(task, { kind: "workspace.moved" });
  scene.answer(task, { kind: "workspace.committed", candidate: { commit: commitOf("d"), parent: commitOf("1") } });
  expect(asked(scene)).toEqual(["verify", "phase-command"]);
});

test("I8, G5: who repairs a conflict in the middle stays in the phase, and is judged by its gate", () => {
  const scene = phased();
  passes(scene, 1);
  scene.answer(task, { kind: "agent.ended", end: { reason: "finished", message: "TASK_COMPLETE" } });
  scene.answer(task, { kind: "failed", failure: { kind: "merge_conflict", message: "a.txt", evidence: "" } });
  scene.rebase(task);
  scene.answer(task, { kind: "agent.ended", end: { reason: "finished", message: "repaired" } });
  scene.answer(task, { kind: "workspace.committed", candidate: candidate("b") });
  expect(asked(scene)).toEqual(["write", "phase-artifacts"]);
});

test("I8: an outside worker goes through no phases: all gates judge what it hands in", () => {
  const scene = new Scene([{ loop }]);
  const run = "outside:w";
  scene.start(1, {
    run,
    claims: 1,
    leaseSeconds: 60,
    owner: { host: "h", bootId: "b", pid: 8, group: 8, startTime: "1" },
  });
  scene.open(task);
  scene.answer(task, { kind: "agent.ended", end: { reason: "finished", message: "done" } });
  scene.answer(task, { kind: "workspace.committed", candidate: candidate("a") });
  const seen: unknown[] = [];
  while (scene.pending(task).kind === "gate.check") {
    seen.push(asked(scene));
    scene.judge(task, "pass");
  }
  expect([...seen, asked(scene)]).toEqual([
    ["research", "phase-artifacts"],
    ["write", "phase-artifacts"],
    ["write", "phase-command"],
    ["verify", "phase-command"],
    ["all", "full"],
    "workspace.merge",
  ]);
  expect(scene.all("phase.passed")).toEqual([]);
});

test("I8: what is handed off names its phase, and the next brief with it", () => {
  const scene = phased();
  passes(scene, 1);
  const { id, fence, run } = scene.pending(task);
  scene.send({ type: "agent.tell", run, id, fence, told: { verb: "handoff", summary: "half", next: "rest" } });
  expect(scene.all("agent.handedOff").map(({ handoff }) => handoff.phase)).toEqual(["write"]);
  expect(briefFor(scene.state, task, 3)).toMatch(/\[RESUMED STATE\][\s\S]*Phase:?\s+write/);
});

test("A1: the work after a judged candidate is kept for the next attempt, too", () => {
  const scene = phased({ loop: { ...loop, maxIterations: 2 } });
  passes(scene, 1);
  scene.answer(task, { kind: "agent.ended", end: { reason: "finished", message: "half" } });
  expect(asked(scene)).toBe("workspace.commit");
});

test.for([
  [[], "phases"],
  [[{ name: "a", prefix: "x", gate: {} }], "phases.0.gate"],
  [[phases[0], phases[0]], "phases"],
])("I8: phases %j are refused", ([wrong, field]) => {
  const scene = new Scene([{ loop: { ...loop, phases: wrong as never } }]);
  expect(scene.all("input.refused").map(({ failure }) => failure.message)).toEqual([
    expect.stringContaining(`task field "loop.${field}"`),
  ]);
});

test("I8, B4: what passed a phase's gate came to something: the next phase may begin with the same files", () => {
  const scene = phased();
  const unchanged = (message: string) =>
    scene.answer(task, { kind: "agent.ended", end: { reason: "finished", message }, stood: { tree: "same" } });
  unchanged("half");
  unchanged("half");
  unchanged("TASK_COMPLETE");
  scene.answer(task, { kind: "workspace.committed", candidate: candidate("a") });
  scene.judge(task, "pass");
  expect([asked(scene), scene.all("attempt.failed")]).toEqual(["iteration 4", []]);
});
