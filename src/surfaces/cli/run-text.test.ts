import { expect, test } from "vitest";
import type { StatusView, TaskLine } from "../../protocol/view.ts";
import { endText, introText } from "./run-text.ts";

const agent = { use: "command", options: { command: "sh agent.sh" } };
const sandbox = { use: "none", network: "on", why: "off" } as const;
const resources = { memoryMb: 8_000, processes: 100, openFiles: 1_024, diskFloorMb: 512 };
const intro = {
  agent,
  how: "sh agent.sh",
  facts: { version: null, login: null },
  sandbox,
  branch: "harness/mission-x",
  lanes: 2,
  resources,
  todo: 3,
  total: 4,
  uncommitted: [],
  notes: [],
};

test("before it starts a run says who works where, on how much", () => {
  expect(introText(intro).split("\n")).toEqual([
    "agent    command: sh agent.sh",
    "sandbox  none: the agent has all your rights on this machine (off)",
    "branch   harness/mission-x",
    "lanes    2",
    "limits   each program 8000 MB of memory, 100 processes, 1024 open files; 512 MB of disk stay free",
    "tasks    3 to do, 4 in the plan",
  ]);
});

test("PR-10: it says what the sandbox is, and what that keeps from the agent", () => {
  const boxed = { use: "bubblewrap", network: "off", why: null } as const;
  expect(introText({ ...intro, sandbox: boxed }).split("\n")[1]).toBe(
    "sandbox  bubblewrap: the agent writes its workspace only, your home is hidden, network off",
  );
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

const nothing = { turns: 0, tokens: { input: 0, cached: 0, output: 0 }, usd: 0, unknown: 0, lost: 0, open: 0 };
const line = {
  kind: "task",
  phase: null,
  title: "",
  outputs: [],
  loopPhase: null,
  stage: null,
  lane: null,
  maxAttempts: 3,
  since: null,
  commit: null,
  accepted: false,
  dropped: false,
  used: nothing,
  agent: null,
  notes: [],
} as const;
const tasks: readonly TaskLine[] = [
  { ...line, id: "a", status: "completed", attempts: 1, lastError: null },
  { ...line, id: "b", status: "failed", attempts: 3, lastError: "[TEST_FAIL] red" },
  { ...line, id: "c", status: "blocked", attempts: 0, lastError: "[DEPENDENCY] Blocked by failed b" },
];
const view: StatusView = {
  mission: { id: "m", branch: "harness/mission-x", state: "idle" },
  stats: { total: 3, completed: 1, failed: 1, pending: 0, blocked: 1, inProgress: 0, attempts: 4, checkpoints: 0 },
  used: nothing,
  budget: null,
  forecast: null,
  sessions: 1,
  lastSessionAt: null,
  lanes: 0,
  sandbox: null,
  finished: { accepted: 0, waiting: 1 },
  waits: [],
  roundsOver: null,
  waitingFor: [],
  tasks: [...tasks],
};

test("at its end a run says what came out, why tasks failed, and what to do next", () => {
  const ended = {
    reason: "failed",
    detail: "1 failed, 1 blocked",
    view,
    faults: [],
    withStats: true,
    integration: "branch",
  } as const;
  expect(endText(ended).split("\n")).toEqual([
    "STATS tasks_total=3 completed=1 failed=1 pending=0 blocked=1 attempts_total=4 checkpoints=0",
    "ended: some tasks failed for good – 1 failed, 1 blocked",
    "  b failed: [TEST_FAIL] red (3/3)",
    "  c blocked: [DEPENDENCY] Blocked by failed b (0/3)",
    "  next: `harness rescue list` shows the work of attempts that failed",
    "1 finished task is on branch harness/mission-x:",
    "  git log harness/mission-x    to look at it",
    "  harness accept    to take it into your branch",
  ]);
  const lastLine = (more: Partial<typeof ended>, finished: StatusView["finished"]) =>
    endText({ ...ended, ...more, view: { ...view, finished } })
      .split("\n")
      .at(-1);
  expect([
    lastLine({ integration: "pr" } as never, { accepted: 0, waiting: 2 }),
    lastLine({ integration: "current" } as never, { accepted: 2, waiting: 0 }),
  ]).toEqual(["  harness accept --pr    to push them", "all finished work is in your branch"]);
});

test("B2: at its end a run says what was used, and if that is not all", () => {
  const used = { ...nothing, turns: 3, tokens: { input: 1_000, cached: 400, output: 50 }, usd: 0.0123 };
  const line = (more: object) =>
    endText({
      ...{ reason: "completed", detail: "", faults: [], withStats: false, integration: "branch" },
      view: { ...view, tasks: [], used: { ...used, ...more } },
    }).split("\n")[1];
  expect([line({}), line({ unknown: 1 }), line({ unknown: 2 })]).toEqual([
    "used: 1.4k tokens (400 of them cached), $0.01",
    "used: 1.4k tokens (400 of them cached), $0.01 and what 1 iteration did not tell",
    "used: 1.4k tokens (400 of them cached), $0.01 and what 2 iterations did not tell",
  ]);
});

test("what stopped the run comes with its remedy", () => {
  const faults = [{ kind: "usage", message: "no validation", remedy: "add one" }] as const;
  const none = { ...view, finished: { accepted: 0, waiting: 0 }, tasks: [], stats: { ...view.stats, completed: 0 } };
  expect(
    endText({
      reason: "environment",
      detail: "no validation",
      view: none,
      faults,
      withStats: false,
      integration: "branch",
    }).split("\n"),
  ).toEqual([
    "ended: the set-up must be mended first – no validation",
    "  next: add one",
    "  next: `harness run` with the same flags continues where this run stopped",
  ]);
});

test("E: what was found out of the agent beforehand is told with it", () => {
  const facts = { version: "2.1.325", login: "claude.ai" };
  expect(introText({ ...intro, facts }).split("\n")[0]).toBe("agent    command 2.1.325: sh agent.sh, login claude.ai");
});

test("B2: where a subscription pays, it is said what a cost means", () => {
  const facts = { version: "2.1.325", login: "claude.ai", subscription: "max" };
  expect(
    introText({ ...intro, facts })
      .split("\n")
      .filter((line) => line.includes("subscription")),
  ).toEqual([
    "note     your subscription (max) pays: costs are what the same use costs at list prices; tokens, minutes and the limits of your plan are what bounds it",
  ]);
});
