import { describe, expect, test } from "vitest";
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import { statusView } from "../../src/core/views/status.ts";
import { longestMs, marginMs, patience } from "../../src/core/waiting.ts";
import type { AttemptEffect } from "../../src/protocol/effect.ts";
import { outsideRunId } from "../../src/protocol/ids.ts";
import { WaitKind } from "../../src/protocol/wait.ts";
import { Scene } from "./scene.ts";

const hour = 3_600_000;

/** What a task waits for, without who is to see to it. */
function waitOf(scene: Scene, task: string): Partial<AttemptEffect> {
  const { id, fence, run, lane, attempt, task: _, ...wait } = scene.pending(task);
  return wait;
}

function working(tasks: number, lanes: number): Scene {
  const scene = new Scene(Array.from({ length: tasks }, () => ({})));
  scene.start(lanes);
  for (let task = 1; task <= Math.min(tasks, lanes); task++) scene.open(`task-00${task}`);
  return scene;
}

describe("rule E: a usage limit of the provider", () => {
  test("E: it is waited for until the moment the provider names and a margin, and no attempt is charged", () => {
    const scene = working(1, 1);
    const until = scene.at + 2 * hour;
    const events = scene.delay("task-001", "usage_limit", until);
    const delayMs = until + marginMs - scene.at;
    const wait = { agent: "", until: until + marginMs, delayMs };
    expect(events.map(({ type }) => type)).toEqual([
      "effect.answered",
      "iteration.ended",
      "wait.started",
      "effect.requested",
    ]);
    expect(scene.all("wait.started")).toEqual([
      { type: "wait.started", ...wait, kind: "usage_limit", message: "not now", times: 1, waitedMs: delayMs },
    ]);
    expect(waitOf(scene, "task-001")).toEqual({ kind: "agent.wait", ...wait });
    expect(scene.state.tasks.get("task-001")).toMatchObject({ attempts: 0, interruptions: 0, failures: [] });
    expect(statusView(scene.state)?.waits).toEqual([
      { agent: "", kind: "usage_limit", message: "not now", until: until + marginMs },
    ]);
  });

  test("E: a wait that would end in quiet hours ends with them, which are not held against patience", () => {
    const scene = working(1, 1);
    const { at } = scene;
    const until = at + 2 * hour;
    const quiet = [
      { from: at - hour, to: at + hour },
      { from: at + hour, to: at + 5 * hour },
      { from: at + 5 * hour, to: at + 6 * hour },
      { from: at + 7 * hour, to: at + 8 * hour },
    ];
    scene.delay("task-001", "usage_limit", until, { quiet });
    expect(scene.all("wait.started")).toMatchObject([
      { until: at + 6 * hour, delayMs: at + 6 * hour - scene.at, quiet: true, waitedMs: until + marginMs - scene.at },
    ]);
    expect(statusView(scene.state)?.waits).toMatchObject([{ until: at + 6 * hour, quiet: true }]);
  });

  test("E: a wait that ends before quiet hours, or after them, is as long as ever", () => {
    const scene = working(2, 2);
    const quiet = [{ from: scene.at, to: scene.at + hour }];
    scene.delay("task-001", "usage_limit", scene.at + 2 * hour, { quiet });
    const before = scene.all("wait.started").at(-1);
    expect(before).not.toHaveProperty("quiet");
    // Another lane learns of a later moment, which lies in them.
    const later = [{ from: scene.at + 2.5 * hour, to: scene.at + 4 * hour }];
    scene.delay("task-002", "usage_limit", scene.at + 3 * hour, { quiet: later });
    const after = scene.all("wait.started").at(-1);
    const added = (after?.until ?? 0) - (before?.until ?? 0);
    expect([after?.quiet, after?.until, after?.delayMs]).toEqual([true, later[0]?.to, (before?.delayMs ?? 0) + added]);
  });

  test("E, I3: then the same attempt goes on in the same workspace, with an iteration that is not counted", () => {
    const scene = new Scene([{ maxAttempts: 1 }], { maxIterations: 1 });
    scene.start();
    scene.open("task-001");
    scene.delay("task-001");
    scene.waited("task-001");
    expect(waitOf(scene, "task-001")).toMatchObject({ kind: "agent.run", iteration: 2, path: "/w/task-001" });
    expect(statusView(scene.state)?.waits).toEqual([]);
    scene.answer("task-001", { kind: "agent.ended", end: { reason: "unfinished", message: "more" } });
    expect(scene.all("attempt.failed").map(({ failure }) => failure.kind)).toEqual(["iterations_used_up"]);
    expect(scene.all("task.claimed")).toHaveLength(1);
  });

  test("E: nobody says until when, or says a moment that is over: steps that double up to five hours", () => {
    const scene = working(1, 1);
    const minutes: number[] = [];
    for (let time = 1; time <= 8; time++) {
      scene.delay("task-001", "usage_limit", time % 2 === 0 ? scene.at - 1 : null);
      minutes.push((scene.all("wait.started").at(-1)?.delayMs ?? 0) / 60_000);
      scene.waited("task-001");
    }
    expect(minutes).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
  });

  test("E: a moment that no window reaches is asked about again after eight days", () => {
    const scene = working(1, 1);
    scene.delay("task-001", "usage_limit", scene.at + 400 * 24 * hour);
    expect(scene.all("wait.started").map(({ delayMs }) => delayMs)).toEqual([longestMs]);
  });

  test("E: it is one limit for all lanes: who is at its agent joins, who would start one waits, nobody claims", () => {
    const scene = working(4, 3);
    const until = scene.at + hour;
    scene.delay("task-001", "usage_limit", until);
    scene.delay("task-002", "usage_limit", until - 1_000);
    scene.answer("task-003", { kind: "agent.ended", end: { reason: "unfinished", message: "more" } });
    const waits = ["task-001", "task-002", "task-003"].map((task) => waitOf(scene, task));
    expect(new Set(waits.map((wait) => JSON.stringify(wait))).size).toBe(1);
    expect(scene.all("wait.started")).toHaveLength(1);
    expect(scene.statusOf("task-004")).toBe("pending");
  });

  test("E: what is judged and merged goes on meanwhile; a run that carries nothing takes one task to wait with", () => {
    const scene = new Scene([{}, {}, {}]);
    scene.start(2);
    scene.open("task-001");
    scene.open("task-002");
    scene.finish("task-002");
    scene.delay("task-001");
    scene.judge("task-002", "pass");
    scene.answer("task-002", { kind: "workspace.merged", commit: "a".repeat(40) });
    expect([scene.statusOf("task-002"), scene.statusOf("task-003")]).toEqual(["completed", "pending"]);
    scene.send({ type: "task.reset", tasks: ["task-001"] });
    scene.waited("task-001");
    scene.archive("task-001");
    expect(scene.statusOf("task-001")).toBe("in_progress");
    expect(scene.statusOf("task-003")).toBe("pending");
    scene.open("task-001");
    expect(waitOf(scene, "task-001")).toMatchObject({ kind: "agent.wait" });
    scene.waited("task-001");
    expect(scene.statusOf("task-003")).toBe("in_progress");
  });

  test("E: a lane that learns of a later moment makes all wait for that one", () => {
    const scene = working(2, 2);
    const until = scene.at + hour;
    scene.delay("task-001", "usage_limit", until);
    scene.delay("task-002", "usage_limit", until + 1_000);
    expect(scene.all("wait.started").map((wait) => [wait.until, wait.times])).toEqual([
      [until + marginMs, 1],
      [until + 1_000 + marginMs, 1],
    ]);
    scene.waited("task-001");
    expect(waitOf(scene, "task-001")).toMatchObject({ kind: "agent.wait", until: until + 1_000 + marginMs });
    scene.waited("task-002");
    expect(scene.all("wait.ended")).toHaveLength(1);
    scene.waited("task-001");
    expect(["task-001", "task-002"].map((task) => scene.pending(task).kind)).toEqual(["agent.run", "agent.run"]);
    expect(scene.all("wait.ended")).toHaveLength(1);
  });

  test("E, PR-1: after a crash the next run takes the wait over as it was, and nothing is charged", () => {
    const scene = working(2, 1);
    scene.delay("task-001", "usage_limit", scene.at + hour);
    const before = waitOf(scene, "task-001");
    scene.start();
    expect(waitOf(scene, "task-001")).toEqual(before);
    expect(scene.pending("task-001").run).toBe("run-2");
    expect(scene.statusOf("task-002")).toBe("pending");
    scene.waited("task-001");
    expect(scene.pending("task-001").kind).toBe("agent.run");
    expect(scene.state.tasks.get("task-001")).toMatchObject({ attempts: 0, interruptions: 0 });
  });

  test("E: an interrupt while waiting ends the run and is held against nobody", () => {
    const scene = working(1, 1);
    scene.delay("task-001", "usage_limit", scene.at + hour);
    scene.send({ type: "run.end", run: scene.run, reason: "interrupted", detail: "" });
    expect(scene.ends()).toEqual(["interrupted"]);
    expect(scene.all("attempt.interrupted")).toEqual([]);
    expect(scene.pending("task-001").kind).toBe("agent.wait");
  });

  test("C2: a stop does not stay for what only waits, and a wait that ends meanwhile wakes nobody", () => {
    const scene = working(2, 2);
    scene.delay("task-001", "usage_limit", scene.at + hour);
    scene.send({ type: "mission.stop", now: false });
    scene.waited("task-001");
    expect(waitOf(scene, "task-001")).toMatchObject({ kind: "agent.wait" });
    expect(scene.ends()).toEqual([]);
    scene.finish("task-002");
    scene.judge("task-002", "pass");
    scene.answer("task-002", { kind: "workspace.merged", commit: "a".repeat(40) });
    expect(scene.ends()).toEqual(["stopped"]);
    scene.start(2);
    scene.waited("task-001");
    expect(scene.pending("task-001").kind).toBe("agent.run");
  });

  test("S2: a batch ends when only time is left to pass, says until when, and so does the next one", () => {
    const scene = new Scene([{}, {}]);
    scene.start(1, { claims: 1 });
    scene.open("task-001");
    scene.delay("task-001", "usage_limit", 5 * hour);
    const detail = "waiting until 1970-01-01T05:00:10.000Z for the agent (a usage limit)";
    scene.start(1, { claims: 1 });
    expect(scene.all("run.ended").map((end) => [end.reason, end.detail])).toEqual([
      ["batch", detail],
      ["batch", detail],
    ]);
    expect(scene.all("session.started")).toHaveLength(1);
    scene.pass(5 * hour + marginMs);
    scene.start(1, { claims: 1 });
    scene.waited("task-001");
    expect(scene.pending("task-001").kind).toBe("agent.run");
  });

  test("S2: a batch that finds the agent limited and nothing begun uses no session", () => {
    const scene = working(2, 1);
    scene.delay("task-001", "usage_limit", scene.at + hour);
    scene.send({ type: "task.reset", tasks: ["task-001"] });
    scene.waited("task-001");
    scene.send({ type: "mission.stop", now: false });
    scene.archive("task-001");
    expect(scene.ends()).toEqual(["stopped"]);
    scene.start(1, { claims: 1 });
    expect(scene.ends()).toEqual(["stopped", "batch"]);
    expect(scene.all("session.started")).toHaveLength(1);
    expect(scene.all("task.claimed")).toHaveLength(1);
  });

  test("E: another agent does not wait for this one, nor does an outside worker", () => {
    const scene = new Scene([{}, {}]);
    scene.start(1, { agent: "first" });
    scene.open("task-001");
    scene.delay("task-001", "usage_limit", scene.at + hour);
    scene.start(1, { agent: "second" });
    scene.waited("task-001");
    expect(scene.pending("task-001").kind).toBe("agent.run");
    expect(scene.state.waits.get("first")).toMatchObject({ on: true });
    const other = new Scene([{}]);
    other.start(1, { agent: "first" });
    other.open("task-001");
    other.delay("task-001", "usage_limit", other.at + hour);
    other.start(1, { run: outsideRunId("1"), claims: 1 });
    other.waited("task-001");
    expect(waitOf(other, "task-001")).toMatchObject({ kind: "agent.run", iteration: 2 });
  });

  test("PR-23: a snapshot holds the wait", () => {
    const scene = working(1, 1);
    scene.delay("task-001", "usage_limit", scene.at + hour);
    const restored = readSnapshot(writeSnapshot(scene.state));
    expect(restored?.waits).toEqual(scene.state.waits);
    expect(scene.state.waits.size).toBe(1);
  });
});

