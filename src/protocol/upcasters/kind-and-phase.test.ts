import { expect, test } from "vitest";
import { decodeEvent, encodeEvent } from "../upgrade.ts";

const old = {
  id: "a",
  title: "A",
  description: "",
  priority: "P1",
  dependsOn: [],
  validation: null,
  maxAttempts: 3,
  cleanup: null,
};
const decoded = (type: string, body: unknown): unknown =>
  decodeEvent({ at: 1, type, v: 1, body: JSON.stringify(body) });

test.for(["task.added", "task.edited"])("PR-21: an old %s is a task without a phase", (type) => {
  expect(decoded(type, { spec: { ...old, extra: { team: "x" } } })).toEqual({
    type,
    at: 1,
    spec: { ...old, kind: "task", phase: null, extra: { team: "x" } },
  });
});

test("PR-21: what an old task file said of kind and phase is understood now, and other words stay where they were", () => {
  const lifted = (extra: Record<string, unknown>): unknown => {
    const event = decoded("task.added", { spec: { ...old, extra } }) as { spec: Record<string, unknown> };
    return [event.spec.kind, event.spec.phase, event.spec.extra];
  };
  expect(lifted({ kind: "feature", phase: " build ", note: 1 })).toEqual(["feature", "build", { note: 1 }]);
  expect(lifted({ kind: "epic", phase: 7 })).toEqual(["task", null, { kind: "epic", phase: 7 }]);
  expect(lifted({ kind: null, phase: "UI/UX" })).toEqual(["task", null, { kind: null, phase: "UI/UX" }]);
});

test("PR-21: an old adopted task had no interruptions", () => {
  const found = { status: "pending", attempts: 0, errorLog: [], checkpoints: [] };
  const moments = { startedAtCommit: null, completedAt: null, failedAt: null };
  const event = decoded("task.adopted", { task: { ...found, ...moments, spec: { ...old, extra: {} } } });
  const spec = { ...old, kind: "task", phase: null, extra: {} } as const;
  const whole = { type: "task.adopted", task: { ...found, ...moments, interruptions: 0, spec } } as const;
  expect(event).toEqual({ ...whole, at: 1 });
  // What is written today is read as it is.
  expect(decodeEvent(encodeEvent(event as Parameters<typeof encodeEvent>[0], 1))).toEqual(event);
});
