import { describe, expect, test } from "vitest";
import { changedRuns } from "../../src/core/views/run-row.ts";
import { Scene } from "./scene.ts";

const loop = { promise: "DONE", maxIterations: 2 };
const told = (dollars: number) => ({
  turns: 1,
  tokens: { input: 10, cached: 0, output: 0 },
  cost: { basis: "reported", usd: dollars } as const,
});

/** A loop whose iterations are used up. */
function stopped(): Scene {
  const scene = new Scene([{ title: "make it work", kind: "feature", loop, maxAttempts: 1 }]);
  scene.start();
  scene.open("task-001");
  for (const dollars of [0.1, 0.2])
    scene.answer("task-001", {
      kind: "agent.ended",
      end: { reason: "unfinished", message: "more", account: told(dollars) },
    });
  scene.answer("task-001", {
    kind: "workspace.committed",
    candidate: { commit: "a".repeat(40), parent: "0".repeat(40) },
  });
  scene.archive("task-001");
  return scene;
}

describe("rule I4: a loop is resumed with its counters", () => {
  test("I4, PR-7: at its limit it is refused unless more is allowed, and the hint says how", () => {
    const scene = stopped();
    expect(scene.ends()).toEqual(["limit"]);
    expect(scene.send({ type: "loop.resume", task: "task-001" })).toEqual([
      expect.objectContaining({
        type: "input.refused",
        failure: {
          kind: "usage",
          message: 'all 2 iterations of "task-001" are used up',
          remedy: "allow more: --max-iterations 4",
        },
      }),
    ]);
  });

  test("I4: with more it goes on with the third of them, the maximum and the promise replaced, and that is recorded", () => {
    const scene = stopped();
    const events = scene.send({ type: "loop.resume", task: "task-001", maxIterations: 3, promise: "ALL DONE" });
    expect(events).toEqual([
      { type: "loop.revised", task: "task-001", loop: { promise: "ALL DONE", maxIterations: 3 } },
      { type: "task.retried", task: "task-001", maxAttempts: 2, iterations: 2 },
    ]);
    scene.start();
    scene.open("task-001");
    expect(scene.pending("task-001")).toMatchObject({ kind: "agent.run", attempt: 2, iteration: 3 });
    scene.answer("task-001", { kind: "agent.ended", end: { reason: "finished", message: "DONE" } });
    expect(scene.all("attempt.failed").at(-1)).toMatchObject({
      failure: { kind: "iterations_used_up", message: "task-001 was not finished in 3 iterations" },
    });
  });

  test("I4: a loop that is done, and a task that is none, are refused with a reason", () => {
    const scene = new Scene([{}, { loop }]);
    const why = (task: string) =>
      scene.send({ type: "loop.resume", task }).map((event) => "failure" in event && event.failure?.message);
    expect([why("task-001"), why("task-9")]).toEqual([['"task-001" is no loop'], ['there is no task "task-9"']]);
    scene.start();
    scene.complete("task-001");
    scene.open("task-002");
    scene.answer("task-002", { kind: "agent.ended", end: { reason: "finished", message: "DONE" } });
    scene.answer("task-002", {
      kind: "workspace.committed",
      candidate: { commit: "a".repeat(40), parent: "0".repeat(40) },
    });
    scene.judge("task-002", "pass");
    scene.answer("task-002", { kind: "workspace.merged", commit: "a".repeat(40) });
    expect(why("task-002")).toEqual(['"task-002" is done']);
  });

  test("I4, PR-7: what is in progress is not cut below what it has used, or is about to", () => {
    const scene = new Scene([{ kind: "feature", loop: { promise: "DONE", maxIterations: 5 } }]);
    scene.start();
    scene.open("task-001");
    scene.answer("task-001", { kind: "agent.ended", end: { reason: "unfinished", message: "more" } });
    const resumed = (maxIterations: number) =>
      scene.send({ type: "loop.resume", task: "task-001", maxIterations }).map(({ type }) => type);
    expect([resumed(2), resumed(3), resumed(3)]).toEqual([["input.refused"], ["loop.revised"], []]);
  });

  test("I4: the row of a run names its loop, the counters of the loop, and what this run used", () => {
    const scene = stopped();
    const [row] = changedRuns(scene.state, scene.all("run.ended"));
    expect(row).toEqual({
      ...{ run: "run-1", startedAt: expect.any(Number), endedAt: expect.any(Number), status: "limit" },
      ...{ lanes: 1, sessions: 1, settled: 1, task: "task-001", objective: "make it work" },
      ...{ maxIterations: 2, promise: "DONE", iterations: 2, nanoUsd: 300_000_000, tokens: 20, unknown: 0 },
    });
  });
});
