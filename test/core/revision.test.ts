import { expect, test } from "vitest";
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import type { Asked } from "../../src/protocol/input.ts";
import { commitOf, Scene, validation } from "./scene.ts";

const lostFirst = (): Scene => {
  const scene = new Scene([
    { id: "a", maxAttempts: 1 },
    { id: "b", dependsOn: ["a"] },
    { id: "c", dependsOn: ["b"] },
  ]);
  scene.start();
  scene.failOnce("a");
  return scene;
};

test("K6: retry gives one attempt more, and what the task blocked is pending again (K2)", () => {
  const scene = lostFirst();
  expect([scene.statusOf("b"), scene.statusOf("c")]).toEqual(["blocked", "blocked"]);
  scene.send({ type: "task.retry", task: "a" });
  expect([scene.statusOf("b"), scene.statusOf("c")]).toEqual(["pending", "pending"]);
  scene.start();
  scene.complete("a");
  expect(scene.state.tasks.get("a")).toMatchObject({ attempts: 2, spec: { maxAttempts: 2 } });
  expect([...scene.state.working]).toEqual(["b"]);
});

test("K6: retry is exact: the extra attempt fails, and the task has failed for good again", () => {
  const scene = lostFirst();
  scene.send({ type: "task.retry", task: "a" });
  scene.start();
  scene.failOnce("a");
  expect(scene.state.tasks.get("a")).toMatchObject({ attempts: 2, phase: { status: "failed", final: true } });
  expect([scene.statusOf("b"), scene.statusOf("c")]).toEqual(["blocked", "blocked"]);
});

test("K6: reset makes failed tasks pending with no attempt used", () => {
  const scene = lostFirst();
  scene.send({ type: "task.reset", tasks: [] });
  expect(scene.state.tasks.get("a")).toMatchObject({ attempts: 0, phase: { status: "pending" } });
  expect([scene.statusOf("b"), scene.statusOf("c")]).toEqual(["pending", "pending"]);
  expect(scene.state.counts).toMatchObject({ pending: 3, attempts: 0 });
});

test("K6: reset of a task in progress fences it off, puts its work away, charges nothing, and frees it", () => {
  const scene = new Scene();
  scene.start();
  scene.open("task-001");
  const old = scene.pending("task-001");
  scene.send({ type: "task.reset", tasks: ["task-001"] });
  expect(scene.pending("task-001").fence).toBeGreaterThan(old.fence);
  const finished = { kind: "agent.ended", end: { reason: "finished", message: "" } } as const;
  const { id, run, fence } = old;
  expect(scene.send({ type: "effect.answer", id, run, fence, answer: finished }).map(({ type }) => type)).toEqual([
    "input.refused",
  ]);
  scene.answer("task-001", { kind: "agent.lost", uncommitted: true, commits: false, tree: "t" });
  expect(scene.pending("task-001").kind).toBe("workspace.archive");
  scene.archive("task-001");
  expect(scene.all("task.reset")).toEqual([{ type: "task.reset", task: "task-001" }]);
  expect(scene.all("task.claimed")).toHaveLength(2);
  expect(scene.state.tasks.get("task-001")).toMatchObject({ attempts: 0, interruptions: 0 });
});

test("K6: a reset that comes too late changes nothing about a task that was merged", () => {
  const scene = new Scene();
  scene.start();
  scene.open("task-001");
  scene.finish("task-001");
  scene.judge("task-001", "pass");
  scene.send({ type: "task.reset", tasks: ["task-001"] });
  scene.answer("task-001", { kind: "workspace.merged", commit: commitOf("a") });
  expect(scene.statusOf("task-001")).toBe("completed");
});

test("F6: an edit changes what is given and keeps the rest; it may block or free the task", () => {
  const scene = lostFirst();
  scene.send({ type: "task.edit", task: "b", change: { title: "new", dependsOn: [] } });
  expect(scene.state.tasks.get("b")).toMatchObject({
    spec: { title: "new", dependsOn: [], validation: { command: "test -f a.txt" } },
  });
  expect([scene.statusOf("b"), scene.statusOf("c")]).toEqual(["pending", "pending"]);
  scene.send({ type: "task.edit", task: "b", change: { dependsOn: ["a"] } });
  expect([scene.statusOf("b"), scene.statusOf("c")]).toEqual(["blocked", "blocked"]);
});

