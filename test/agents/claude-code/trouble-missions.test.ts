// Every trouble the scripted model can make, in a whole mission: what it is taken for, what it costs, what a person reads.
import { expect, test } from "vitest";
import type { StatusView } from "../../../src/protocol/view.ts";
import { withClaudeCode } from "./user.ts";

interface Trouble {
  readonly scenario: string;
  readonly options?: object;
  /** Of `run --once`. */
  readonly code: number;
  readonly attempts: number;
  readonly status: "failed" | "in_progress" | "pending";
  /** The log's first word about it, without its time. */
  readonly told: string | RegExp;
}

/** Only time mends it: the attempt goes on, nobody is charged. */
const waits = (scenario: string, kind: string): Trouble => ({
  ...{ scenario, code: 5, attempts: 0, status: "in_progress" },
  told: new RegExp(`^WARN waiting until \\S+ for claude-code \\(.*\\) kind=${kind}: `),
});
/** A person has to mend it: nobody is charged, and the run ends. */
const asks = (scenario: string, told: string): Trouble => ({
  ...{ scenario, code: 8, attempts: 0, status: "pending" },
  told: `WARN [task-001] Claude Code failed: ${told}`,
});
/** It is the attempt's. */
const fails = (scenario: string, told: string, options = {}): Trouble => ({
  ...{ scenario, code: 5, attempts: 1, status: "failed", options },
  told: `ERROR [task-001] ${told}`,
});

const troubles: readonly Trouble[] = [
  waits("cut", "network"),
  waits("dropped", "network"),
  waits("overloaded", "overloaded"),
  waits("overloaded-in-stream", "overloaded"),
  waits("server-error", "overloaded"),
  waits("rate-limited", "rate_limited"),
  waits("usage-limit", "usage_limit"),
  asks("unauthorised", "Invalid API key"),
  asks("forbidden", "Failed to authenticate. API Error: 403 not allowed"),
  asks("no-credit", "Credit balance is too low"),
  fails("empty", "[TASK_EXEC] Claude Code ended without a word"),
  fails("mute", "[TASK_EXEC] Claude Code ended without a word"),
  fails("output-limit", "[TASK_EXEC] Claude Code failed: API Error: Claude's response exceeded"),
  fails("refusal", "[TASK_EXEC] Claude Code failed: API Error:"),
  // A fresh context mends these, as often as there may be one.
  fails("prompt-too-long", "[TASK_EXEC] task-001 was not finished in 2 iterations"),
  fails("loop", "[TASK_EXEC] task-001 was not finished in 2 iterations", { args: ["--max-turns", "2"] }),
  fails("loop", "[TASK_EXEC] task-001 was not finished in 2 iterations", { maxBudgetUsd: 1 }),
  // It got over the trouble, or left something running, and says that it is done: what counts is the check.
  fails("rate-limited-once", "[TEST_FAIL] validation exited with 1: test -f a.txt"),
  fails("background", "[TEST_FAIL] validation exited with 1: test -f a.txt"),
  {
    ...{ scenario: "works", options: { permissionMode: "dontAsk" }, code: 10, attempts: 0, status: "pending" },
    told: "WARN [task-001] Claude Code was allowed nothing it tried: Write, Bash",
  },
];

test.for(troubles)("E: $scenario $options: exit $code, $attempts charged, $told", async (trouble) => {
  const { scenario, options = {}, code, attempts, status, told } = trouble;
  const { project } = await withClaudeCode(scenario, undefined, {
    agent: { use: "claude-code", options },
    limits: { maxIterations: 2 },
  });
  await project.must("init", "--yes");
  await project.must("add", "Write a", "--validate", "test -f a.txt");
  const run = await project.harness("run", "--once");
  const { tasks } = JSON.parse((await project.must("status", "--json")).stdout) as StatusView;
  const lines = [...run.stdout.matchAll(/^\[\S+\] \[SESSION-1\] ((?:WARN|ERROR) .*)$/gm)].map(([, line = ""]) => line);
  const line = lines.find((text) => !text.startsWith("WARN sandbox is "));
  expect([run.code, tasks.map((task) => [task.attempts, task.status]), line]).toEqual([
    code,
    [[attempts, status]],
    typeof told === "string" ? expect.stringContaining(told) : expect.stringMatching(told),
  ]);
  expect(project.processes()).toEqual([]);
});

test("E: after a brief that did not fit the next one is smaller, says why, and the work goes on with it", async () => {
  const { project, model } = await withClaudeCode("prompt-too-long-once", undefined, {
    agent: { use: "claude-code", options: {} },
  });
  await project.must("init", "--yes");
  // The failure of the first attempt makes the second one's brief long.
  await project.must("add", "Write a", "--validate", "seq 1 900; test -f a.txt");
  const run = await project.harness("run");
  expect(run.code).toBe(0);
  const briefs = model.heard.map(({ conversation: [first] }) => first?.text ?? "");
  const [, tooLong = "", shorter = ""] = briefs;
  expect([tooLong, shorter].map((brief) => brief.includes("characters left out, to make this shorter"))).toEqual([
    false,
    true,
  ]);
  expect(shorter.length).toBeLessThan(tooLong.length);
  expect(shorter).toContain("ended because its context was full");
});
