// What the end of an agent's program says about the iteration.
import { assertNever } from "../../kit/assert-never.ts";
import { oneLine } from "../../kit/escape.ts";
import { breachText } from "../../kit/resource-watch.ts";
import type { RunResult } from "../../kit/run-process.ts";
import type { AgentEnd } from "../../protocol/agent.ts";

/** By what a shell answers when it cannot run a program: trying again would only use up attempts. */
const remedies: Readonly<Record<number, string>> = {
  126: "see that the agent's program may be executed",
  127: "see that the agent's program is installed and on the PATH it is given",
};

const needsLess = "see that it needs less, or allow it more: resources in your own configuration";

export function endOf(
  result: RunResult,
  run: { readonly line: string; readonly message: string; readonly timeoutMs: number },
): AgentEnd {
  const evidence = result.output === "" ? {} : { evidence: result.output };
  const failed = (
    kind: "task_exec" | "timeout" | "env_setup" | "resources",
    message: string,
    remedy?: string,
  ): AgentEnd => ({
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
    case "exceeded":
      return failed("resources", `the agent ${breachText(result.breach)}`, needsLess);
    case "not_started":
      return failed("env_setup", `the agent could not be started (${oneLine(result.reason, 500)})`);
    case "aborted":
    case "refused":
      return { reason: "interrupted" };
    default:
      return assertNever(result);
  }
}
