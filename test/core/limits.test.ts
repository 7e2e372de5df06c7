import { expect, test } from "vitest";
import { commitOf, Scene } from "./scene.ts";

test("B1: max_attempts 3 means three attempts, then the task has failed for good", () => {
  const scene = new Scene([{ maxAttempts: 3 }]);
  scene.start();
  for (let attempt = 1; attempt <= 3; attempt++) scene.failOnce("task-001");
  expect(scene.all("task.claimed")).toHaveLength(3);
  expect(scene.all("task.failed").map(({ final }) => final)).toEqual([false, false, true]);
  expect(scene.ends()).toEqual(["failed"]);
});

test("I3: max_iterations 2 means two agent sessions in an attempt", () => {
  const scene = new Scene([{ maxAttempts: 1 }], { maxIterations: 2 });
  scene.start();
  scene.open("task-001");
  for (const _ of [1, 2])
    scene.answer("task-001", { kind: "agent.ended", end: { reason: "unfinished", message: "more" } });
  expect(scene.all("attempt.failed").map(({ failure }) => failure.kind)).toEqual(["iterations_used_up"]);
  expect(scene.all("iteration.ended").map(({ iteration }) => iteration)).toEqual([1, 2]);
});

test("S2: at max_tasks_per_session the session ends with its counts, and the same run opens the next", () => {
  const scene = new Scene([{}, {}, {}], { maxTasksPerSession: 2 });
  scene.start();
  for (const task of ["task-001", "task-002", "task-003"]) scene.complete(task);
  expect(scene.all("session.ended").map(({ session, stats }) => [session, stats.completed])).toEqual([
    [1, 2],
    [2, 3],
  ]);
  expect(scene.all("run.started")).toHaveLength(1);
});

test("S2: tasks under way count against max_tasks_per_session, so lanes cannot pass it", () => {
  const scene = new Scene([{}, {}, {}], { maxTasksPerSession: 2 });
  scene.start(3);
  expect(scene.state.working.size).toBe(2);
});

test("S2: sessions 1 to max_sessions work, the next start ends at once", () => {
  const scene = new Scene([{ maxAttempts: 5 }, {}], { maxSessions: 2, maxTasksPerSession: 1 });
  scene.start();
  scene.failOnce("task-001");
  scene.failOnce("task-002");
  expect(scene.ends()).toEqual(["limit"]);
  expect(scene.all("session.started")).toHaveLength(2);
  scene.start();
  expect(scene.ends()).toEqual(["limit", "limit"]);
  expect(scene.all("session.started")).toHaveLength(2);
});

test("V1: five interruptions before the agent did anything are free, the sixth is charged", () => {
  const scene = new Scene([{ maxAttempts: 2 }], { maxSessions: 50 });
  for (let time = 1; time <= 6; time++) {
    scene.start();
    if (time > 1) {
      scene.answer("task-001", { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" });
      scene.archive("task-001");
    }
    scene.open("task-001");
  }
  expect(scene.state.tasks.get("task-001")).toMatchObject({ attempts: 0, interruptions: 5 });
  scene.start();
  scene.answer("task-001", { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" });
  expect(scene.state.tasks.get("task-001")).toMatchObject({ attempts: 1, interruptions: 5 });
});

test("PR-9: a candidate that others overtook is committed anew and judged again before it is merged", () => {
  const scene = new Scene();
  scene.start();
  scene.open("task-001");
  scene.finish("task-001");
  scene.judge("task-001", "pass");
  scene.answer("task-001", { kind: "workspace.moved" });
  expect(scene.pending("task-001").kind).toBe("workspace.commit");
  scene.answer("task-001", {
    kind: "workspace.committed",
    candidate: { commit: commitOf("b"), parent: commitOf("1") },
  });
  expect(scene.pending("task-001")).toMatchObject({
    kind: "gate.check",
    candidate: { commit: commitOf("b"), parent: commitOf("1") },
  });
});
