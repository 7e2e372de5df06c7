import { expect, test } from "vitest";
import { firstInLine, waitsInLine } from "../../src/core/merge-line.ts";
import { commitOf, Scene } from "./scene.ts";

const waiting = (scene: Scene): readonly string[] =>
  [...scene.state.working].filter((task) => waitsInLine(scene.state, scene.pending(task)));
const overtake = (scene: Scene, task: string) => scene.answer(task, { kind: "workspace.moved" });
const commit = (scene: Scene, task: string) =>
  scene.answer(task, { kind: "workspace.committed", candidate: { commit: commitOf("d"), parent: commitOf("1") } });
const merge = (scene: Scene, task: string) => scene.answer(task, { kind: "workspace.merged", commit: commitOf("a") });

/** As many tasks as lanes, each with a candidate that passed: all want to merge. */
function allJudged(lanes: number, start: Parameters<Scene["start"]>[1] = {}): Scene {
  const scene = new Scene(Array.from({ length: lanes }, () => ({})));
  scene.start(lanes, start);
  for (const task of [...scene.state.working]) {
    scene.open(task);
    scene.finish(task);
    scene.judge(task, "pass");
  }
  return scene;
}

test("G5: with nobody before it, a candidate that passed merges at once; the others merge in order", () => {
  const scene = allJudged(3);
  expect([firstInLine(scene.state), waiting(scene)]).toEqual(["task-001", ["task-002", "task-003"]]);
  merge(scene, "task-001");
  expect([firstInLine(scene.state), waiting(scene)]).toEqual(["task-002", ["task-003"]]);
});

test("G5: who was overtaken has the turn from its commit to its merge, after those who asked before", () => {
  const scene = allJudged(3);
  merge(scene, "task-001");
  overtake(scene, "task-002");
  // It kept its place: the merge that waited behind it comes after.
  expect([scene.pending("task-002").kind, waiting(scene)]).toEqual(["workspace.commit", ["task-003"]]);
  commit(scene, "task-002");
  expect(waiting(scene)).toEqual(["task-003"]);
  scene.judge("task-002", "pass");
  expect([firstInLine(scene.state), waiting(scene)]).toEqual(["task-002", ["task-003"]]);
  merge(scene, "task-002");
  expect([firstInLine(scene.state), waiting(scene)]).toEqual(["task-003", []]);
});

test("G5: agents, gates and first candidates are held up by nobody's turn", () => {
  const scene = allJudged(2);
  scene.send({ type: "task.add", task: { title: "more", validation: { command: "true", timeoutMs: 1 } } });
  merge(scene, "task-001");
  overtake(scene, "task-002");
  scene.open("task-003");
  expect(waiting(scene)).toEqual([]);
  scene.answer("task-003", { kind: "agent.ended", end: { reason: "finished", message: "" } });
  expect([scene.pending("task-003").kind, waiting(scene)]).toEqual(["workspace.commit", []]);
});

test.each([
  [
    "its gate says no",
    (scene: Scene) => {
      commit(scene, "task-002");
      scene.judge("task-002", "fail");
    },
  ],
  [
    "its gate hangs and runs out of time",
    (scene: Scene) => {
      commit(scene, "task-002");
      const failure = { kind: "timeout", message: "too slow" } as const;
      scene.answer("task-002", { kind: "gate.judged", verdict: { verdict: "fail", failure } });
    },
  ],
  ["its work is in conflict", (scene: Scene) => scene.answer("task-002", { kind: "failed", failure: clash })],
  ["a person resets it", (scene: Scene) => scene.send({ type: "task.reset", tasks: ["task-002"] })],
] as const)("G5: the turn ends when %s", (_, happen) => {
  const scene = allJudged(3);
  merge(scene, "task-001");
  overtake(scene, "task-002");
  expect(waiting(scene)).toEqual(["task-003"]);
  happen(scene);
  expect([firstInLine(scene.state), waiting(scene)]).toEqual(["task-003", []]);
});
const clash = { kind: "merge_conflict", message: "a.txt" } as const;

test("G5: the turn ends with the run that had it; whoever takes it over stands at the end of the line", () => {
  const scene = new Scene([{}, {}]);
  scene.send({ type: "mission.configure", concurrency: "concurrent" });
  scene.start(1, { gone: [] });
  scene.start(1, { gone: [] });
  for (const task of ["task-001", "task-002"]) {
    scene.open(task);
    scene.finish(task);
    scene.judge(task, "pass");
  }
  overtake(scene, "task-001");
  expect([firstInLine(scene.state), waiting(scene)]).toEqual(["task-001", ["task-002"]]);
  scene.send({ type: "run.tick", run: "run-2", gone: [{ run: "run-1", how: "lost" }] });
  expect([firstInLine(scene.state), waiting(scene)]).toEqual(["task-002", ["task-001"]]);
  scene.start(1, { gone: [] });
  expect(scene.pending("task-001").run).toBe("run-3");
  expect([firstInLine(scene.state), waiting(scene)]).toEqual(["task-002", ["task-001"]]);
  merge(scene, "task-002");
  expect([firstInLine(scene.state), waiting(scene)]).toEqual(["task-001", []]);
});

test("G5: a pause holds nobody's turn: what is under way is finished", () => {
  const scene = allJudged(2);
  scene.send({ type: "mission.pause", by: "me" });
  merge(scene, "task-001");
  expect(waiting(scene)).toEqual([]);
  merge(scene, "task-002");
  expect(scene.state.working.size).toBe(0);
});

test("G5: an outside worker neither waits nor keeps others waiting: nobody knows whether its verb still runs", () => {
  const scene = new Scene([{}, {}]);
  scene.send({ type: "mission.configure", concurrency: "concurrent" });
  scene.start(1, { gone: [] });
  const outside = { run: "outside:1", claims: 1, leaseSeconds: 60, gone: [] };
  scene.start(1, outside);
  for (const task of ["task-001", "task-002"]) {
    scene.open(task);
    scene.finish(task);
    scene.judge(task, "pass");
  }
  expect(scene.pending("task-002").run).toBe("outside:1");
  overtake(scene, "task-002");
  expect([firstInLine(scene.state), waiting(scene)]).toEqual(["task-001", []]);
});
