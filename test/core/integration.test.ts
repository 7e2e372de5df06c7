import { expect, test } from "vitest";
import { commitMessage } from "../../src/core/commit-message.ts";
import { workToDrop } from "../../src/core/decide/drop.ts";
import { logLine } from "../../src/core/views/log-line.ts";
import { statusView } from "../../src/core/views/status.ts";
import type { AttemptEffect } from "../../src/protocol/effect.ts";
import { commitOf, Scene, validation } from "./scene.ts";

const accepted = (...tasks: string[]) => ({
  how: "merge" as const,
  branch: "main",
  commit: commitOf("b"),
  tasks,
});
const dirty = { kind: "usage", message: "main stays as it is: its checkout has changes" } as const;

test("G5: accepted work is recorded once for each task, and only of tasks that are completed", () => {
  const scene = new Scene([{}, {}, {}]);
  scene.start();
  scene.complete("task-001");
  scene.complete("task-002");
  expect(scene.send({ type: "work.accept", accepted: accepted("task-001", "task-003") })).toEqual([
    { type: "work.accepted", ...accepted("task-001") },
  ]);
  expect(scene.send({ type: "work.accept", accepted: accepted("task-001") })).toEqual([]);
  expect(scene.send({ type: "work.accept", accepted: accepted("task-001", "task-002") })).toEqual([
    { type: "work.accepted", ...accepted("task-002") },
  ]);
  expect(statusView(scene.state)?.finished).toEqual({ accepted: 2, waiting: 0 });
});

test("G5: only finished work of ours that nobody has or builds on can be dropped", () => {
  const scene = new Scene([{}, { dependsOn: ["task-001"] }, {}, {}]);
  scene.start(4);
  for (const task of ["task-001", "task-003", "task-004"]) scene.complete(task);
  scene.send({ type: "work.accept", accepted: accepted("task-003") });
  const why = ["task-001", "task-002", "task-003", "task-004", "task-009"].map((id) => {
    const work = workToDrop(scene.state, id);
    return typeof work === "string" ? work : work.message;
  });
  expect(why).toEqual([
    "task-002 depends on task-001",
    "task-002 is in_progress: only finished work can be dropped",
    "the work of task-003 is in your branch already",
    commitOf("a"),
    'there is no task "task-009"',
  ]);
});

test("G5: dropped work is recorded once, waits for nobody, and is not accepted", () => {
  const scene = new Scene([{}, {}]);
  scene.start();
  scene.complete("task-001");
  const drop = { type: "work.drop", task: "task-001", commit: commitOf("d"), by: "user" } as const;
  const dropped = { type: "work.dropped", task: "task-001", commit: commitOf("d"), by: "user" } as const;
  expect(scene.send({ ...drop, task: "task-002" })).toEqual([]);
  expect(scene.send(drop)).toEqual([dropped]);
  expect(scene.send(drop)).toEqual([]);
  expect(scene.send({ type: "work.accept", accepted: accepted("task-001") })).toEqual([]);
  const view = statusView(scene.state);
  expect([view?.finished, view?.tasks.map((task) => task.dropped)]).toEqual([
    { accepted: 0, waiting: 0 },
    [true, false],
  ]);
  expect(logLine({ ...dropped, at: 0 }, { session: 1, titleOf: () => "" })).toContain(
    "WARN [task-001] dropped (commit ddddddd)",
  );
});

test("G5: with integration current the task that is just completed is accepted with it, and what is in the way is told once", () => {
  const scene = new Scene([{}, {}, {}]);
  scene.start();
  const finish = (task: string, outcome: object) => {
    scene.open(task);
    scene.finish(task);
    scene.judge(task, "pass");
    return scene
      .answer(task, { kind: "workspace.merged", commit: commitOf("a"), accepted: outcome as never })
      .map(({ type }) => type)
      .filter((type) => type.startsWith("work.") || type === "task.completed");
  };
  expect(finish("task-001", { failure: dirty })).toEqual(["task.completed", "work.held"]);
  expect(finish("task-002", { failure: dirty })).toEqual(["task.completed"]);
  expect(finish("task-003", accepted("task-001", "task-002", "task-003"))).toEqual(["task.completed", "work.accepted"]);
  expect([statusView(scene.state)?.finished, scene.state.held]).toEqual([{ accepted: 3, waiting: 0 }, false]);
});

test("G5: what came of the user's branch is recorded before the attempt begins, and what was tried is remembered", () => {
  const scene = new Scene([{}, {}]);
  scene.start();
  const open = (task: string, caughtUp: object) =>
    scene
      .answer(task, { kind: "workspace.opened", path: "/w", base: commitOf("0"), caughtUp: caughtUp as never })
      .map(({ type }) => type)
      .slice(0, 3);
  const failure = { kind: "merge_conflict", message: "both changed a.txt" };
  expect(open("task-001", { theirs: commitOf("c"), failure })).toEqual([
    "effect.answered",
    "branch.stayed",
    "attempt.opened",
  ]);
  expect(scene.state.stayedBehind).toBe(commitOf("c"));
  scene.finish("task-001");
  scene.judge("task-001", "pass");
  scene.answer("task-001", { kind: "workspace.merged", commit: commitOf("a") });
  expect(open("task-002", { theirs: commitOf("d"), commit: commitOf("e") })).toEqual([
    "effect.answered",
    "branch.caughtUp",
    "attempt.opened",
  ]);
  expect(scene.state.stayedBehind).toBe(null);
});

test("N1: each of these is a line of the log", () => {
  const context = { session: 1, titleOf: () => "" };
  const lines = [
    { type: "work.accepted", ...accepted("task-001", "task-002"), at: 0 } as const,
    { type: "work.held", failure: dirty, at: 0 } as const,
    { type: "branch.caughtUp", theirs: commitOf("c"), commit: commitOf("d"), at: 0 } as const,
    { type: "branch.stayed", theirs: commitOf("c"), failure: { kind: "test_fail", message: "red" }, at: 0 } as const,
  ].map((event) => logLine(event, context)?.replace("[1970-01-01T00:00:00.000Z] [SESSION-1] ", ""));
  expect(lines).toEqual([
    "WARN accepted into main (commit bbbbbbb): task-001, task-002",
    "WARN finished work waits: main stays as it is: its checkout has changes",
    "WARN mission branch caught up with your branch at ccccccc (commit ddddddd)",
    "WARN your branch at ccccccc was not merged into the mission branch: red",
  ]);
});

test("V3: a candidate names the check that it will have passed, after the quick one where there is one", () => {
  const proofs = [null, "true"].map((quick) => {
    const scene = new Scene([{ validation: { ...validation, quick } }]);
    scene.start();
    scene.open("task-001");
    scene.answer("task-001", { kind: "agent.ended", end: { reason: "finished", message: "" } });
    const named = /^Harness-Proof: (.*)$/m.exec(
      commitMessage(scene.state, scene.pending("task-001"), (text) => text),
    )?.[1];
    scene.answer("task-001", {
      kind: "workspace.committed",
      candidate: { commit: commitOf("a"), parent: commitOf("0") },
    });
    if (quick !== null) scene.judge("task-001", "pass");
    const check: AttemptEffect = scene.pending("task-001");
    return [named === check.id, check.kind === "gate.check" && check.which];
  });
  expect(proofs).toEqual([
    [true, "full"],
    [true, "full"],
  ]);
});
