import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { identifyProcess } from "../../kit/process-identity.ts";
import { createRedactor } from "../../kit/redact.ts";
import type { AgentEvent } from "../../protocol/agent.ts";
import { describeDriver, requestIn } from "../driver.contract.ts";
import type { AgentRequest, Driver, Role } from "../driver.ts";
import { claudeCode } from "./index.ts";
import { began, removeStandIns, result, says, standIn, tell } from "./stand-in.fixture.ts";

const inOrder = (...lines: readonly object[]): string => lines.map(tell).join("\n");

describeDriver("claude-code, with a stand-in for its program", {
  greeting: () => standIn(inOrder(began, says("hello"), result("hello"))),
  acting: () => standIn(`touch acted\n${inOrder(began, says("done"), result("done"))}`),
  hanging: () => standIn(`${tell(began)}\nsleep 1000 & echo $$ $! > pids\n${tell(says("hanging"))}\nwait`),
  crashing: () => standIn("printf '\\377\\000\\033[2J'; kill -SEGV $$"),
  flooding: () =>
    standIn(`${tell(began)}\nlong=$(head -c 100000 /dev/zero | tr '\\0' a)\nn=0
while [ $n -lt 201 ]; do n=$((n + 1)); echo '${JSON.stringify(says("@")).replace("@", "'$long'")}'; done\n${tell(result("done"))}`),
});

let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "claude-code-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));
afterAll(removeStandIns);

async function run(driver: Driver, more: Partial<AgentRequest> = {}): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of driver.run(requestIn(cwd, more), new AbortController().signal)) events.push(event);
  return events;
}
const account = { turns: 1, tokens: { input: 100, cached: 0, output: 10 }, cost: { basis: "reported", usd: 0.0006 } };
const finished = (message: string, used: object = account): AgentEvent =>
  ({ type: "ended", end: { reason: "finished", message, account: used } }) as AgentEvent;

test("it is asked for its stream, with all that was chosen, and reads the brief from standard input, which ends", async () => {
  const options = {
    model: "opus",
    fallbackModel: "sonnet",
    effort: "high",
    maxBudgetUsd: 2.5,
    args: ["--max-turns", "9"],
  };
  const driver = standIn(`echo "$@" > asked; cat >> asked; ${tell(result("done"))}`, options);
  expect((await run(driver)).at(-1)).toEqual(finished("done"));
  expect(await readFile(join(cwd, "asked"), "utf8")).toBe(
    "--print --output-format stream-json --verbose --permission-mode acceptEdits --append-system-prompt the role --model opus --fallback-model sonnet --effort high " +
      "--max-budget-usd 2.5 --max-turns 9\nthe brief",
  );
});

test("A2: the model and effort of its role go before those of its options", async () => {
  const options = { model: "opus", effort: "high" };
  const asked = async (role: Pick<Role, "model" | "effort">) => {
    const driver = standIn(`echo "$@" > asked; ${tell(result("done"))}`, options);
    await run(driver, { role: { name: "worker", text: "T", ...role } });
    return /--append-system-prompt T (.*)/.exec(await readFile(join(cwd, "asked"), "utf8"))?.[1];
  };
  expect([await asked({ model: "haiku" }), await asked({ effort: "low" })]).toEqual([
    "--model haiku --effort high",
    "--model opus --effort low",
  ]);
});

test("MCP1: it is offered the tools of its attempt beside its own servers, and what was chosen comes after them", async () => {
  const driver = standIn(`for each; do echo "$each"; done > asked; ${tell(result("done"))}`, {
    args: ["--max-turns", "9"],
  });
  await run(driver, { tools: { command: ["node", "cli.js", "mcp"], env: { HARNESS_SOCKET: "/s" } } });
  const asked = (await readFile(join(cwd, "asked"), "utf8")).split("\n");
  const server = { type: "stdio", command: "node", args: ["cli.js", "mcp"], env: { HARNESS_SOCKET: "/s" } };
  expect(asked.slice(asked.indexOf("--mcp-config"))).toEqual([
    ...["--mcp-config", JSON.stringify({ mcpServers: { harness: server } })],
    ...["--allowedTools", "mcp__harness", "--max-turns", "9", ""],
  ]);
});

