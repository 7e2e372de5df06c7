import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEnd } from "../../protocol/agent.ts";
import { nothingUsed } from "./account.ts";
import { classify, type Exit } from "./classify.ts";
import { outcomes } from "./outcomes.fixture.ts";
import { nothingSeen, type Seen, see } from "./seen.ts";
import { parseLine } from "./stream-line.ts";

const limits = { timeoutMs: 60_000, silenceMs: 1_800_000 };
const facts = { output: "", bytes: 0, durationMs: 0, endedBy: null };
const exited = (code: number, output = ""): Exit => ({ ...facts, end: "exited", code, signal: null, output });
const signalled = (signal: NodeJS.Signals): Exit => ({ ...facts, end: "signalled", code: null, signal });
const stopped = (end: "aborted" | "timeout", endedBy: Exit["endedBy"] = null): Exit => ({
  ...facts,
  end,
  code: null,
  signal: "SIGTERM",
  endedBy,
});

const recorded = (name: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, "recordings", `${name}.ndjson`), "utf8")
    .trimEnd()
    .split("\n");
const seenIn = (lines: readonly string[]): Seen =>
  lines.reduce((seen, text) => {
    const line = parseLine(text);
    return line === null ? seen : see(seen, line);
  }, nothingSeen);
const withoutResult = (name: string): readonly string[] => recorded(name).filter((line) => !line.includes('"result"'));
const endOf = (lines: readonly string[], exit: Exit): AgentEnd => classify(seenIn(lines), exit, limits);
const failed = (kind: string, message: string) => ({ reason: "failed", failure: { kind, message } });

const names = Object.keys(outcomes) as (keyof typeof outcomes)[];

test.for(names)("E: %s, as it was recorded, is told for what it is", (name) => {
  expect(endOf(recorded(name), exited(outcomes[name].exit))).toEqual(outcomes[name].end);
});

test.for(names)("E: %s is told alike although each line of the stream has garbage beside it", (name) => {
  const garbage = ["", "{", "null", "[]", '{"type":"result"}', '{"type":"assistant","message":7}', "\u0000\ufffd", "x"];
  const noisy = recorded(name).flatMap((line) => [...garbage, line, line.slice(0, line.length / 2), ...garbage]);
  expect(endOf(noisy, exited(outcomes[name].exit))).toEqual(outcomes[name].end);
});

test("a result counts although the program had to be ended after it", () => {
  for (const exit of [stopped("aborted", "result"), stopped("timeout"), signalled("SIGKILL"), exited(143)])
    expect(endOf(recorded("background"), exit)).toEqual(outcomes.background.end);
});

const cutShort = {
  turns: 3,
  tokens: { input: 6530, cached: 10_300, output: 3 },
  cost: { basis: "unknown" },
};

test.for<[string, Exit, object]>([
  ["was stopped by us", stopped("aborted"), { reason: "interrupted" }],
  [
    "said nothing more",
    stopped("aborted", "silence"),
    { reason: "stalled", message: "Claude Code said nothing for 1800000 ms" },
  ],
  ["took too long", stopped("timeout"), failed("timeout", "Claude Code took longer than 60000 ms")],
  [
    "was interrupted by another",
    exited(0),
    { reason: "lost", message: "Claude Code exited with 0 and told no result" },
  ],
  [
    "was asked to end by another",
    exited(143),
    { reason: "lost", message: "Claude Code exited with 143 and told no result" },
  ],
  [
    "was killed by another",
    signalled("SIGKILL"),
    { reason: "lost", message: "Claude Code was ended by SIGKILL, and not by us" },
  ],
  ["crashed", signalled("SIGSEGV"), failed("task_exec", "Claude Code was ended by SIGSEGV")],
  ["gave up", exited(1), failed("task_exec", "Claude Code exited with 1 and told no result")],
])("E: an agent that %s told no result: what it is known to have used is told, its cost is not", ([, exit, end]) => {
  expect(endOf(withoutResult("works"), exit)).toEqual({ ...end, account: cutShort });
});

test.for<[string, Exit, object]>([
  ["was not let begin", { ...facts, end: "refused", code: null, signal: null }, { reason: "interrupted" }],
  [
    "is not there",
    { ...facts, end: "not_started", code: null, signal: null, reason: "program not found: claude" },
    { ...failed("env_setup", "Claude Code could not be started (program not found: claude)"), account: nothingUsed },
  ],
  [
    "does not know an option",
    exited(1, "error: unknown option '--no-such-option'\n"),
    failed("env_setup", "Claude Code would not start (exit 1): error: unknown option '--no-such-option'"),
  ],
  ["is something else", exited(0, "hello\n"), failed("task_exec", "Claude Code exited with 0 and told no result")],
])("E: a program that %s has told nothing, and only what was not started has used nothing", ([, exit, end]) => {
  const told = endOf(["hello"], exit);
  const { failure, ...rest } = { failure: undefined, ...told };
  const plain = failure === undefined ? rest : { ...rest, failure: { kind: failure.kind, message: failure.message } };
  expect(plain).toEqual(end);
});

test("I3: an end without a word is none", () => {
  expect(endOf(recorded("empty"), exited(0))).toEqual({
    reason: "stalled",
    message: "Claude Code ended without a word",
    empty: true,
    account: { turns: 3, tokens: { input: 300, cached: 0, output: 30 }, cost: { basis: "reported", usd: 0.0018 } },
  });
});

test("E: what was denied does not count once something was done", () => {
  const denied = recorded("denied");
  const done = recorded("works").filter((line) => line.includes('"tool_result"'));
  expect(endOf([...denied.slice(0, -1), ...done, ...denied.slice(-1)], exited(0))).toMatchObject({
    reason: "finished",
  });
});
