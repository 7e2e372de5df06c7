import { expect, test } from "vitest";
import type { TaskLine } from "../../protocol/view.ts";
import { elapsed, type Progress, progressLines } from "./lane-lines.ts";

const task: TaskLine = {
  id: "task-003",
  kind: "task",
  phase: null,
  title: "Parse it",
  status: "in_progress",
  stage: "validating",
  lane: 0,
  attempts: 1,
  maxAttempts: 3,
  since: 1_000,
  commit: null,
  accepted: false,
  lastError: null,
};
const progress: Progress = {
  now: 13_500,
  lanes: 2,
  working: [task],
  total: 8,
  completed: 6,
  failed: 0,
  blocked: 0,
  lastWords: new Map(),
  stopping: false,
};
const texts = (change: Partial<Progress>) =>
  progressLines({ ...progress, ...change }, (_, text) => text).map(({ text }) => text);

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

test("a recovered attempt on a lane that this run does not have is shown too", () => {
  expect(texts({ lanes: 1, working: [{ ...task, lane: 5 }] }).map((line) => line.slice(0, 6))).toEqual([
    "lane 0",
    "lane 5",
    "[█████",
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