test.for([
  [[], true],
  [["--settings", "{}"], false],
] as const)(
  "I6: what is said to it is handed over with the answer of its next tool, unless %s stands there: %s",
  async ([args, isAsked]) => {
    const folder = join(cwd, "word's folder");
    await mkdir(folder);
    const said: ((text: string) => void)[] = [];
    const driver = standIn(`printf '%s\\n' "$@" > asked; ${tell(result("done"))}`, { args });
    await run(driver, { words: { folder, seenAt: folder, listen: (listener) => said.push(listener) } });
    const asked = (await readFile(join(cwd, "asked"), "utf8")).split("\n");
    const settings = JSON.parse(asked[asked.indexOf("--settings") + 1] ?? "");
    if (!isAsked) return expect([asked.filter((arg) => arg === "--settings").length, settings]).toEqual([1, {}]);
    const { command } = settings.hooks.PostToolUse[0].hooks[0];
    const heard = () => execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" });
    expect(heard()).toBe("");
    for (const say of said) say('hand "over"');
    expect(JSON.parse(heard())).toEqual({
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: 'hand "over"' },
    });
  },
);

test("what it tells comes as events, redacted though it is written otherwise in JSON, and cut", async () => {
  const call = { type: "tool_use", id: "call-1", name: "Bash", input: { command: `echo ${"x".repeat(9_000)}` } };
  const answer = {
    type: "tool_result",
    tool_use_id: "call-1",
    is_error: true,
    content: [{ type: "text", text: 'pass"word"s' }],
  };
  const lines = [
    began,
    {
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      max_retries: 2,
      retry_delay_ms: 5,
      error: "rate_limit",
      error_status: 429,
    },
    {
      type: "rate_limit_event",
      rate_limit_info: { status: "allowed_warning", resetsAt: 1_900_000_000, rateLimitType: "five_hour" },
    },
    says('the key is pass"word"s'),
    { type: "assistant", message: { id: "message-2", content: [call], usage: { input_tokens: 5, output_tokens: 1 } } },
    { type: "user", message: { content: [answer] } },
    { ...says("not its own words", "message-3"), parent_tool_use_id: "call-1" },
    result("done"),
  ];
  const redactor = createRedactor({ values: ['pass"word"s'] });
  expect(await run(standIn(inOrder(...lines)), { redactor })).toEqual([
    { type: "began", session: "session-1", model: "claude-opus-5-5", version: "2.1.325", permissions: "acceptEdits" },
    { type: "retried", retry: 1, most: 2, delayMs: 5, why: "rate_limit 429" },
    { type: "limit", name: "five_hour", status: "allowed_warning", until: 1_900_000_000_000 },
    { type: "used", tokens: { input: 10, cached: 0, output: 1 }, context: { tokens: 11, window: 1_000_000 } },
    { type: "said", text: "the key is [redacted]\n" },
    { type: "used", tokens: { input: 15, cached: 0, output: 2 }, context: { tokens: 6, window: 1_000_000 } },
    {
      type: "called",
      call: "call-1",
      tool: "Bash",
      about: expect.stringMatching(/^echo x{290,295}…$/),
      input: expect.stringMatching(/^\{"command":"echo x{4000,4096} …$/),
    },
    { type: "answered", call: "call-1", ok: false, text: "[redacted]" },
    // Whom it sent out has a context of its own.
    { type: "used", tokens: { input: 25, cached: 0, output: 3 }, context: { tokens: 6, window: 1_000_000 } },
    finished("done"),
  ]);
});

test("a line cut in the middle, one without an end and one too long to be held do not hide the others", async () => {
  const tooLong = `printf '{"type":"assistant","x":"'; head -c 9000000 /dev/zero | tr '\\0' a; echo '"}'`;
  const open = `printf '%s' '${JSON.stringify(result("done"))}'`;
  const driver = standIn(`${tell(began)}; printf '{"type":"resu\\n'; ${tooLong}; ${open}`);
  expect((await run(driver)).at(-1)).toEqual(finished("done"));
});

test("what is nested deeper than can be written again is told without its details", async () => {
  const deep = `n=$(head -c 100000 /dev/zero | tr '\\0' '['); e=$(head -c 100000 /dev/zero | tr '\\0' ']')`;
  const call = `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"c","name":"X","input":@}]}}`;
  const driver = standIn(`${deep}\n${tell(began)}\necho '${call.replace("@", "'$n$e'")}'\n${tell(result("done"))}`);
  const events = await run(driver);
  expect(events.slice(1)).toEqual([{ type: "called", call: "c", tool: "X", about: "", input: "…" }, finished("done")]);
});

test("I3: an end without a word is taken up again in the same session; what is used adds up", async () => {
  const more = {
    num_turns: 2,
    total_cost_usd: 0.0012,
    modelUsage: { "claude-opus-5-5": { inputTokens: 200, outputTokens: 20, costBasis: "list" } },
  };
  const again = `echo "$@" > again; cat >> again; ${tell(result("at last", more))}`;
  const driver = standIn(`if test -f began; then ${again}; else touch began; ${inOrder(began, result(""))}; fi`);
  const used = { turns: 3, tokens: { input: 200, cached: 0, output: 20 }, cost: { basis: "reported", usd: 0.0012 } };
  expect((await run(driver)).at(-1)).toEqual(finished("at last", used));
  expect(await readFile(join(cwd, "again"), "utf8")).toMatch(
    / --resume session-1\nYou ended your turn without a word\./,
  );
});

test("I3: the third end without a word in a row is a stall", async () => {
  const events = await run(standIn(`echo run >> runs; ${inOrder(began, result(""))}`));
  expect(events.at(-1)).toEqual({
    type: "ended",
    end: {
      reason: "stalled",
      message: "Claude Code ended without a word",
      empty: true,
      account: { ...account, turns: 3 },
    },
  });
  expect(await readFile(join(cwd, "runs"), "utf8")).toBe("run\nrun\nrun\n");
});

test("I3: where no session is kept, one that ended without a word cannot be taken up again: a stall", async () => {
  const gone = {
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    num_turns: 0,
    errors: ["No conversation found"],
  };
  const driver = standIn(
    `if test -f began; then ${tell(gone)}; exit 1; fi; touch began; ${inOrder(began, result(""))}`,
  );
  expect((await run(driver)).at(-1)).toEqual({
    type: "ended",
    end: { reason: "stalled", message: "Claude Code ended without a word", empty: true, account },
  });
});

test("PR-10: of the user's home its sandbox shows what it reads, and lets it write nothing that would act outside", () => {
  expect(claudeCode.home?.filter(({ access }) => access === "write")).toEqual([
    { path: ".claude/.credentials.json", access: "write" },
  ]);
});

test("PR-8: what left its group, as its tools do, does not outlive its result", async () => {
  const stray = "setsid sh -c 'echo $$ > stray; exec sleep 100' > /dev/null 2>&1 & until test -s stray; do :; done";
  await run(standIn(`${stray}\n${inOrder(began, result("done"))}`));
  expect(await identifyProcess(Number(await readFile(join(cwd, "stray"), "utf8")))).toBe(null);
});

test("E: an agent that says nothing for too long has stalled, and is ended", async () => {
  const driver = standIn(`${tell(began)}\nexec sleep 1000`, { silenceMinutes: 0.05 });
  expect((await run(driver)).at(-1)).toEqual({
    type: "ended",
    end: {
      reason: "stalled",
      message: "Claude Code said nothing for 3000 ms",
      account: { turns: 0, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  });
});

test("in a sandbox it is told so; it never updates itself while it works", async () => {
  const driver = standIn(`echo $IS_SANDBOX $DISABLE_AUTOUPDATER > told; ${tell(result("done"))}`);
  const told = async (more: Partial<AgentRequest>) => {
    await run(driver, more);
    return readFile(join(cwd, "told"), "utf8");
  };
  const confine: AgentRequest["confine"] = async ([file = "", ...args]) => ({
    argv: [file, ...args],
    monitored: false,
  });
  expect([await told({}), await told({ confine })]).toEqual([" 1\n", "1 1\n"].map((text) => text.trimStart()));
});

test.runIf(process.getuid?.() === 0)(
  "as root it does not bypass permissions outside of a sandbox: said before anything starts",
  async () => {
    const driver = standIn("touch acted", { permissionMode: "bypassPermissions" });
    const announce = async (): Promise<boolean> => Promise.reject(new Error("nothing was to be started"));
    expect(await run(driver, { announce })).toEqual([
      {
        type: "ended",
        end: {
          reason: "failed",
          account: { turns: 0, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
          failure: {
            kind: "config",
            message: "Claude Code does not bypass permissions as root outside of a sandbox",
            remedy: expect.stringContaining("acceptEdits"),
          },
        },
      },
    ]);
  },
);

test("ENV: it is given its own variables, not those of a session that we were started from", () => {
  const patterns = claudeCode.env(claudeCode.options.parse({ env: ["AWS_*"] }));
  expect(patterns).toContain("ANTHROPIC_*");
  expect(patterns).toContain("AWS_*");
  expect(patterns.filter((pattern) => /^CLAUDE(_CODE)?_?\*/.test(pattern))).toEqual([]);
});

test("an option it does not have is refused", () => {
  expect(
    claudeCode.options.safeParse({ permissionMode: "ask", modle: "opus" }).error?.issues.map(({ code }) => code),
  ).toEqual(["invalid_value", "unrecognized_keys"]);
});
