import { expect, test } from "vitest";
import { briefFor } from "../../src/core/brief.ts";
import { commitOf, Scene, validation } from "./scene.ts";

const task = "task-001";
const outputs = ["report.md", "figures/*.png"];
const missing = {
  kind: "test_fail",
  message: "declared outputs are missing or malformed: report.md does not exist",
} as const;

const judged = (more: object = {}): Scene => {
  const scene = new Scene([{ outputs, validation: { ...validation, quick: "true" }, ...more }]);
  scene.start();
  scene.open(task);
  return scene;
};
const asked = (scene: Scene): unknown => {
  const effect = scene.pending(task);
  return effect.kind === "gate.check" ? [effect.which, effect.gate.use, effect.candidate.commit] : effect.kind;
};

test("G1: outputs, then the quick check, then the whole one judge the same candidate; only then it is merged", () => {
  const scene = judged();
  scene.finish(task);
  const order = [asked(scene)];
  for (let at = 0; at < 3; at++) {
    scene.judge(task, "pass");
    order.push(asked(scene));
  }
  expect(order).toEqual([
    ["artifacts", "artifacts", commitOf("a")],
    ["quick", "command", commitOf("a")],
    ["full", "command", commitOf("a")],
    "workspace.merge",
  ]);
});

test("G1: without outputs nothing looks for any", () => {
  const scene = judged({ outputs: [] });
  scene.finish(task);
  expect(asked(scene)).toEqual(["quick", "command", commitOf("a")]);
});

test("G1: a missing output fails the attempt as a failing command does, and the next brief names it", () => {
  const scene = judged();
  scene.finish(task);
  scene.answer(task, { kind: "gate.judged", verdict: { verdict: "fail", failure: missing } });
  scene.archive(task);
  expect([scene.all("attempt.failed").map(({ failure, costs }) => [failure, costs]), scene.all("gate.judged")]).toEqual(
    [
      [[missing, "attempt"]],
      [
        {
          ...{ type: "gate.judged", task, attempt: 1, gate: "artifacts", commit: commitOf("a") },
          verdict: { verdict: "fail", failure: missing },
        },
      ],
    ],
  );
  scene.open(task);
  expect(briefFor(scene.state, task, 1)).toContain("Attempt 1 of 3: declared outputs are missing or malformed");
});

test("G1, I1: a loop whose promise is given without its outputs goes on, one iteration older", () => {
  const scene = judged({ loop: { promise: "TASK_COMPLETE", maxIterations: 2 }, kind: "feature" });
  const promises = () => {
    scene.answer(task, { kind: "agent.ended", end: { reason: "finished", message: "TASK_COMPLETE" } });
    scene.answer(task, { kind: "workspace.committed", candidate: { commit: commitOf("a"), parent: commitOf("0") } });
    scene.answer(task, { kind: "gate.judged", verdict: { verdict: "fail", failure: missing } });
  };
  promises();
  expect(scene.all("promise.unkept").map(({ iteration, failure }) => [iteration, failure])).toEqual([[1, missing]]);
  expect(briefFor(scene.state, task, 2)).toContain(
    "## Why it is not done\n\ndeclared outputs are missing or malformed: report.md does not exist",
  );
  promises();
  expect(scene.all("attempt.failed").map(({ failure }) => failure.message)).toEqual([
    "task-001 was not finished in 2 iterations",
  ]);
});

test("G1, PR-9: who was overtaken has its outputs looked at again, on the new commit", () => {
  const scene = judged();
  scene.finish(task);
  for (let at = 0; at < 3; at++) scene.judge(task, "pass");
  scene.answer(task, { kind: "workspace.moved" });
  scene.answer(task, { kind: "workspace.committed", candidate: { commit: commitOf("b"), parent: commitOf("1") } });
  expect(asked(scene)).toEqual(["artifacts", "artifacts", commitOf("b")]);
});

test("G1: the brief names the outputs before the command", () => {
  expect(briefFor(judged().state, task, 1)).toContain(
    "## How it is judged\n\nThese files must be there, not empty, and be what their names say; git must not ignore them:\n\n    report.md\n    figures/*.png\n\nThen by:\n\n    test -f a.txt",
  );
});

test.for(["/etc/passwd", "../x", "-rf", ""])("G1: a task that declares %j is refused", (output) => {
  const scene = new Scene([{ outputs: [output] }]);
  expect([scene.all("task.added"), scene.all("input.refused").map(({ failure }) => failure.message)]).toEqual([
    [],
    ['task field "outputs.0": must be a path or pattern inside the project, such as report.md or notes/*.json'],
  ]);
});

test("G1: outputs are changed, and taken away, by an edit", () => {
  const scene = new Scene([{ outputs }]);
  scene.send({ type: "task.edit", task, change: { outputs: ["other.md"] } });
  scene.send({ type: "task.edit", task, change: { title: "b" } });
  scene.send({ type: "task.edit", task, change: { outputs: [] } });
  expect(scene.all("task.edited").map(({ spec }) => spec.outputs)).toEqual([["other.md"], ["other.md"], []]);
});
