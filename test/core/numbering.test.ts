// Ids that the core chooses, and how often a task of each kind is tried.
import { expect, test } from "vitest";
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import { AdoptedTask } from "../../src/protocol/adopted.ts";
import type { Event } from "../../src/protocol/event.ts";
import type { TaskRequest } from "../../src/protocol/input.ts";
import { Limits } from "../../src/protocol/task.ts";
import { Scene } from "./scene.ts";

const added = (scene: Scene, task: Partial<TaskRequest>): string => {
  const [event] = scene.send({ type: "task.add", task: { title: "t", ...task } });
  return event?.type === "task.added" ? event.spec.id : refusal(event);
};
const refusal = (event: Event | undefined): string =>
  event?.type === "input.refused" ? `${event.failure.message} → ${event.failure.remedy ?? ""}` : "no answer";

function adopt(scene: Scene, found: readonly { id: string; interruptions?: number }[]): void {
  const never = { startedAtCommit: null, completedAt: null, failedAt: null };
  const tasks = found.map(({ id, ...counted }) =>
    AdoptedTask.parse({
      ...{ spec: { id, title: id }, status: "pending", attempts: 0, errorLog: [], checkpoints: [] },
      ...never,
      ...counted,
    }),
  );
  const counts = { maxSessions: 9, maxTasksPerSession: 9, sessions: 0, createdAt: 1, lastSessionAt: null };
  const plan = { ...counts, concurrencyMode: "exclusive", tasks, extra: {}, warnings: [] } as const;
  const place = { mission: "m", branch: "harness/m", root: "/p", limits: Limits.parse({}) };
  scene.send({ type: "plan.adopt", source: "f", plan, ...place });
}

test("K5, D1: an id begins with its phase, and counts on from the highest of that beginning", () => {
  const scene = new Scene([]);
  const phases = ["architecture", "uiux", "engineering", "qa", "docs", "Engineering", undefined, null, "constructor"];
  expect(phases.map((phase) => added(scene, phase === undefined ? {} : { phase }))).toEqual([
    "arch-001",
    "uiux-001",
    "eng-001",
    "qa-001",
    "docs-001",
    "eng-002",
    "task-001",
    "task-002",
    "constructor-001",
  ]);
  for (const id of ["eng-7", "eng-fix-40", "eng-0009", "qa-x", "task-1200"]) added(scene, { id });
  expect([added(scene, { phase: " engineering " }), added(scene, { phase: "qa" }), added(scene, {})]).toEqual([
    "eng-010",
    "qa-002",
    "task-1201",
  ]);
  expect(added(scene, { phase: "eng-fix" })).toBe("eng-fix-041");
  expect(scene.state.tasks.get("eng-010")?.spec.phase).toBe("engineering");
});

test("K5: the highest numbers are found again in an adopted plan and in a snapshot", () => {
  const scene = new Scene([]);
  const ids = ["eng-12", "eng-3", "F-009", "F-FIX-002", "qa-1"];
  adopt(
    scene,
    ids.map((id) => ({ id })),
  );
  const numbers = { "eng-": 12, "F-": 9, "F-FIX-": 2, "qa-": 1 };
  expect(Object.fromEntries(scene.state.numbers)).toEqual(numbers);
  const restored = readSnapshot(writeSnapshot(scene.state));
  expect(Object.fromEntries(restored?.numbers ?? [])).toEqual(numbers);
  expect(added(scene, { phase: "engineering" })).toBe("eng-013");
});

test("K5: a phase that is no word, or leaves no room for a number, is refused with what to do", () => {
  const scene = new Scene([]);
  const rule = "must be 1–64 letters, digits or '-', starting with a letter";
  for (const phase of ["", "ui ux", "1st", "-x", "a/b", "x".repeat(65), "a\nb"]) {
    expect(added(scene, { phase })).toBe(`task field "phase": ${rule} → `);
  }
  expect(added(scene, { phase: "x".repeat(61) })).toMatch(/^task field "id": .* → give it an id of its own/);
  expect(added(scene, { phase: "x".repeat(64), id: "short" })).toBe("short");
  expect([...scene.state.tasks.keys()]).toEqual(["short"]);
});

test("A1: a feature is tried five times, a task or fix three times, unless it says otherwise", () => {
  const scene = new Scene([{}, { kind: "feature" }, { kind: "fix" }, { kind: "feature", maxAttempts: 1 }]);
  expect([...scene.state.tasks.values()].map(({ spec }) => [spec.kind, spec.maxAttempts])).toEqual([
    ["task", 3],
    ["feature", 5],
    ["fix", 3],
    ["feature", 1],
  ]);
});

test("A1: a feature has failed for good after its fifth attempt", () => {
  const scene = new Scene([{ kind: "feature" }]);
  scene.start();
  for (let attempt = 1; attempt <= 4; attempt++) scene.failOnce("task-001");
  expect(scene.state.tasks.get("task-001")).toMatchObject({ attempts: 4, phase: { status: "in_progress" } });
  scene.failOnce("task-001");
  expect(scene.state.tasks.get("task-001")).toMatchObject({ attempts: 5, phase: { status: "failed", final: true } });
  expect(scene.ends()).toEqual(["failed"]);
});

test("F6: kind and phase of a task that is not under way can be changed; its id and attempts stay", () => {
  const scene = new Scene([{}, {}]);
  scene.send({ type: "task.edit", task: "task-002", change: { kind: "feature", phase: "qa" } });
  expect(scene.state.tasks.get("task-002")?.spec).toMatchObject({ id: "task-002", kind: "feature", maxAttempts: 3 });
  scene.start();
  const [refused] = scene.send({ type: "task.edit", task: "task-001", change: { phase: "qa" } });
  expect(refusal(refused)).toContain("is in_progress");
  expect([...scene.state.tasks.values()].map(({ spec }) => spec.phase)).toEqual([null, "qa"]);
});

test("V1: interruptions that came with an adopted plan go on being counted", () => {
  const scene = new Scene([]);
  adopt(scene, [{ id: "a", interruptions: 4 }, { id: "b" }]);
  expect([...scene.state.tasks.values()].map(({ interruptions }) => interruptions)).toEqual([4, 0]);
});
