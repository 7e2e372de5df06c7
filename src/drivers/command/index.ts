// Any program as an agent: the brief on its standard input, everything it prints is what it says.
import * as z from "zod";
import { assertNever } from "../../kit/assert-never.ts";
import { createTextTail } from "../../kit/bounded-text.ts";
import { oneLine } from "../../kit/escape.ts";
import { processLines } from "../../kit/process-lines.ts";
import { createRedactor, secretsOf } from "../../kit/redact.ts";
import type { RunResult } from "../../kit/run-process.ts";
import { stoppable } from "../../kit/stoppable.ts";
import type { AgentEnd, AgentEvent } from "../../protocol/agent.ts";
import { type AgentRequest, defineDriver } from "../driver.ts";

export const command = defineDriver({
  name: "command",
  options: z.strictObject({
    command: z.string().trim().min(1, "must be a command line for /bin/sh, such as: my-agent --stdin"),
  }),
  create: (options) => ({
    run: (request, signal) => stoppable(signal, (stop) => runCommand(options.command, request, stop)),
  }),
});

const maxMessageBytes = 4_096;
const maxEvidenceBytes = 12_000;

async function* runCommand(
  line: string,
  request: AgentRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void, void> {
  const { brief: stdin, cwd, env, timeoutMs, announce } = request;
  const redactor = createRedactor({ values: secretsOf(env) });
  const lastWords = createTextTail(maxMessageBytes);
  const result = yield* processLines(
    {
      argv: ["/bin/sh", "-c", line],
      cwd,
      env,
      stdin,
      timeoutMs,
      signal,
      announce,
      // Before anything is kept: a secret that was cut in two is not recognised any more.
      filter: () => redactor.stream(),
      keep: { headBytes: 0, tailBytes: maxEvidenceBytes },
    },
    ({ text, stream }): AgentEvent => {
      if (stream === "stdout") lastWords.push(text);
      return { type: "said", text };
    },
  );
  yield { type: "ended", end: endOf(result, { line, message: lastWords.text(), timeoutMs }) };
}

/** By what a shell answers when it cannot run a program: trying again would only use up attempts. */
const remedies: Readonly<Record<number, string>> = {
  126: "see that the agent's program may be executed",
  127: "see that the agent's program is installed and on the PATH it is given",
};

function endOf(
  result: RunResult,
  run: { readonly line: string; readonly message: string; readonly timeoutMs: number },
): AgentEnd {
  const evidence = result.output === "" ? {} : { evidence: result.output };
  const failed = (kind: "task_exec" | "timeout" | "env_setup", message: string, remedy?: string): AgentEnd => ({
    reason: "failed",
    failure: { kind, message: `${message}: ${oneLine(run.line, 500)}`, ...(remedy && { remedy }), ...evidence },
  });
  switch (result.end) {
    case "exited":
      if (result.code === 0) return { reason: "finished", message: run.message };
      return result.code in remedies
        ? failed("env_setup", `the agent could not be run (exit ${result.code})`, remedies[result.code])
        : failed("task_exec", `the agent exited with ${result.code}`);
    case "signalled":
      return failed("task_exec", `the agent was ended by ${result.signal}`);
    case "timeout":
      return failed("timeout", `the agent took longer than ${run.timeoutMs} ms`);
    case "not_started":
      return failed("env_setup", `the agent could not be started (${oneLine(result.reason, 500)})`);
    case "aborted":
    case "refused":
      return { reason: "interrupted" };
    default:
      return assertNever(result);
  }
}
