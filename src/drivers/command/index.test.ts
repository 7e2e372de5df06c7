import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRedactor } from "../../kit/redact.ts";
import type { AgentEvent } from "../../protocol/agent.ts";
import { describeDriver, requestIn } from "../driver.contract.ts";
import type { AgentRequest } from "../driver.ts";
import { command } from "./index.ts";

const driver = (line: string) => command.create({ command: line, env: [] });

describeDriver("command", {
  greeting: () => driver("echo hello"),
  acting: () => driver("touch acted"),
  hanging: () => driver("sleep 1000 & echo $$ $! > pids; echo hanging; wait"),
  crashing: () => driver("printf '\\377\\000\\033[2J'; kill -SEGV $$"),
  flooding: () => driver("head -c 20000000 /dev/zero | tr '\\0' a"),
});

let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "command-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function run(line: string, more: Partial<AgentRequest> = {}): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of driver(line).run(requestIn(cwd, more), new AbortController().signal)) events.push(event);
  return events;
}

test("the agent gets its role and the brief on standard input, the workspace as its place and only the given environment", async () => {
  const env = { ONLY: "this", PATH: "/usr/bin:/bin" };
  expect((await run("cat; echo; pwd; echo $ONLY $HOME", { env })).at(-1)).toEqual({
    type: "ended",
    end: { reason: "finished", message: `the role\n\nthe brief\n${cwd}\nthis\n` },
  });
});

test("an agent that never reads a large brief is not harmed by it", async () => {
  expect(await run("true", { brief: "x".repeat(5_000_000) })).toEqual([
    { type: "ended", end: { reason: "finished", message: "" } },
  ]);
});

test("both streams are said, but only standard output is the final message, and only its end", async () => {
  const events = await run("echo working >&2; head -c 5000 /dev/zero | tr '\\0' x; echo done");
  const said = events.map((event) => (event.type === "said" ? event.text : "")).join("");
  expect(said.replace("working\n", "")).toBe(`${"x".repeat(5000)}done\n`);
  expect(events.at(-1)).toEqual({
    type: "ended",
    end: { reason: "finished", message: `${"x".repeat(4091)}done\n` },
  });
});

test("a line that comes in parts is said whole", async () => {
  const [first] = await run("mkfifo told; printf 'CHECKPOINT '; (: > told) & read -r _ < told; echo 'step=1/2 \"é\"'");
  expect(first).toEqual({ type: "said", text: 'CHECKPOINT step=1/2 "é"\n' });
});

test.for([
  ["echo why; exit 3", "the agent exited with 3: echo why; exit 3", "why\n"],
  ["echo last; kill -SEGV $$", "the agent was ended by SIGSEGV: echo last; kill -SEGV $$", "last\n"],
] as const)("%j fails, naming its end and quoting its output", async ([line, message, evidence]) => {
  expect((await run(line)).at(-1)).toEqual({
    type: "ended",
    end: { reason: "failed", failure: { kind: "task_exec", message, evidence } },
  });
});

test("E: an agent's program that is not there is the environment's fault: no attempt is used up for it", async () => {
  expect((await run("no-such-agent")).at(-1)).toEqual({
    type: "ended",
    end: {
      reason: "failed",
      failure: {
        kind: "env_setup",
        message: "the agent could not be run (exit 127): no-such-agent",
        evidence: expect.stringContaining("no-such-agent: not found"),
        remedy: "see that the agent's program is installed and on the PATH it is given",
      },
    },
  });
});

test("PR-15: what the redactor knows and common keys do not come out", async () => {
  const redactor = createRedactor({ values: ["hunter22"] });
  const events = await run("printf hunt; echo er22 sk-aaaaaaaaaaaaaaaaaaaaaaaa; exit 1", { redactor });
  expect(events).toEqual([
    { type: "said", text: "[redacted] [redacted]\n" },
    {
      type: "ended",
      end: { reason: "failed", failure: expect.objectContaining({ evidence: "[redacted] [redacted]\n" }) },
    },
  ]);
});

test("an empty command is refused with a sentence", () => {
  expect(command.options.safeParse({ command: " " }).error?.issues.map((issue) => issue.message)).toEqual([
    "must be a command line for /bin/sh, such as: my-agent --stdin",
  ]);
});
