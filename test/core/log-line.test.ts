import fc from "fast-check";
import { expect, test } from "vitest";
import { logLine } from "../../src/core/views/log-line.ts";
import type { Event } from "../../src/protocol/event.ts";
import { commitOf, owner } from "./scene.ts";

const at = Date.UTC(2026, 0, 2, 3, 4, 5);
const stats = { total: 5, completed: 1, failed: 1, pending: 2, blocked: 1, inProgress: 0, attempts: 2, checkpoints: 1 };
const of = { task: "task-001", attempt: 1 };
const line = (event: Event, title = "Add a thing") => logLine({ ...event, at }, { session: 3, titleOf: () => title });

test.each<[Event, string]>([
  [
    {
      type: "run.started",
      run: "r",
      owner,
      lanes: 1,
      initScript: false,
      worker: null,
      claims: null,
      leaseSeconds: null,
    },
    "LOCK acquired (pid=7)",
  ],
  [{ type: "run.ended", run: "r", reason: "completed", detail: "" }, "LOCK released"],
  [{ type: "run.ended", run: "r", reason: "lost", detail: "pid=7" }, "WARN Removed stale lock from pid=7"],
  [{ type: "agent.noted", ...of, text: "a\nb" }, "WARN [task-001] note: a\\nb"],
  [
    {
      ...{ type: "agent.handedOff", ...of, iteration: 1, hash: null },
      handoff: { phase: "", completed: [], nextStep: "rest", criticalFiles: [], notes: "half" },
    },
    "WARN [task-001] handed off: half",
  ],
  [
    {
      ...{ type: "left.refused", ...of, iteration: 1, more: 2 },
      untaken: [{ what: "search_results/a\nb", why: "is a link", hash: "h" }],
    },
    "WARN [task-001] left in the workspace and not taken: search_results/a\\nb: is a link; and 2 more",
  ],
  [
    { type: "agent.found", ...of, number: 2, title: "A leak", text: "long" },
    "WARN [task-001] finding 2 for the inbox: A leak",
  ],
  [
    { type: "agent.proposed", ...of, title: "More", added: "task-002" },
    "WARN [task-001] proposed a task: More (added as task-002)",
  ],
  [{ type: "agent.proposed", ...of, title: "More", added: null }, "WARN [task-001] proposed a task: More"],
  [{ type: "approval.withdrawn", name: "ask-1" }, "WARN ask-1 needs no answer any more"],
  [{ type: "sandbox.changed", run: "r", sandbox: "none" }, "WARN sandbox is none from now on"],
  [
    { type: "barrier.changed", run: "r", phases: ["plan", "qa"] },
    "WARN phases of the plan begin one after the other from now on: plan, qa",
  ],
  [{ type: "barrier.changed", run: "r", phases: null }, "WARN phases of the plan bind nothing from now on"],
  [
    {
      type: "wait.started",
      agent: "claude-code",
      kind: "usage_limit",
      message: "all used up",
      until: at + 7_210_000,
      delayMs: 7_210_000,
      times: 1,
      waitedMs: 7_210_000,
    },
    "WARN waiting until 2026-01-02T05:04:15.000Z for claude-code (a usage limit) kind=usage_limit: all used up",
  ],
  [{ type: "wait.ended", agent: "claude-code" }, "WARN waited for claude-code: it is tried again"],
  [{ type: "lock.reclaimed", pid: 9 }, "WARN Removed stale lock from pid=9"],
  [
    { type: "attempt.opened", ...of, path: "/w", base: commitOf("d") },
    "Starting [task-001] Add a thing (base=ddddddd)",
  ],
  [{ type: "task.completed", ...of, commit: commitOf("a") }, "Completed [task-001] (commit aaaaaaa)"],
  [
    { type: "agent.checkpointed", ...of, checkpoint: { step: 2, total: 4, description: "half", tree: "t" } },
    'CHECKPOINT [task-001] step=2/4 "half"',
  ],
  [
    { type: "attempt.failed", ...of, costs: "attempt", failure: { kind: "test_fail", message: "red" } },
    "ERROR [task-001] [TEST_FAIL] red",
  ],
  [
    { type: "attempt.archived", ...of, archive: "/a/1", base: commitOf("d") },
    "ROLLBACK [task-001] git reset --hard ddddddd rescue=/a/1",
  ],
  [
    { type: "attempt.recovered", ...of, row: "changes", action: "validate", reason: "work" },
    'RECOVERY [task-001] action="validate" reason="work"',
  ],
  [
    { type: "task.blocked", task: "task-002", by: "task-001" },
    "ERROR [task-002] [DEPENDENCY] Blocked by failed task-001",
  ],
  [
    { type: "session.ended", session: 3, stats },
    "STATS tasks_total=5 completed=1 failed=1 pending=2 blocked=1 attempts_total=2 checkpoints=1",
  ],
])("N1, N2, V2: %j", (event, expected) => {
  expect(line(event)).toBe(`[2026-01-02T03:04:05.000Z] [SESSION-3] ${expected}`);
});

test("events without a type of the log stay in the journal", () => {
  expect(line({ type: "agent.spoke", ...of })).toBeNull();
});

test("PR-17: whatever a title, checkpoint or message holds, one record is one line of printable text", () => {
  const text = fc.string({ unit: "binary", maxLength: 200 });
  fc.assert(
    fc.property(text, (hostile) => {
      const checkpoint = { step: 1, total: 1, description: hostile, tree: "t" };
      const lines = [
        line({ type: "attempt.opened", ...of, path: "/w", base: commitOf("d") }, hostile),
        line({ type: "agent.checkpointed", ...of, checkpoint }),
        line({ type: "attempt.failed", ...of, costs: "attempt", failure: { kind: "task_exec", message: hostile } }),
      ];
      for (const each of lines)
        expect(each).toMatch(/^\[2026-01-02T03:04:05.000Z\] \[SESSION-3\] [^\p{Cc}\p{Cf}\u2028\u2029]*$/u);
    }),
    { numRuns: 300 },
  );
});
