import { expect, test } from "vitest";
import type { TaskLine } from "../../protocol/view.ts";
import { elapsed, type Progress, progressLines } from "./lane-lines.ts";

const nothing = { turns: 0, tokens: { input: 0, cached: 0, output: 0 }, usd: 0, unknown: 0, lost: 0, open: 0 };
const task: TaskLine = {
  id: "task-003",
  kind: "task",
  phase: null,
  title: "Parse it",
  outputs: [],
  loopPhase: null,
  status: "in_progress",
  stage: "validating",
  lane: 0,
  attempts: 1,
  maxAttempts: 3,
  since: 1_000,
  commit: null,
  accepted: false,
  dropped: false,
  lastError: null,
  used: nothing,
  agent: null,
  notes: [],
};
const progress: Progress = {
  now: 13_500,
  lanes: 2,
  working: [task],
  waits: [],
  total: 8,
  completed: 6,
  failed: 0,
  blocked: 0,
  lastWords: new Map(),
  iterations: new Map(),
  doings: new Map(),
  used: nothing,
  stopping: false,
};
const texts = (change: Partial<Progress>) =>
  progressLines({ ...progress, ...change }, (_, text) => text).map(({ text }) => text);

test("I1: of a loop the iteration is told, of how many", () => {
  expect(texts({ iterations: new Map([["task-003", "iteration 2/10"]]) })[0]).toBe(
    "lane 0  task-003  validating  00:12  iteration 2/10  Parse it",
  );
});

test("a line per lane and a bar with the counts", () => {
  expect(texts({})).toEqual([
    "lane 0  task-003  validating  00:12  attempt 2/3  Parse it",
    "lane 1  –",
    "[███████████████░░░░░] 6/8  1 working, 1 waiting",
  ]);
});

test("the agent's last words follow the title, and nothing in them can break the line", () => {
  const title = "two\nlines\u001b[2J";
  expect(texts({ working: [{ ...task, title }], lastWords: new Map([[0, "editing"]]) })[0]).toBe(
    "lane 0  task-003  validating  00:12  attempt 2/3  two\\nlines\\x1b[2J – editing",
  );
});

test("the tool that is being called is told before the last words, in short, while the agent works", () => {
  const call = { tool: "Bash", about: `npm test\u001b[2J ${"x".repeat(90)}` };
  const doings = new Map([["task-003", { task: "task-003", lane: 0, call }]]);
  const lastWords = new Map([[0, "testing"]]);
  expect([
    texts({ doings, lastWords, working: [{ ...task, stage: "working" }] })[0],
    texts({ doings, lastWords })[0],
    texts({ doings: new Map(), working: [{ ...task, stage: "working" }] })[0],
  ]).toEqual([
    `lane 0  task-003  working     00:12  attempt 2/3  Parse it – ▸ Bash npm test\\x1b[2J ${"x".repeat(24)}… – testing`,
    "lane 0  task-003  validating  00:12  attempt 2/3  Parse it – testing",
    "lane 0  task-003  working     00:12  attempt 2/3  Parse it",
  ]);
});

test("B2: the bar has tokens as they come and money as iterations end, and says if that is not all", () => {
  const used = { ...nothing, tokens: { input: 1_000, cached: 0, output: 500 }, usd: 0.12 };
  const live = { task: "task-003", lane: 0, tokens: { input: 1_000, cached: 1, output: 1 } };
  expect([
    texts({ used, doings: new Map([["task-003", live]]) }).at(-1),
    texts({ used: { ...used, unknown: 1 } }).at(-1),
  ]).toEqual([
    "[███████████████░░░░░] 6/8  1 working, 1 waiting, 2.5k tokens, $0.12",
    "[███████████████░░░░░] 6/8  1 working, 1 waiting, 1.5k tokens, $0.12 + unknown",
  ]);
});

test("a recovered attempt on a lane that this run does not have is shown too", () => {
  expect(texts({ lanes: 1, working: [{ ...task, lane: 5 }] }).map((line) => line.slice(0, 6))).toEqual([
    "lane 0",
    "lane 5",
    "[█████",
  ]);
});

test("E: an agent that cannot serve is named with its wake time and what is left until then", () => {
  const waits = [{ agent: "claude-code", kind: "usage_limit", until: 3_673_500 }] as const;
  expect(texts({ waits, working: [{ ...task, stage: "waiting" }] })).toEqual([
    "lane 0  task-003  waiting     00:12  attempt 2/3  Parse it",
    "lane 1  –",
    "waiting until 1970-01-01T01:01:13.500Z for claude-code (a usage limit)  1:01:00 left",
    "[███████████████░░░░░] 6/8  1 working, 1 waiting",
  ]);
});

test("failures and a stop are named in the bar", () => {
  expect(texts({ working: [], failed: 1, blocked: 1, stopping: true }).at(-1)).toBe(
    "[███████████████░░░░░] 6/8  0 working, 0 waiting, 1 failed, 1 blocked, stopping",
  );
});

test("elapsed time has hours only when there are any", () => {
  expect([-5, 0, 61_000, 3_661_000].map(elapsed)).toEqual(["00:00", "00:00", "01:01", "1:01:01"]);
});
