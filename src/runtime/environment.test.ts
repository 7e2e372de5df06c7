import { expect, test } from "vitest";
import type { Effect } from "../protocol/effect.ts";
import { environmentFor } from "./environment.ts";

const effect = (kind: Effect["kind"]): Effect =>
  ({ kind, id: "task-001/1/1/x", task: "task-001", lane: 2, fence: 7 }) as unknown as Effect;
/** Of a harness that was itself started by an agent of another mission, from a git hook. */
const outer = {
  PATH: "/bin",
  GIT_DIR: "/user/.git",
  PWD: "/user",
  HARNESS_STATE_ROOT: "/outer",
  HARNESS_LANE: "0",
  HARNESS_TASK_ID: "outer-1",
  HARNESS_FENCE: "1",
  HARNESS_PROCESS: "outer",
};

test("F1: an agent is told its root, lane, task and fence, and nothing of an outer mission", () => {
  expect(environmentFor(effect("agent.run"), outer, "/root")).toEqual({
    PATH: "/bin",
    HARNESS_PROCESS: "task-001/1/1/x",
    HARNESS_STATE_ROOT: "/root",
    HARNESS_LANE: "2",
    HARNESS_TASK_ID: "task-001",
    HARNESS_FENCE: "7",
  });
});

test.each(["gate.check", "session.prepare", "cleanup.run"] as const)(
  "F1: %s is told none of it, so that a project that uses Harness itself is safe",
  (kind) => {
    expect(environmentFor(effect(kind), outer, "/root")).toEqual({ PATH: "/bin", HARNESS_PROCESS: "task-001/1/1/x" });
  },
);
