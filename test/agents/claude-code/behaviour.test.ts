// What the real Claude Code does that no recorded stream can show.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, inject, test } from "vitest";
import { identifyProcess } from "../../../src/kit/process-identity.ts";
import { play, strike } from "./stage.ts";

afterEach(strike);

const nothingUsed = { turns: 0, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } };

test("it is the version that the recordings are of", async () => {
  const { stdout } = await promisify(execFile)(inject("claude"), ["--version"]);
  expect(stdout).toBe(`${inject("claudeVersion")} (Claude Code)\n`);
});

test("its own tools do the work; what it tells, it used and it cost is what the model says", async () => {
  const { events, end, model, workspace } = await play({ scenario: "works" });
  const sum = (count: "input" | "output" | "cacheRead" | "cacheWrite") =>
    model.used.reduce((total, used) => total + used[count], 0);
  expect(["hello.txt", "ran.txt"].map((name) => readFileSync(join(workspace, name), "utf8"))).toEqual([
    "hello\n",
    "yes\n",
  ]);
  expect(end?.account?.tokens).toEqual({
    input: sum("input") + sum("cacheWrite"),
    cached: sum("cacheRead"),
    output: sum("output"),
  });
  expect(events.filter(({ type }) => type !== "used" && type !== "ended")).toEqual([
    {
      type: "began",
      session: expect.stringMatching(/^[0-9a-f-]{36}$/),
      model: "claude-opus-5-5",
      version: inject("claudeVersion"),
      permissions: "bypassPermissions",
    },
    { type: "said", text: "I will write the file.\n" },
    {
      type: "called",
      call: "toolu_mock_1_0",
      tool: "Write",
      about: "hello.txt",
      input: '{"file_path":"hello.txt","content":"hello\\n"}',
    },
    { type: "answered", call: "toolu_mock_1_0", ok: true, text: expect.stringContaining("hello.txt") },
    {
      type: "called",
      call: "toolu_mock_2_0",
      tool: "Bash",
      about: "cat hello.txt && echo yes > ran.txt",
      input: '{"command":"cat hello.txt && echo yes > ran.txt","description":"look"}',
    },
    { type: "answered", call: "toolu_mock_2_0", ok: true, text: "hello" },
    { type: "said", text: "All done.\nTASK_COMPLETE\n" },
  ]);
});

test("what it waits for is told while it waits", async () => {
  const { events } = await play({ scenario: "rate-limited-once" });
  expect(events.filter(({ type }) => type === "retried")).toEqual([
    { type: "retried", retry: 1, most: 1, delayMs: 1_000, why: "rate_limit 429" },
  ]);
});

test("how much is left of what was bought is told, and until when", async () => {
  const env = { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "dummy" };
  const { events } = await play({ scenario: "usage-limit", env });
  expect(events.filter(({ type }) => type === "limit")).toEqual([
    { type: "limit", name: "five_hour", status: "rejected", until: 1_900_000_000_000 },
  ]);
});

test("a program that it left running in the background does not outlive its result", async () => {
  const { end, workspace } = await play({ scenario: "background" });
  const pid = Number(readFileSync(join(workspace, "pids"), "utf8"));
  expect([end?.reason, await identifyProcess(pid)]).toEqual(["finished", null]);
});

test.for(["empty", "mute"])(
  "I3: a model that has nothing to say (%s) is asked to go on, twice, and has then stalled",
  async (scenario) => {
    const { events, end, model } = await play({ scenario });
    const tokens = {
      input: model.used.reduce((sum, { input }) => sum + input, 0),
      cached: 0,
      output: model.used.reduce((sum, { output }) => sum + output, 0),
    };
    const sessions = events.flatMap((event) => (event.type === "began" ? [event.session] : []));
    expect([sessions.length, new Set(sessions).size]).toEqual([3, 1]);
    expect({ ...end, account: { ...end?.account, turns: 0 } }).toEqual({
      reason: "stalled",
      message: "Claude Code ended without a word",
      empty: true,
      account: { turns: 0, tokens, cost: { basis: "reported", usd: expect.any(Number) } },
    });
  },
);

test("E: a model that never answers is a stall", async () => {
  const { end } = await play({ scenario: "silent", options: { silenceMinutes: 0.1 } });
  expect(end).toEqual({ reason: "stalled", message: "Claude Code said nothing for 6000 ms", account: nothingUsed });
});

test.for(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
  "E: ended by another with %s it is lost, whatever it exits with",
  async (signal) => {
    const { end } = await play({
      scenario: "silent",
      onEvent: (event, pid) => event.type === "began" && process.kill(pid, signal),
    });
    // Of turns it counts the one it was interrupted in, if it comes to counting at all.
    const account = { ...nothingUsed, turns: expect.any(Number) };
    expect(end).toEqual({ reason: "lost", message: expect.any(String), account });
  },
);

test("E: what it will not start with is told in its own words", async () => {
  const { end } = await play({ scenario: "greeting", options: { args: ["--no-such-option"] } });
  expect(end).toEqual({
    reason: "failed",
    failure: {
      kind: "env_setup",
      message: "Claude Code would not start (exit 1): error: unknown option '--no-such-option'",
      evidence: "error: unknown option '--no-such-option'\n",
    },
  });
});

test("the brief may be longer than an argument can be", async () => {
  const { end } = await play({ scenario: "greeting", request: { brief: "Say hello. ".repeat(100_000) } });
  expect(end).toMatchObject({ reason: "finished", message: "hello" });
});
