import { expect, test } from "vitest";
import type { Event } from "../../protocol/event.ts";
import { noSession } from "./session-count.ts";
import { createTimeline } from "./timeline.ts";

const stats = { total: 1, completed: 1, failed: 0, pending: 0, blocked: 0, inProgress: 0, attempts: 1, checkpoints: 0 };
const owner = { host: "h", bootId: "b", pid: 7, group: 7, startTime: "1" };
const base = "a".repeat(40);
const paused: Event = { type: "mission.paused", by: "ada" };
const started: Event = { type: "run.started", run: "r", owner, lanes: 1, initScript: false };
const session = (number: number): Event => ({ type: "session.started", session: number });
const opened: Event = { type: "attempt.opened", task: "t", attempt: 1, path: "/w", base };
const closed: Event = { type: "session.ended", session: 1, stats };
const ended = (reason: "completed" | "lost"): Event => ({ type: "run.ended", run: "r", reason, detail: "pid=7" });

function linesOf(events: readonly Event[], fromStart: boolean): readonly (readonly [string, string | null])[] {
  const lineOf = createTimeline({ titleOf: () => "T", from: fromStart ? noSession : null });
  return events.flatMap((event) => {
    const line = lineOf({ ...event, at: 0 });
    return line === null ? [] : [[line.text.replace("[1970-01-01T00:00:00.000Z] ", ""), line.task] as const];
  });
}

test("N2: lines before a session is counted carry the next number, the end of its run its own", () => {
  const events = [started, session(1), opened, closed, ended("completed"), paused, started, session(2)];
  expect(linesOf(events, true)).toEqual([
    ["[SESSION-1] LOCK acquired (pid=7)", null],
    ["[SESSION-1] Starting [t] T (base=aaaaaaa)", "t"],
    ["[SESSION-1] STATS tasks_total=1 completed=1 failed=0 pending=0 blocked=0 attempts_total=1 checkpoints=0", null],
    ["[SESSION-1] LOCK released", null],
    ["[SESSION-2] WARN paused by ada", null],
    ["[SESSION-2] LOCK acquired (pid=7)", null],
  ]);
});

test("the end of a lost run is told by the one that follows it", () => {
  const events = [started, session(1), opened, ended("lost"), started];
  expect(linesOf(events, true).slice(2)).toEqual([
    ["[SESSION-2] WARN Removed stale lock from pid=7", null],
    ["[SESSION-2] LOCK acquired (pid=7)", null],
  ]);
});

test("from the middle of a journal, lines begin where their session is known", () => {
  expect(linesOf([opened, closed, ended("completed"), started, session(8), opened], false)).toEqual([
    ["[SESSION-8] Starting [t] T (base=aaaaaaa)", "t"],
  ]);
});
