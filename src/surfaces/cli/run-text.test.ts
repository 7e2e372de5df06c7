import { expect, test } from "vitest";
import type { StatusView, TaskLine } from "../../protocol/view.ts";
import { endText, introText } from "./run-text.ts";

const agent = { use: "command", options: { command: "sh agent.sh" } };
const intro = { agent, branch: "harness/mission-x", lanes: 2, todo: 3, total: 4, uncommitted: [], notes: [] };

test("before it starts a run says who works where, on how much", () => {
  expect(introText(intro).split("\n")).toEqual([
    "agent    command: sh agent.sh",
    "sandbox  none: the agent has all your rights on this machine",
    "branch   harness/mission-x",
    "lanes    2",
    "tasks    3 to do, 4 in the plan",
  ]);
});

test("uncommitted files are named, the first five of them", () => {
  const note = (uncommitted: readonly string[]) =>
    introText({ ...intro, uncommitted })
      .split("\n")
      .at(-1);
  expect(note(["a"])).toBe("note     1 uncommitted file is not included: a (commit it to include it)");
  expect(note(["a", "b", "c", "d", "e", "f"])).toBe(
    "note     6 uncommitted files are not included: a, b, c, d, e, … (commit them to include them)",
  );
});

test("CFG: what will not be heeded is said, a line each", () => {
  const notes = ["configured, but without effect yet: maxCostUsd", "a\nb"];
  expect(
    introText({ ...intro, notes })
      .split("\n")
      .slice(-2),
  ).toEqual(["note     configured, but without effect yet: maxCostUsd", "note     a\\nb"]);
});

const line = {
  kind: "task",
  phase: null,
  title: "",
  stage: null,
  lane: null,
  maxAttempts: 3,
  since: null,
  commit: null,
} as const;
const tasks: readonly TaskLine[] = [
  { ...line, id: "a", status: "completed", attempts: 1, lastError: null },
  { ...line, id: "b", status: "failed", attempts: 3, lastError: "[TEST_FAIL] red" },
  { ...line, id: "c", status: "blocked", attempts: 0, lastError: "[DEPENDENCY] Blocked by failed b" },
];
const view: StatusView = {
  mission: { id: "m", branch: "harness/mission-x", state: "idle" },
  stats: { total: 3, completed: 1, failed: 1, pending: 0, blocked: 1, inProgress: 0, attempts: 4, checkpoints: 0 },
  sessions: 1,
  lastSessionAt: null,
  lanes: 0,
  waitingFor: [],
  tasks: [...tasks],
};

test("at its end a run says what came out, why tasks failed, and what to do next", () => {
  const ended = { reason: "failed", detail: "1 failed, 1 blocked", view, faults: [], withStats: true } as const;
  expect(endText(ended).split("\n")).toEqual([
    "STATS tasks_total=3 completed=1 failed=1 pending=0 blocked=1 attempts_total=4 checkpoints=0",
    "ended: some tasks failed for good – 1 failed, 1 blocked",
    "  b failed: [TEST_FAIL] red (3/3)",
    "  c blocked: [DEPENDENCY] Blocked by failed b (0/3)",
    "  next: `harness rescue list` shows the work of attempts that failed",
    "1 finished task is on branch harness/mission-x:",
    "  git log harness/mission-x      to look at it",
    "  git merge harness/mission-x    to take it into your branch",
  ]);
});

test("what stopped the run comes with its remedy", () => {
  const faults = [{ kind: "usage", message: "no validation", remedy: "add one" }] as const;
  const none = { ...view, tasks: [], stats: { ...view.stats, completed: 0 } };
  expect(
    endText({ reason: "environment", detail: "no validation", view: none, faults, withStats: false }).split("\n"),
  ).toEqual([
    "ended: the set-up must be mended first – no validation",
    "  next: add one",
    "  next: `harness run` with the same flags continues where this run stopped",
  ]);
});