describe("rule E: back-off", () => {
  test.for(WaitKind.options)("E, B1: %s is waited for as often as it may be, and not once more", (kind) => {
    const scene = working(1, 1);
    const { times, inAllMs } = patience[kind];
    // The shortest steps there are, so that it is the count that ends it.
    let waits = 0;
    for (; scene.ends().length === 0; waits++) {
      scene.delay("task-001", kind, null, { chance: 0 });
      if (scene.ends().length === 0) scene.waited("task-001");
    }
    expect(scene.all("wait.started").map((wait) => wait.times)).toEqual(Array.from({ length: times }, (_, n) => n + 1));
    expect(waits).toBe(times + 1);
    expect(scene.all("wait.started").at(-1)?.waitedMs).toBeLessThan(inAllMs);
    expect(scene.ends()).toEqual(["environment"]);
    expect(scene.all("run.faulted").map(({ failure }) => [failure.kind, failure.message])).toEqual([
      [kind, expect.stringMatching(`^waited ${times} times in vain, \\d+ minutes in all: not now$`)],
    ]);
    expect(scene.all("run.ended").map(({ detail }) => detail)).toEqual([scene.all("run.faulted")[0]?.failure.message]);
    expect(scene.state.tasks.get("task-001")).toMatchObject({ attempts: 0, interruptions: 0, failures: [] });
  });

  test("E, B1: all waits of a row together last exactly as long as they may", () => {
    const scene = working(1, 1);
    while (scene.ends().length === 0) {
      scene.delay("task-001", "overloaded", null, { chance: 1 });
      if (scene.ends().length === 0) scene.waited("task-001");
    }
    const waits = scene.all("wait.started");
    expect(waits.map(({ delayMs }) => delayMs / 1_000)).toEqual([
      ...[15, 30, 60, 120, 240, 480],
      ...Array.from({ length: 10 }, () => 600),
      255,
    ]);
    expect(waits.at(-1)?.waitedMs).toBe(patience.overloaded.inAllMs);
    expect(scene.ends()).toEqual(["environment"]);
  });

  test("E: the chance that comes with the end shortens a step to half of it at most", () => {
    const delays = [0, 0.5, 1].map((chance) => {
      const scene = working(1, 1);
      scene.delay("task-001", "network", null, { chance });
      return scene.all("wait.started").map(({ delayMs }) => delayMs);
    });
    expect(delays).toEqual([[5_000], [7_500], [10_000]]);
  });

  test("E: who has given up leaves the attempt as it is, and the next run goes on with it at once and counts anew", () => {
    const scene = working(1, 1);
    while (scene.ends().length === 0) {
      scene.delay("task-001", "network");
      if (scene.ends().length === 0) scene.waited("task-001");
    }
    expect(waitOf(scene, "task-001")).toEqual({ kind: "agent.wait", agent: "", until: scene.at, delayMs: 0 });
    scene.start();
    scene.waited("task-001");
    expect(waitOf(scene, "task-001")).toMatchObject({ kind: "agent.run", path: "/w/task-001" });
    scene.delay("task-001", "network");
    expect(scene.all("wait.started").at(-1)).toMatchObject({ times: 1, delayMs: 10_000 });
    expect(scene.all("task.claimed")).toHaveLength(1);
  });

  test("E, B1: neither a crash nor another attempt makes the count begin anew; an agent that serves does", () => {
    const scene = working(1, 1);
    scene.delay("task-001", "network");
    scene.start();
    scene.waited("task-001");
    scene.delay("task-001", "overloaded");
    scene.waited("task-001");
    scene.delay("task-001", "network");
    scene.waited("task-001");
    scene.answer("task-001", { kind: "agent.ended", end: { reason: "unfinished", message: "more" } });
    scene.delay("task-001", "network");
    expect(scene.all("wait.started").map(({ kind, times }) => [kind, times])).toEqual([
      ["network", 1],
      ["overloaded", 1],
      ["network", 2],
      ["network", 1],
    ]);
  });

  test("E: hours that were waited for a limit are not held against a service that is overloaded after them", () => {
    const scene = working(2, 2);
    scene.delay("task-001", "usage_limit", scene.at + 5 * hour);
    scene.waited("task-001");
    scene.delay("task-001", "overloaded");
    scene.delay("task-002", "usage_limit", scene.at + hour);
    expect(scene.all("wait.started").map(({ kind, times, waitedMs }) => [kind, times, waitedMs])).toEqual([
      ["usage_limit", 1, 5 * hour + marginMs - 1],
      ["overloaded", 1, 15_000],
      ["usage_limit", 2, 6 * hour + 2 * marginMs - 2],
    ]);
  });

  test("E: lanes that meet the same trouble at once count once", () => {
    const scene = working(3, 3);
    for (const task of ["task-001", "task-002", "task-003"]) scene.delay(task, "overloaded");
    for (const task of ["task-001", "task-002", "task-003"]) scene.waited(task);
    for (const task of ["task-001", "task-002", "task-003"]) scene.delay(task, "overloaded");
    expect(scene.all("wait.started").map(({ times }) => times)).toEqual([1, 2]);
  });
});
