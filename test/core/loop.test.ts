import { expect, test } from "vitest";
import { briefFor } from "../../src/core/brief.ts";
import { commitOf, Scene } from "./scene.ts";

const task = "task-001";
const loop = { promise: "TASK_COMPLETE", maxIterations: 3 };

/** A loop whose agent is at work. */
function looping(limits = loop): Scene {
  const scene = new Scene([{ kind: "feature", loop: limits }], { maxIterations: 50 });
  scene.start();
  scene.open(task);
  return scene;
}
const says = (scene: Scene, message: string) =>
  scene.answer(task, { kind: "agent.ended", end: { reason: "finished", message } });
const committed = (scene: Scene, digit = "a") =>
  scene.answer(task, {
    kind: "workspace.committed",
    candidate: { commit: commitOf(digit), parent: commitOf("0") },
  });

test("I1: an agent that ends without the promise is started again in the same workspace, and told why", () => {
  const scene = looping();
  says(scene, "I did half of it.");
  expect(scene.pending(task)).toMatchObject({ kind: "agent.run", iteration: 2, path: `/w/${task}` });
  expect(scene.all("promise.unkept")).toEqual([
    {
      type: "promise.unkept",
      task,
      attempt: 1,
      iteration: 1,
      failure: { kind: "task_exec", message: "it ended without the promise TASK_COMPLETE" },
    },
  ]);
  const brief = briefFor(scene.state, task, 2);
  expect(brief).toContain("Iteration 2 of 3. Earlier work is in this directory");
  expect(brief).toContain("## Why it is not done\n\nit ended without the promise TASK_COMPLETE");
});

test("I2: what came close to the promise is named in the next brief", () => {
  const scene = looping();
  says(scene, "Soon I can say TASK_COMPLETE.");
  expect(briefFor(scene.state, task, 2)).toContain("what came closest: Soon I can say TASK_COMPLETE.");
});

test("I2: the promise is a claim: work that does not pass goes on, with the failure in the brief", () => {
  const scene = looping();
  says(scene, "TASK_COMPLETE");
  committed(scene);
  const failure = { kind: "test_fail", message: "the command failed: exit 1", evidence: "1 test is red" } as const;
  scene.answer(task, { kind: "gate.judged", verdict: { verdict: "fail", failure } });
  expect(scene.pending(task)).toMatchObject({ kind: "agent.run", iteration: 2 });
  expect(briefFor(scene.state, task, 2)).toContain(
    "## Why it is not done\n\nthe command failed: exit 1\n\n    1 test is red",
  );
  says(scene, "<promise>TASK_COMPLETE</promise>");
  committed(scene, "b");
  scene.judge(task, "pass");
  scene.answer(task, { kind: "workspace.merged", commit: commitOf("b") });
  expect([scene.statusOf(task), scene.all("attempt.failed"), scene.ends()]).toEqual(["completed", [], ["completed"]]);
});

test("I1, B1: maxIterations 3 means three, whatever was promised; then the run stops at its limit", () => {
  const scene = looping();
  says(scene, "no");
  says(scene, "TASK_COMPLETE");
  committed(scene);
  scene.judge(task, "fail");
  says(scene, "still no");
  committed(scene, "c");
  scene.archive(task);
  expect(scene.all("iteration.ended").map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
  expect(scene.all("attempt.failed").map(({ failure }) => failure.message)).toEqual([
    "task-001 was not finished in 3 iterations",
  ]);
  expect([scene.statusOf(task), scene.ends()]).toEqual(["failed", ["limit"]]);
});

test("I1: what no agent can mend ends the attempt as ever", () => {
  const scene = looping();
  says(scene, "TASK_COMPLETE");
  committed(scene);
  const failure = { kind: "env_setup", message: "program not found: nmp" } as const;
  scene.answer(task, { kind: "gate.judged", verdict: { verdict: "fail", failure } });
  expect([scene.all("promise.unkept"), scene.all("attempt.failed").map((event) => event.failure)]).toEqual([
    [],
    [failure],
  ]);
});

test("I1: an iteration that wanted a fresh context counts, one that could not be served does not", () => {
  const scene = looping();
  scene.answer(task, { kind: "agent.ended", end: { reason: "unfinished", message: "context is full" } });
  says(scene, "no");
  expect(scene.pending(task)).toMatchObject({ kind: "agent.run", iteration: 3 });
});

test("I2: the brief of a loop asks for the promise, that of another task does not", () => {
  const asks = (brief: string) => brief.includes("    TASK_COMPLETE\n");
  const other = new Scene();
  other.start();
  other.open(task);
  expect([asks(briefFor(looping().state, task, 1)), asks(briefFor(other.state, task, 1))]).toEqual([true, false]);
});

test("I1, G5: who repairs a conflict is asked for no promise", () => {
  const scene = looping();
  says(scene, "TASK_COMPLETE");
  scene.answer(task, { kind: "failed", failure: { kind: "merge_conflict", message: "a.txt", evidence: "" } });
  scene.rebase(task);
  says(scene, "repaired");
  expect(scene.pending(task).kind).toBe("workspace.commit");
});

test("I2: a promise ends a loop that nothing judges, and it is told to be unverified; any gate takes that away", () => {
  const complete = (more: object): object => {
    const scene = new Scene([{ kind: "feature", loop, validation: null, ...more }], {});
    scene.start();
    scene.open(task);
    says(scene, "TASK_COMPLETE");
    committed(scene);
    if (scene.pending(task)?.kind === "gate.check") scene.judge(task, "pass");
    scene.answer(task, { kind: "workspace.merged", commit: commitOf("a") });
    return scene.all("task.completed")[0] ?? {};
  };
  const completed = { type: "task.completed", task, attempt: 1, commit: commitOf("a") };
  expect([complete({}), complete({ outputs: ["a.txt"] })]).toEqual([{ ...completed, unverified: true }, completed]);
});