test("K2: a blocked task that is edited to wait for another lost one names that one", () => {
  const scene = new Scene([
    { id: "a", maxAttempts: 1 },
    { id: "x", maxAttempts: 1 },
    { id: "b", dependsOn: ["a"] },
  ]);
  scene.start();
  scene.failOnce("a");
  scene.failOnce("x");
  scene.send({ type: "task.edit", task: "b", change: { dependsOn: ["x"] } });
  expect(scene.state.tasks.get("b")?.phase).toEqual({ status: "blocked", by: "x" });
});

test.each<[Asked, string]>([
  [{ type: "task.edit", task: "no", change: {} }, 'there is no task "no"'],
  [{ type: "task.edit", task: "a", change: { dependsOn: ["c"] } }, "Circular dependency detected: a -> c -> b -> a"],
  [{ type: "task.edit", task: "a", change: { dependsOn: ["x"] } }, '"a" depends on "x", which does not exist'],
  [
    { type: "task.edit", task: "a", change: { title: " " } },
    'task field "title": Too small: expected string to have >=1 characters',
  ],
  [{ type: "task.retry", task: "b" }, '"b" is blocked, not failed'],
  [{ type: "task.reset", tasks: ["b"] }, '"b" is blocked: nothing to reset'],
  [{ type: "task.reset", tasks: ["x"] }, 'there is no task "x"'],
])("refused, with a reason: %j", (asked, message) => {
  expect(lostFirst().send(asked)).toMatchObject([{ type: "input.refused", failure: { message } }]);
});

test("A3: the quick check runs first, the full one only after it passed", () => {
  const scene = new Scene([{ validation: { ...validation, quick: "true" } }]);
  scene.start();
  scene.open("task-001");
  scene.finish("task-001");
  expect(scene.pending("task-001")).toMatchObject({
    kind: "gate.check",
    which: "quick",
    gate: { options: { command: "true" } },
  });
  scene.judge("task-001", "pass");
  expect(scene.pending("task-001")).toMatchObject({
    kind: "gate.check",
    which: "full",
    gate: { options: { command: "test -f a.txt" } },
  });
  scene.judge("task-001", "pass");
  expect(scene.pending("task-001").kind).toBe("workspace.merge");
});

test("A5: the cleanup runs once after the archive, on the base, and its failure changes nothing", () => {
  const scene = new Scene([{ cleanup: "docker compose down", maxAttempts: 1 }]);
  scene.start();
  scene.failOnce("task-001");
  expect(scene.pending("task-001")).toMatchObject({
    kind: "cleanup.run",
    base: commitOf("0"),
    gate: { options: { command: "docker compose down" } },
  });
  scene.answer("task-001", { kind: "command.ended", failure: { kind: "env_setup", message: "no docker" } });
  expect(scene.all("cleanup.ended").map(({ failure }) => failure?.message)).toEqual(["no docker"]);
  expect(scene.ends()).toEqual(["failed"]);
});

test("A3: the second timeout proposes a split, once", () => {
  const scene = new Scene([{ maxAttempts: 3 }]);
  scene.start();
  for (const _ of [1, 2, 3]) {
    scene.open("task-001");
    scene.answer("task-001", {
      kind: "agent.ended",
      end: { reason: "failed", failure: { kind: "timeout", message: "slow" } },
    });
    scene.archive("task-001");
  }
  expect(scene.all("task.splitProposed")).toEqual([{ type: "task.splitProposed", task: "task-001" }]);
});

