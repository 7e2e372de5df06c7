import { describe, expect, test } from "vitest";
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import { markersLeft, Scene, validation } from "./scene.ts";

const ended = { kind: "agent.ended", end: { reason: "finished", message: "done" } } as const;
const many = (count: number, maxAttempts = 3) => Array.from({ length: count }, () => ({ maxAttempts }));
const id = (number: number) => `task-${String(number).padStart(3, "0")}`;

/** Its work cannot be brought together with that of others: a person is asked, nothing is charged. */
function collideForGood(scene: Scene, task: string): void {
  scene.open(task);
  scene.collide(task);
  scene.rebase(task);
  scene.answer(task, ended);
  scene.answer(task, { kind: "failed", failure: markersLeft });
  scene.archive(task);
}

const details = (scene: Scene) => scene.all("run.ended").map(({ reason, detail }) => [reason, detail]);

test("B3: two rounds that come to nothing end the run, and it says what to do", () => {
  const scene = new Scene(many(9));
  scene.start(2);
  for (const number of [1, 2, 3]) collideForGood(scene, id(number));
  expect(scene.state.rounds).toMatchObject({ count: 1, stale: 1, settled: 1 });
  expect(scene.ends()).toEqual([]);
  collideForGood(scene, id(4));
  // Round two is over; what was begun before that is brought to its end.
  expect([scene.state.rounds.stale, [...scene.state.working], scene.ends()]).toEqual([2, ["task-005"], []]);
  collideForGood(scene, id(5));
  const names = [1, 2, 3, 4, 5].map((number) => `conflict-${id(number)}`).join(", ");
  expect(details(scene)).toEqual([
    [
      "limit",
      `2 rounds in a row came to nothing: no task was finished, no attempt counted, no checkpoint made; next: answer ${names} (harness approve NAME), or harness resume to go on as it is`,
    ],
  ]);
});

test("B3: a completion, a charged attempt or a checkpoint is a step forward: the row begins anew", () => {
  const steps: readonly ((scene: Scene, task: string) => void)[] = [
    (scene, task) => scene.complete(task),
    (scene, task) => scene.failOnce(task),
    (scene, task) => {
      scene.open(task);
      const { run, id: of, fence } = scene.pending(task);
      const checkpoint = { step: 1, total: 2, description: "half", tree: "t" };
      scene.send({ type: "agent.checkpoint", run, id: of, fence, checkpoint });
      scene.collide(task);
      scene.rebase(task);
      scene.answer(task, ended);
      scene.answer(task, { kind: "failed", failure: markersLeft });
      scene.archive(task);
    },
  ];
  for (const step of steps) {
    const scene = new Scene(many(5, 1));
    scene.start();
    collideForGood(scene, id(1));
    step(scene, id(2));
    expect(scene.state.rounds.stale).toBe(0);
    collideForGood(scene, id(3));
    expect(scene.ends()).toEqual([]);
    collideForGood(scene, id(4));
    expect(scene.ends()).toEqual(["limit"]);
  }
});

test("B3: fifty rounds without a finished task end the run with the last failure, not one more and not one fewer", () => {
  const scene = new Scene(many(20), { maxTasksPerSession: 1_000 });
  scene.start();
  for (let round = 1; round <= 50; round++) {
    expect(scene.ends()).toEqual([]);
    const [task = ""] = scene.state.working;
    scene.failOnce(task);
  }
  const [last] = scene.all("task.failed").slice(-1);
  expect(details(scene)).toEqual([
    [
      "limit",
      `50 rounds in a row without a finished task; the last failure: ${last?.task}, red; next: mend what they have in common, then harness resume, or harness retry TASK`,
    ],
  ]);
  expect(scene.all("task.claimed")).toHaveLength(50);
});

