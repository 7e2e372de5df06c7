import { expect, test } from "vitest";
import type { StatusView, TaskLine } from "../../protocol/view.ts";
import type { Paint } from "./paint.ts";
import { type Status, statusLines, statusText } from "./status-text.ts";

const plain: Paint = (_colour, text) => text;
const nothing = { turns: 0, tokens: { input: 0, cached: 0, output: 0 }, usd: 0, unknown: 0, lost: 0, open: 0 };
const line = {
  accepted: false,
  dropped: false,
  stage: null,
  lane: null,
  attempts: 0,
  maxAttempts: 3,
  since: null,
  commit: null,
  lastError: null,
  used: nothing,
  agent: null,
  notes: [],
};
const task = (id: string, status: TaskLine["status"], more: Partial<TaskLine> = {}): TaskLine => ({
  ...line,
  id,
  kind: "task",
  phase: null,
  title: id.toUpperCase(),
  outputs: [],
  loopPhase: null,
  status,
  ...more,
});
const tasks = [
  task("a", "completed", { attempts: 1 }),
  task("b", "failed", { attempts: 3, lastError: "[TEST_FAIL] red" }),
  task("c", "blocked"),
  task("d", "in_progress", { stage: "working", lane: 0 }),
  task("e", "pending"),
];
const stats = { total: 5, completed: 1, failed: 1, pending: 1, blocked: 1, inProgress: 1, attempts: 4, checkpoints: 0 };
const view: StatusView = {
  mission: { id: "m", branch: "harness/m", state: "running" },
  stats,
  used: nothing,
  budget: null,
  forecast: null,
  roundsOver: null,
  sessions: 2,
  lastSessionAt: 0,
  lanes: 1,
  sandbox: "bubblewrap",
  finished: { accepted: 0, waiting: 1 },
  waits: [],
  waitingFor: [{ name: "deploy", question: "now?\n", task: null }],
  tasks,
};
const status: Status = { view, gone: null, log: ["one", "two"] };

test("N3: the status shows counts, sessions, a line per task, what waits, and the log", () => {
  expect(statusText(status, plain).split("\n")).toEqual([
    "mission   m – running on 1 lane",
    "branch    harness/m",
    "sandbox   bubblewrap",
    "sessions  2, the last ended 1970-01-01T00:00:00.000Z",
    "tasks     5: 1 completed, 1 in progress, 1 pending, 1 failed, 1 blocked",
    "[completed] a: A (1/3)",
    "[failed] b: B (3/3)",
    "    [TEST_FAIL] red",
    "[blocked] c: C (0/3)",
    "[in_progress] d: D (0/3) working on lane 0",
    "[pending] e: E (0/3)",
    "waiting for a person – deploy: now?\\n (harness approve deploy)",
    "one",
    "two",
  ]);
});

test("B2: what is known to be used is told of the mission and of each task, and if that is not all", () => {
  const used = { ...nothing, tokens: { input: 1_200_000, cached: 0, output: 0 }, usd: 0.0042, unknown: 1 };
  const tasks = [task("a", "completed", { used: { ...used, unknown: 0 } }), task("b", "pending", { used })];
  const shown = statusText({ ...status, view: { ...view, used, tasks } }, plain).split("\n");
  expect(shown.filter((line) => line.includes("$"))).toEqual([
    "used      1.2M tokens (0 of them cached), $0.0042 and what 1 iteration did not tell",
    "[completed] a: A (0/3) $0.0042",
    "[pending] b: B (0/3) $0.0042 + unknown",
  ]);
  const line = (more: object) =>
    statusText({ ...status, view: { ...view, used: { ...nothing, ...more } } }, plain)
      .split("\n")
      .filter((text) => text.startsWith("used"));
  expect([line({ unknown: 2 }), line({ unknown: 2, lost: 1 })]).toEqual([
    [],
    ["used      unknown: 2 iterations did not tell"],
  ]);
});

test("B3: why nothing more is begun is told", () => {
  const shown = statusText({ ...status, view: { ...view, roundsOver: "2 rounds\nin a row" } }, plain).split("\n");
  expect(shown.filter((line) => line.startsWith("rounds"))).toEqual(["rounds    2 rounds\\nin a row"]);
});

test("a run whose process is gone is not shown as running, and an empty plan says how to begin", () => {
  const empty = { ...view, tasks: [], stats: { ...stats, total: 0 }, waitingFor: [] };
  const shown = statusText({ view: empty, gone: 7, log: [] }, plain).split("\n");
  expect([shown[0], shown.at(-1)]).toEqual([
    "mission   m – its run is gone (pid=7); `harness run` continues it",
    'next      harness add "what to do" --validate "command that checks it"',
  ]);
});

test("G5: finished work that waits is told with the command that takes it, once nothing runs any more", () => {
  const last = (state: "idle" | "running", finished: StatusView["finished"]) =>
    statusText(
      { view: { ...view, mission: { ...view.mission, state }, finished, waitingFor: [] }, gone: null, log: [] },
      plain,
    )
      .split("\n")
      .at(-1);
  expect([
    last("idle", { accepted: 1, waiting: 2 }),
    last("idle", { accepted: 0, waiting: 1 }),
    last("idle", { accepted: 3, waiting: 0 }),
    last("running", { accepted: 0, waiting: 1 }),
  ]).toEqual([
    "next      harness accept – 2 finished tasks are not in your branch yet",
    "next      harness accept – 1 finished task is not in your branch yet",
    "[pending] e: E (0/3)",
    "[pending] e: E (0/3)",
  ]);
  const accepted = task("a", "completed", { attempts: 1, accepted: true });
  expect(statusText({ ...status, view: { ...view, tasks: [accepted] } }, plain)).toContain(
    "[completed] a: A (1/3) accepted\n",
  );
});

test("a low terminal keeps head and log, and leaves out finished tasks first, waiting ones next", () => {
  const middle = (rows: number) => statusLines(status, rows).slice(5, -3);
  expect(statusLines(status, 13)).toHaveLength(13);
  expect(middle(12)).toEqual([
    "[failed] b: B (3/3)",
    "[blocked] c: C (0/3)",
    "[in_progress] d: D (0/3) working on lane 0",
    "… and 2 more (harness tasks)",
  ]);
  expect(middle(1)).toEqual(["… and 5 more (harness tasks)"]);
});

test("E: an agent that cannot serve is named with its wake time", () => {
  const wait = { agent: "claude-code", kind: "network", message: "no\nroute", until: 60_000 } as const;
  const lines = statusText({ ...status, view: { ...view, waits: [wait] } }, plain).split("\n");
  expect(lines.filter((line) => line.startsWith("agent"))).toEqual([
    "agent     waiting until 1970-01-01T00:01:00.000Z for claude-code (no connection): no\\nroute",
  ]);
});
