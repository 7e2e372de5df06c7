import { describe, expect, test } from "vitest";
import type { Event } from "../../src/protocol/event.ts";
import { commitOf, Scene, validation } from "./scene.ts";

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

describe("the mission loop", () => {
  test("A1: a run claims the best task, opens its workspace, and completes the mission", () => {
    const scene = new Scene();
    expect(types(scene.start())).toEqual(["run.started", "session.started", "task.claimed", "effect.requested"]);
    expect(types(scene.complete("task-001"))).toEqual([
      "effect.answered",
      "task.completed",
      "session.ended",
      "run.ended",
    ]);
    expect(scene.ends()).toEqual(["completed"]);
    expect(scene.state.tasks.get("task-001")?.attempts).toBe(1);
  });

  test("K3: priority first, then ids in natural order, and retries after all new work", () => {
    const scene = new Scene([{ id: "task-10" }, { id: "task-2" }, { id: "task-3", priority: "P0" }]);
    scene.start();
    scene.failOnce("task-3");
    for (const next of ["task-2", "task-10", "task-3"]) scene.complete(next);
    expect(scene.all("task.claimed").map(({ task }) => task)).toEqual(["task-3", "task-2", "task-10", "task-3"]);
  });

  test("a task waits for all of its dependencies and for nothing else", () => {
    const scene = new Scene([{ id: "a" }, { id: "b" }, { id: "c", dependsOn: ["a", "b"], priority: "P0" }]);
    scene.start(3);
    expect([...scene.state.working]).toEqual(["a", "b"]);
    scene.complete("a");
    expect([...scene.state.working]).toEqual(["b"]);
    scene.complete("b");
    expect([...scene.state.working]).toEqual(["c"]);
  });

  test("lanes: never more attempts at once than asked for, each in its own slot", () => {
    const scene = new Scene([{}, {}, {}]);
    scene.start(2);
    expect(scene.all("task.claimed").map(({ lane }) => lane)).toEqual([0, 1]);
    scene.complete("task-001");
    expect(scene.all("task.claimed").map(({ lane }) => lane)).toEqual([0, 1, 0]);
  });

  test("K2: what depends on a task that failed for good is blocked at once, to the last descendant", () => {
    const scene = new Scene([
      { id: "a", maxAttempts: 1 },
      { id: "b", dependsOn: ["a"] },
      { id: "c", dependsOn: ["b"] },
      { id: "d" },
    ]);
    scene.start();
    scene.failOnce("a");
    expect(scene.all("task.blocked").map(({ task, by }) => [task, by])).toEqual([
      ["b", "a"],
      ["c", "b"],
    ]);
    scene.complete("d");
    expect(scene.ends()).toEqual(["failed"]);
    expect(scene.state.counts).toEqual({
      pending: 0,
      completed: 1,
      failed: 1,
      blocked: 2,
      attempts: 2,
      checkpoints: 0,
    });
  });

  test("K2: a task added behind a lost cause is blocked from the start", () => {
    const scene = new Scene([{ id: "a", maxAttempts: 1 }]);
    scene.start();
    scene.failOnce("a");
    scene.send({ type: "task.add", task: { id: "late", title: "late", dependsOn: ["a"], validation } });
    expect(scene.statusOf("late")).toBe("blocked");
  });

  test("A3: a task that nothing could judge stops the run before any agent is paid for", () => {
    const scene = new Scene([{}, { validation: null }]);
    scene.start();
    expect(scene.all("task.claimed")).toEqual([]);
    expect(scene.all("run.faulted").map(({ task, failure }) => [task, failure.kind])).toEqual([["task-002", "config"]]);
    expect(scene.ends()).toEqual(["environment"]);
  });

  test("C2: a paused mission finishes what is under way and then holds; resume goes on", () => {
    const scene = new Scene([{}, {}]);
    scene.start();
    scene.send({ type: "mission.pause", by: "me" });
    scene.complete("task-001");
    expect([...scene.state.working]).toEqual([]);
    expect(scene.ends()).toEqual([]);
    scene.send({ type: "mission.resume", by: "me" });
    scene.send({ type: "run.tick", gone: [], run: scene.run });
    expect([...scene.state.working]).toEqual(["task-002"]);
  });

  test("stop: what is under way is finished, nothing new is begun, the run ends as stopped", () => {
    const scene = new Scene([{}, {}]);
    scene.start();
    scene.send({ type: "mission.stop", now: false });
    scene.complete("task-001");
    expect(scene.ends()).toEqual(["stopped"]);
    expect(scene.statusOf("task-002")).toBe("pending");
  });

  test("L1: a second run is refused while the first lives, and takes over when it is gone", () => {
    const scene = new Scene();
    scene.start();
    const refused = scene.start(1, { gone: [] });
    expect(refused).toMatchObject([
      { type: "input.refused", failure: { message: "Another harness session is active (pid=7)" } },
    ]);
    expect(types(scene.start())).toEqual(["run.ended", "run.started", "session.started", "effect.adopted"]);
  });

  test("L1: a stale lock that was replaced is told once, with the lost run's end if it was that run's", () => {
    const reclaimed = (events: readonly Event[]) =>
      events.filter(({ type }) => type === "lock.reclaimed" || type === "run.ended");
    const scene = new Scene();
    expect(reclaimed(scene.start(1, { removedStale: 9 }))).toEqual([{ type: "lock.reclaimed", pid: 9 }]);
    const lost = { type: "run.ended", run: scene.run, reason: "lost", detail: "pid=7" };
    expect(reclaimed(scene.start(1, { removedStale: 7 }))).toEqual([lost]);
    const again = { ...lost, run: scene.run };
    expect(reclaimed(scene.start(1, { removedStale: 9 }))).toEqual([again, { type: "lock.reclaimed", pid: 9 }]);
  });

  test("L1: a stale lock that was replaced is told even when the run is refused then", () => {
    const scene = new Scene();
    const untrusted = { hash: "h", what: ["rm -rf /"] };
    expect(types(scene.start(1, { untrusted, removedStale: 9 }))).toEqual(["input.refused", "lock.reclaimed"]);
    scene.start();
    const refused = scene.start(1, { gone: [], removedStale: 9 });
    expect(types(refused)).toEqual(["input.refused", "lock.reclaimed"]);
  });

  test("L3: a run that has ended answers nothing, also before anybody adopted its work", () => {
    const scene = new Scene();
    scene.start();
    const { run, id, fence } = scene.pending("task-001");
    scene.send({ type: "run.end", run, reason: "interrupted", detail: "" });
    const answer = { kind: "workspace.opened", path: "/w", base: commitOf("0") } as const;
    expect(types(scene.send({ type: "effect.answer", run, id, fence, answer }))).toEqual(["input.refused"]);
    expect(scene.pending("task-001").kind).toBe("workspace.open");
  });

  test("L3: after a takeover the old run's answers are refused and change nothing", () => {
    const scene = new Scene();
    scene.start();
    const old = scene.pending("task-001");
    scene.start();
    expect(scene.pending("task-001").fence).toBeGreaterThan(old.fence);
    const answer = { kind: "workspace.opened", path: "/w", base: commitOf("0") } as const;
    expect(types(scene.send({ type: "effect.answer", run: old.run, id: old.id, fence: old.fence, answer }))).toEqual([
      "input.refused",
    ]);
    expect(types(scene.answer("task-001", answer))).toEqual(["effect.answered", "attempt.opened", "effect.requested"]);
    expect(
      types(scene.send({ type: "effect.answer", run: scene.run, id: old.id, fence: old.fence + 1, answer })),
    ).toEqual(["input.refused"]);
  });

  test("L3: the fence alone decides: the right run with an outdated fence is refused as well", () => {
    const scene = new Scene();
    scene.start();
    const old = scene.pending("task-001");
    scene.start();
    const answer = { kind: "workspace.opened", path: "/w", base: commitOf("0") } as const;
    const { run, id } = scene.pending("task-001");
    expect(types(scene.send({ type: "effect.answer", run, id, fence: old.fence, answer }))).toEqual(["input.refused"]);
    expect(scene.pending("task-001").kind).toBe("workspace.open");
  });

  test("J6: what is refused has no consequences, not even a claim that was due anyway", () => {
    const scene = new Scene([{}, {}]);
    scene.start(1);
    scene.send({ type: "mission.pause", by: "me" });
    scene.complete("task-001");
    scene.send({ type: "mission.resume", by: "me" });
    const answer = { kind: "workspace.opened", path: "/w", base: commitOf("0") } as const;
    const doubled = { run: scene.run, id: "task-001/1/1/workspace.open", fence: 1, answer } as const;
    expect(types(scene.send({ type: "effect.answer", ...doubled }))).toEqual(["input.refused"]);
  });

  test("a run with fewer lanes than a dead one left orphans adopts them one after the other, before it claims", () => {
    const scene = new Scene([{}, {}, {}]);
    scene.start(2);
    scene.start(1);
    expect(scene.all("effect.adopted").map(({ id }) => id)).toEqual(["task-001/1/1/workspace.open"]);
    scene.complete("task-001");
    expect(scene.all("effect.adopted").map(({ id }) => id)).toEqual([
      "task-001/1/1/workspace.open",
      "task-002/1/1/workspace.open",
    ]);
    expect(scene.all("task.claimed")).toHaveLength(2);
  });
});