describe("B1, B3: afterwards", () => {
  function stale(): Scene {
    const scene = new Scene(many(6, 1));
    scene.start();
    scene.failOnce(id(1));
    for (const number of [2, 3]) collideForGood(scene, id(number));
    expect(scene.ends()).toEqual(["limit"]);
    return scene;
  }

  test("a start alone changes nothing, and uses no session", () => {
    const scene = stale();
    scene.start();
    expect([scene.ends(), scene.all("session.started")]).toEqual([
      ["limit", "limit"],
      [{ type: "session.started", session: 1 }],
    ]);
    expect(readSnapshot(writeSnapshot(scene.state))?.rounds).toEqual(scene.state.rounds);
  });

  test.each([
    ["resume", { type: "mission.resume", by: "me" }],
    ["an answer", { type: "approval.grant", name: "conflict-task-002" }],
    ["a new task", { type: "task.add", task: { title: "more", validation } }],
    ["an edit", { type: "task.edit", task: "task-004", change: { title: "another" } }],
    ["a retry", { type: "task.retry", task: "task-001" }],
    ["a reset", { type: "task.reset", tasks: ["task-001"] }],
  ] as const)("%s of a person lets it go on", (_, word) => {
    const scene = stale();
    scene.send(word);
    scene.start();
    expect([scene.ends(), scene.state.working.size]).toEqual([["limit"], 1]);
  });

  test("a task that an agent proposed is no word of a person", () => {
    const scene = stale();
    scene.send({ type: "task.add", task: { title: "more", validation, extra: { proposed_by: "task-002" } } });
    scene.start();
    expect(scene.ends()).toEqual(["limit", "limit"]);
  });

  test("a paused mission is resumed as ever, and one that is not and goes on well has nothing to resume", () => {
    const scene = new Scene(many(2));
    expect(scene.send({ type: "mission.resume", by: "me" })[0]?.type).toBe("input.refused");
  });

  test("what is under way is taken over and brought to its end before the run ends", () => {
    const scene = new Scene(many(6));
    scene.start(2);
    for (const number of [1, 2, 3, 4]) collideForGood(scene, id(number));
    scene.open(id(5));
    scene.start(2);
    expect(scene.ends()).toEqual(["lost"]);
    scene.answer(id(5), { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" });
    scene.archive(id(5));
    expect(scene.ends()).toEqual(["lost", "limit"]);
  });
});

test("B3: agents that were lost before they did anything, and work that a person called off, belong to no round", () => {
  const scene = new Scene(many(3), { maxSessions: 50 });
  for (let time = 1; time <= 6; time++) {
    scene.start();
    if (time > 1) {
      scene.answer(id(1), { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" });
      scene.archive(id(1));
    }
    scene.open(id(1));
  }
  expect([scene.state.rounds.count, scene.state.tasks.get(id(1))?.interruptions]).toEqual([0, 5]);
});

test("B1, B3: max_rounds counts those that are over and those under way, on any number of lanes, over restarts", () => {
  for (const lanes of [1, 2, 3]) {
    const scene = new Scene(many(20), { maxRounds: 2 });
    scene.start(lanes);
    for (let task = 1; task <= 2 * lanes; task++) {
      expect(scene.ends().includes("limit")).toBe(false);
      scene.complete(id(task));
    }
    scene.start(lanes);
    expect(details(scene)).toEqual([
      ["limit", "the mission has had its 2 rounds (limits.maxRounds)"],
      ["limit", "the mission has had its 2 rounds (limits.maxRounds)"],
    ]);
    expect([scene.all("task.claimed").length, scene.state.counts.completed]).toEqual([2 * lanes, 2 * lanes]);
    expect(scene.send({ type: "mission.resume", by: "me" })[0]?.type).toBe("input.refused");
  }
});

test("B1, B3: what a run with more lanes settled is part of the round that one with fewer goes on with, and ends with its next", () => {
  const scene = new Scene(many(2), { maxRounds: 1 });
  scene.start(3);
  for (const number of [1, 2]) scene.complete(id(number));
  expect([scene.ends(), scene.state.rounds]).toMatchObject([["completed"], { count: 0, settled: 2 }]);
  for (const title of ["third", "fourth"]) scene.send({ type: "task.add", task: { title, validation } });
  scene.start(1);
  expect([...scene.state.working]).toEqual([id(3)]);
  scene.complete(id(3));
  expect([scene.ends(), scene.state.rounds]).toMatchObject([["completed", "limit"], { count: 1, settled: 0 }]);
});

test("B3: a mission that is done, held or has nothing ready ends as it always does, whatever its rounds were", () => {
  const scene = new Scene(many(2));
  scene.start();
  for (const number of [1, 2]) collideForGood(scene, id(number));
  expect(scene.ends()).toEqual(["waiting"]);
});

test("B3: what ended its run – an environment that is broken – belongs to no round: whoever mended it needs no other word", () => {
  const scene = new Scene(many(4));
  for (const _ of [1, 2, 3]) {
    scene.start();
    scene.answer(id(1), { kind: "failed", failure: { kind: "env_setup", message: "no disk" } });
  }
  expect([scene.ends(), scene.state.rounds.count]).toEqual([["environment", "environment", "environment"], 0]);
  scene.start();
  expect(scene.state.working.size).toBe(1);
});
