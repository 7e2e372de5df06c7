import { expect, test } from "vitest";
import { circles, describeCircle } from "../../src/core/circles.ts";
import { untrustedCommands } from "../../src/core/trust.ts";
import type { AdoptedPlan, AdoptedTask } from "../../src/protocol/adopted.ts";
import { Limits, TaskSpec } from "../../src/protocol/task.ts";
import { Scene, validation } from "./scene.ts";

const found = (
  id: string,
  more: Partial<Omit<AdoptedTask, "spec">> & { dependsOn?: string[]; maxAttempts?: number } = {},
): AdoptedTask => {
  const { dependsOn = [], maxAttempts = 3, ...rest } = more;
  return {
    spec: TaskSpec.parse({ id, title: id, dependsOn, maxAttempts, validation }),
    status: "pending",
    attempts: 0,
    interruptions: 0,
    errorLog: [],
    checkpoints: [],
    startedAtCommit: null,
    completedAt: null,
    failedAt: null,
    ...rest,
  };
};

function adopt(tasks: readonly AdoptedTask[], plan: Partial<AdoptedPlan> = {}): Scene {
  const scene = new Scene([]);
  const rest = {
    createdAt: 5,
    concurrencyMode: "exclusive",
    lastSessionAt: 6,
    extra: { team: "x" },
    warnings: [],
  } as const;
  const whole = { ...rest, maxSessions: 7, maxTasksPerSession: 2, sessions: 3, tasks, ...plan };
  const place = { mission: "m", branch: "harness/m", root: "/p", limits: Limits.parse({}) };
  scene.send({ type: "plan.adopt", source: "harness-tasks.json", plan: whole, ...place });
  return scene;
}
const statuses = (scene: Scene) =>
  Object.fromEntries([...scene.state.tasks].map(([id, { phase }]) => [id, phase.status]));
const untrusted = { hash: "h", what: ["test -f a.txt"] };
const trusted = { untrusted, trust: { how: "hash", hash: "h" } } as const;

test("F6: a plan is adopted whole: counts of sessions, limits, attempts and unknown fields go on as they were", () => {
  const scene = adopt([
    found("b", { dependsOn: ["a"] }),
    found("a", { status: "completed", attempts: 1, completedAt: 4 }),
  ]);
  expect(statuses(scene)).toEqual({ a: "completed", b: "pending" });
  expect(scene.state.mission).toMatchObject({
    createdAt: 5,
    extra: { team: "x" },
    limits: { maxSessions: 7, maxTasksPerSession: 2 },
  });
  expect([scene.state.sessions, scene.state.lastSessionAt, scene.state.counts.attempts]).toEqual([3, 6, 1]);
  scene.start(1, trusted);
  expect(scene.all("session.started").map(({ session }) => session)).toEqual([4]);
  expect([...scene.state.working]).toEqual(["b"]);
});

test("F6: a mission that has a plan adopts no other", () => {
  const scene = new Scene();
  const plan = {
    createdAt: null,
    concurrencyMode: "exclusive",
    maxSessions: 1,
    maxTasksPerSession: 1,
    sessions: 0,
    lastSessionAt: null,
    tasks: [found("x")],
    extra: {},
    warnings: [],
  } as const;
  const events = scene.send({
    type: "plan.adopt",
    source: "f",
    plan,
    mission: "m",
    branch: "b",
    root: "/p",
    limits: Limits.parse({}),
  });
  expect(events.map(({ type }) => type)).toEqual(["input.refused"]);
  expect([...scene.state.tasks.keys()]).toEqual(["task-001"]);
});

test("V1: a task adopted in progress shows no progress: it fails, charged, and is tried again while attempts are left", () => {
  const scene = adopt([
    found("a", { status: "in_progress", attempts: 1 }),
    found("b", { status: "in_progress", attempts: 2 }),
  ]);
  expect(statuses(scene)).toEqual({ a: "failed", b: "failed" });
  expect(scene.state.tasks.get("a")).toMatchObject({
    attempts: 2,
    errorLog: ["[SESSION_TIMEOUT] No progress detected"],
    phase: { final: false },
  });
  expect(scene.state.tasks.get("b")).toMatchObject({ attempts: 3, phase: { final: true } });
});

test("K1: every member of a circle fails and names the way round; what depends on it is blocked", () => {
  const scene = adopt([
    found("a", { dependsOn: ["b"] }),
    found("b", { dependsOn: ["a"] }),
    found("self", { dependsOn: ["self"] }),
    found("after", { dependsOn: ["a"] }),
    found("free"),
  ]);
  expect(statuses(scene)).toEqual({ a: "failed", b: "failed", self: "failed", after: "blocked", free: "pending" });
  expect([...scene.state.tasks.values()].flatMap(({ errorLog }) => errorLog)).toEqual([
    "[DEPENDENCY] Circular dependency detected: a -> b -> a",
    "[DEPENDENCY] Circular dependency detected: b -> a -> b",
    "[DEPENDENCY] Circular dependency detected: self -> self",
  ]);
});

test("K1: a circle of 10,000 tasks is found without depth, and its text stays short", () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `t${index}`);
  const graph = new Map(ids.map((id, index) => [id, [ids[(index + 1) % ids.length] ?? ""]]));
  const [circle, ...others] = circles(graph);
  expect([circle?.members.length, others.length]).toEqual([10_000, 0]);
  expect(circle === undefined ? "" : describeCircle(circle, "t5")).toMatch(/^t5 -> t6 -> .*… -> .*t4 -> t5$/);
});

test("K2: what the file says about blocked tasks is found anew, for it may have been mended", () => {
  const blocked = {
    status: "failed",
    attempts: 0,
    errorLog: ["[TEST_FAIL] x", "[DEPENDENCY] Blocked by failed a"],
  } as const;
  const scene = adopt([found("a"), found("b", { dependsOn: ["a"], ...blocked, errorLog: [...blocked.errorLog] })]);
  expect(statuses(scene)).toEqual({ a: "pending", b: "pending" });
  expect(scene.state.tasks.get("b")?.errorLog).toEqual(["[TEST_FAIL] x"]);
});

test("T: commands that came with a plan run only after somebody accepted exactly these", () => {
  const scene = adopt([found("a")]);
  expect(untrustedCommands(scene.state)).toEqual(["test -f a.txt"]);
  for (const trust of [{ how: "none" }, { how: "hash", hash: "other" }] as const) {
    expect(scene.start(1, { untrusted, trust })).toMatchObject([
      { type: "input.refused", failure: { kind: "trust", evidence: "test -f a.txt" } },
    ]);
  }
  scene.start(1, { untrusted, trust: { how: "all" } });
  expect(scene.all("commands.trusted")).toEqual([{ type: "commands.trusted", hash: "h", how: "all", project: null }]);
  expect(untrustedCommands(scene.state)).toEqual([]);
});
