// What came of work that an outside worker handed in is kept, so that one who did not hear it is answered the same (L4).
import { expect, test } from "vitest";
import { outsideRunId } from "../../src/protocol/ids.ts";
import type { Gone } from "../../src/protocol/input.ts";
import { commitOf, conflict, rebasedOnto, Scene } from "./scene.ts";

const task = "task-001";
const failure = { kind: "task_exec", message: "no access" } as const;
const held = { run: outsideRunId("w"), task, claim: 1 };

/** A worker has the only task. */
function claimed(): Scene {
  const scene = new Scene([{}]);
  scene.send({ type: "mission.configure", concurrency: "concurrent" });
  scene.start(1, { run: held.run, worker: "w", claims: 1, leaseSeconds: 60, gone: [] });
  scene.open(task);
  return scene;
}
const handIn = (scene: Scene) => scene.send({ type: "claim.finish", message: "done", ...held });
const commit = (scene: Scene) =>
  scene.answer(task, {
    kind: "workspace.committed",
    candidate: { commit: commitOf("a"), parent: commitOf("0") },
  });
const others = (scene: Scene, how: Gone["how"]) => scene.start(1, { gone: [{ run: held.run, how }] });
const kept = (scene: Scene) => scene.state.tasks.get(task)?.handedIn;

test("L4: merged", () => {
  const scene = claimed();
  handIn(scene);
  commit(scene);
  scene.judge(task, "pass");
  scene.answer(task, { kind: "workspace.merged", commit: commitOf("a") });
  expect(kept(scene)).toEqual({ worker: "w", claim: 1, status: "completed" });
});

test("L4: failed by its gate, with what the gate said", () => {
  const scene = claimed();
  handIn(scene);
  commit(scene);
  scene.judge(task, "fail");
  scene.archive(task);
  const why = { kind: "test_fail", message: "red" };
  expect(kept(scene)).toEqual({ worker: "w", claim: 1, status: "failed", failure: why });
});

test("L4: given up by its worker, and put away by somebody else", () => {
  const scene = claimed();
  scene.send({ type: "claim.fail", ...held, failure });
  others(scene, "lost");
  scene.archive(task);
  expect(kept(scene)).toEqual({ worker: "w", claim: 1, status: "failed", failure });
});

test("L3: nothing is kept for one whose lease ran out over its work, nor for our own runs", () => {
  const scene = claimed();
  others(scene, "lapsed");
  scene.answer(task, { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" });
  scene.archive(task);
  scene.complete(task);
  expect([kept(scene), scene.state.tasks.get(task)?.phase.status]).toEqual([null, "completed"]);
});

test("L3, G5: nor for one who was given its work back to repair, when a person took it away then", () => {
  const scene = claimed();
  handIn(scene);
  scene.answer(task, { kind: "failed", failure: conflict });
  scene.answer(task, { kind: "workspace.rebased", ...rebasedOnto("1") });
  expect(scene.pending(task).kind).toBe("agent.run");
  scene.send({ type: "task.reset", tasks: [task] });
  others(scene, "lapsed");
  scene.answer(task, { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" });
  scene.archive(task);
  expect([scene.all("task.returned").length, kept(scene)]).toEqual([1, null]);
});
