import { expect, test } from "vitest";
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import { statusView } from "../../src/core/views/status.ts";
import { Scene } from "./scene.ts";

const order = ["architecture", "engineering", "qa"];
const plan = [
  { id: "qa-1", phase: "qa" },
  { id: "eng-1", phase: "engineering" },
  { id: "arch-1", phase: "architecture" },
  { id: "arch-2", phase: "architecture" },
  { id: "free" },
  { id: "own-1", phase: "own" },
] as const;
const working = (scene: Scene) => [...scene.state.working].sort();

test("I8: without a barrier phases of the plan bind nothing", () => {
  const scene = new Scene(plan);
  scene.start(6, { barrier: null });
  expect(working(scene)).toEqual(["arch-1", "arch-2", "eng-1", "free", "own-1", "qa-1"]);
  expect(scene.all("barrier.changed")).toEqual([]);
});

test("I8: with one a phase begins when all tasks of the phases before it are done; who belongs to none waits for none", () => {
  const scene = new Scene(plan);
  scene.start(6, { barrier: order });
  expect(scene.all("barrier.changed")).toEqual([{ type: "barrier.changed", run: "run-1", phases: order }]);
  expect(working(scene)).toEqual(["arch-1", "arch-2", "free", "own-1"]);
  const waits = () =>
    statusView(scene.state)?.tasks.flatMap(({ id, waitsForPhase }) => (waitsForPhase ? [[id, waitsForPhase]] : []));
  expect(waits()).toEqual([
    ["eng-1", "architecture"],
    ["qa-1", "architecture"],
  ]);
  scene.complete("arch-1");
  expect(working(scene)).toEqual(["arch-2", "free", "own-1"]);
  scene.complete("arch-2");
  expect(working(scene)).toEqual(["eng-1", "free", "own-1"]);
  expect(waits()).toEqual([["qa-1", "engineering"]]);
  scene.complete("eng-1");
  expect(working(scene)).toEqual(["free", "own-1", "qa-1"]);
});

test("I8: a phase without tasks keeps nobody back, and one that gets another task keeps back what was not begun", () => {
  const scene = new Scene([
    { id: "qa-1", phase: "qa" },
    { id: "qa-2", phase: "qa" },
  ]);
  scene.start(1, { barrier: order });
  expect(working(scene)).toEqual(["qa-1"]);
  scene.send({
    type: "task.add",
    task: { id: "arch-1", title: "late", phase: "architecture", validation: { command: "true", timeoutMs: 1 } },
  });
  scene.complete("qa-1");
  expect(working(scene)).toEqual(["arch-1"]);
  scene.send({ type: "task.edit", task: "qa-2", change: { phase: null } });
  expect(scene.state.ready.peek()).toBe("qa-2");
});

test("I8: a task that is moved to another phase lets go of what waited for its own, and keeps back what waits for the other", () => {
  const scene = new Scene([
    { id: "first", priority: "P0" },
    { id: "arch-1", phase: "architecture" },
    { id: "eng-1", phase: "engineering" },
    { id: "qa-1", phase: "qa" },
  ]);
  scene.start(1, { barrier: order });
  const ready = () => [scene.state.ready.peek(), scene.state.ready.size];
  expect([working(scene), ready()]).toEqual([["first"], ["arch-1", 1]]);
  scene.send({ type: "task.edit", task: "arch-1", change: { phase: "qa" } });
  expect(ready()).toEqual(["eng-1", 1]);
});

test("I8: a phase whose task has failed for good is not done: the run ends and says which phases wait", () => {
  const scene = new Scene([
    { id: "arch-1", phase: "architecture", maxAttempts: 1 },
    { id: "qa-1", phase: "qa" },
  ]);
  scene.start(2, { barrier: order });
  scene.failOnce("arch-1");
  expect(scene.all("run.ended").map(({ reason, detail }) => [reason, detail])).toEqual([
    ["failed", "1 failed, 0 blocked; qa waits for architecture"],
  ]);
  scene.send({ type: "task.retry", task: "arch-1" });
  scene.start(2, { barrier: order });
  scene.complete("arch-1");
  scene.complete("qa-1");
  expect(scene.ends()).toEqual(["failed", "completed"]);
  expect(scene.all("barrier.changed")).toHaveLength(1);
});

test("I8: a run without it lets go of the barrier, which is told; one that says nothing leaves it as it is", () => {
  const scene = new Scene(plan);
  scene.start(1, { barrier: order });
  scene.start(1);
  expect(scene.state.barrier).toEqual(order);
  scene.start(1, { barrier: null });
  expect([scene.state.barrier, scene.all("barrier.changed").at(-1)]).toEqual([
    null,
    { type: "barrier.changed", run: "run-3", phases: null },
  ]);
});

test("I8, PR-23: a snapshot keeps it, and what is ready is the same in whatever order tasks come back", () => {
  const scene = new Scene(plan);
  scene.start(1, { barrier: order });
  const restored = readSnapshot(writeSnapshot(scene.state));
  const ready = (state: typeof restored) => [
    state?.ready.size,
    state?.ready.peek(),
    [...(state?.openInPhase ?? [])].sort(),
  ];
  expect([restored?.barrier, ready(restored)]).toEqual([order, ready(scene.state)]);
});