const prepare = (scene: Scene, failure: null | { kind: "env_setup"; message: string }) => {
  const pending = [...scene.state.pending.values()].find(({ effect }) => effect.kind === "session.prepare");
  if (pending === undefined) throw new Error("nothing asks about the environment");
  const { id, run, fence } = pending.effect;
  return scene.send({ type: "effect.answer", id, run, fence, answer: { kind: "command.ended", failure } });
};
const broken = { kind: "env_setup", message: "no database" } as const;

test("S1: harness-init.sh is asked before a session is counted; healthy, the session begins", () => {
  const scene = new Scene();
  scene.start(1, { initScript: true });
  expect(scene.state.sessions).toBe(0);
  prepare(scene, null);
  expect([scene.state.sessions, ...scene.state.working]).toEqual([1, "task-001"]);
});

test("E: ENV_SETUP is asked about once more, then the run stops: no session used, nothing claimed", () => {
  const scene = new Scene();
  scene.start(1, { initScript: true });
  prepare(scene, broken);
  prepare(scene, broken);
  expect(scene.all("session.checked").map(({ passed, again }) => [passed, again])).toEqual([
    [false, true],
    [false, false],
  ]);
  expect([scene.ends(), scene.state.sessions, scene.all("task.claimed")]).toEqual([["environment"], 0, []]);
});

test("S1: each session asks again, and a run that died while asking is followed by one that adopts the question", () => {
  const scene = new Scene([{}, {}], { maxTasksPerSession: 1 });
  scene.start(1, { initScript: true });
  scene.start(1, { initScript: true });
  expect(scene.all("effect.adopted")).toHaveLength(1);
  prepare(scene, null);
  scene.complete("task-001");
  prepare(scene, null);
  scene.complete("task-002");
  expect(scene.all("session.checked")).toHaveLength(2);
  expect(scene.ends()).toEqual(["lost", "completed"]);
});

test("T: a harness-init.sh that the user made with us is trusted, a changed one is not", () => {
  const scene = new Scene();
  scene.send({ type: "project.trust", hash: "s" });
  expect(scene.state.trustedProject).toBe("s");
});

test("T: what was accepted is taken back for all that came with the project, but not under a run", () => {
  const scene = lostFirst();
  scene.send({ type: "project.trust", hash: "s" });
  scene.send({ type: "trust.revoke", by: "ada" });
  expect(scene.state.trustedProject).toBe(null);
  expect(scene.all("trust.revoked")).toEqual([{ type: "trust.revoked", by: "ada" }]);
  scene.send({ type: "task.retry", task: "a" });
  scene.start();
  scene.send({ type: "trust.revoke", by: "ada" });
  expect(scene.all("trust.revoked")).toHaveLength(1);
});

test("C2: what only the user may say is recorded with who said it", () => {
  const scene = lostFirst();
  scene.send({ type: "approval.ask", name: "q", task: null, question: "?" });
  scene.send({ type: "approval.ask", name: "r", task: null, question: "?" });
  scene.send({ type: "approval.grant", name: "q", by: "ada" });
  scene.send({ type: "approval.deny", name: "r", note: "no", by: "ada" });
  scene.send({ type: "task.edit", task: "a", change: { title: "other" }, by: "ada" });
  scene.send({ type: "task.retry", task: "a", by: "ada" });
  const types = ["approval.granted", "approval.denied", "task.edited", "task.retried"] as const;
  expect(types.flatMap((type) => scene.all(type)).map((event) => ("by" in event ? event.by : null))).toEqual([
    "ada",
    "ada",
    "ada",
    "ada",
  ]);
});

test("A3, K6, PR-23: a task without a validation that was given up and is retried is missed again, also by a snapshot", () => {
  const scene = new Scene([{ validation: null }]);
  scene.send({ type: "approval.ask", name: "why", task: "task-001", question: "?" });
  scene.send({ type: "approval.deny", name: "why", note: "no" });
  scene.send({ type: "task.retry", task: "task-001" });
  const restored = readSnapshot(writeSnapshot(scene.state));
  expect([[...scene.state.unjudged], [...(restored?.unjudged ?? [])]]).toEqual([["task-001"], ["task-001"]]);
  scene.start();
  expect(scene.ends()).toEqual(["environment"]);
});
