// Any program as an agent: the brief on its standard input, everything it prints is what it says.
import * as z from "zod";
import { createTextTail } from "../../kit/bounded-text.ts";
import { processLines } from "../../kit/process-lines.ts";
import { stoppable } from "../../kit/stoppable.ts";
import type { AgentEvent } from "../../protocol/agent.ts";
import { VariablePatterns } from "../../protocol/env.ts";
import { type AgentRequest, defineDriver, wholeText } from "../driver.ts";
import { endOf } from "./end.ts";

export const command = defineDriver({
  name: "command",
  options: z.strictObject({
    command: z.string().trim().min(1, "must be a command line for /bin/sh, such as: my-agent --stdin"),
    env: VariablePatterns.default([]),
  }),
  env: (options) => options.env,
  create: (options) => ({
    run: (request, signal) => stoppable(signal, (stop) => runCommand(options.command, request, stop)),
  }),
});

const keptBytes = { message: 4_096, evidence: 12_000 };

async function* runCommand(
  line: string,
  request: AgentRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void, void> {
  const { cwd, env, timeoutMs, announce, redactor, record, limits, confine: wrap } = request;
  const lastWords = createTextTail(keptBytes.message);
  const result = yield* processLines(
    {
      argv: ["/bin/sh", "-c", line],
      wrap,
      cwd,
      env,
      stdin: wholeText(request),
      timeoutMs,
      signal,
      announce,
      record,
      limits,
      filter: () => redactor.stream(),
      keep: { headBytes: 0, tailBytes: keptBytes.evidence },
    },
    ({ text, stream }): AgentEvent => {
      if (stream === "stdout") lastWords.push(text);
      return { type: "said", text };
    },
  );
  yield { type: "ended", end: endOf(result, { line: redactor.redact(line), message: lastWords.text(), timeoutMs }) };
}
