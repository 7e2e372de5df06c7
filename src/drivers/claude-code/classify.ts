// From what was seen of a stream and how its program ended to the one end of the iteration. Pure.
import { assertNever } from "../../kit/assert-never.ts";
import { oneLine } from "../../kit/escape.ts";
import { breachText } from "../../kit/resource-watch.ts";
import type { RunResult } from "../../kit/run-process.ts";
import type { Account } from "../../protocol/account.ts";
import type { AgentEnd, AgentFailure } from "../../protocol/agent.ts";
import { accountOf, nothingUsed } from "./account.ts";
import type { Prices } from "./prices.ts";
import type { Seen } from "./seen.ts";
import type { ResultLine } from "./stream-line.ts";
import { remedies, troubleOf } from "./trouble.ts";

/** How the program ended, and whether it was us – because it had told its result, or told nothing for too long. */
export type Exit = RunResult & { readonly endedBy: "result" | "silence" | null };

export interface Circumstances {
  readonly timeoutMs: number;
  readonly silenceMs: number;
  /** The user's own. */
  readonly prices?: Prices;
}

const longestMessage = 4_096;
const crashes = ["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGQUIT", "SIGSEGV", "SIGSYS", "SIGTRAP"];
/** What a shell would say for INT and TERM: it was asked to end, and ended. */
const askedToEnd = [0, 130, 143];

export function classify(seen: Seen, exit: Exit, limits: Circumstances): AgentEnd {
  const told = seen.result === null ? cutShort(seen) : accountOf(seen.result, limits.prices);
  const account = exit.end === "not_started" ? nothingUsed : told;
  const end = (): AgentEnd => {
    if (exit.end === "refused") return { reason: "interrupted" };
    if (exit.end === "aborted" && exit.endedBy === null) return { reason: "interrupted" };
    if (exit.end === "exceeded")
      return failed("resources", `Claude Code ${breachText(exit.breach)}`, {
        remedy: "see that it needs less, or allow it more: resources in your own configuration",
      });
    if (seen.result !== null) return endOfResult(seen.result, seen);
    return endWithoutResult(seen, exit, limits);
  };
  return account === null ? end() : { ...end(), account };
}

/** Its last answer was counted before it was over. */
const cutShort = ({ session, turns, tokens }: Seen): Account | null =>
  session === null ? null : { turns, tokens, cost: turns === 0 ? { basis: "reported", usd: 0 } : { basis: "unknown" } };

/** Tools, but no text, is no end, and neither is nothing at all (I3): whoever runs it may ask it to go on. */
export function isEmpty({ result, wasSilent }: Seen): boolean {
  if (result === null) return false;
  if (result.subtype === "error_during_execution") return wasSilent;
  return result.subtype === "success" && !result.is_error && (result.result ?? "").trim() === "";
}

export const withoutAWord: AgentEnd = { reason: "stalled", message: "Claude Code ended without a word", empty: true };

function endOfResult(result: ResultLine, seen: Seen): AgentEnd {
  const [told = ""] = (result.result || result.errors?.join("; ") || result.subtype).trim().split("\n", 1);
  const words = oneLine(told, 1_000);
  if (result.subtype === "success" && !result.is_error) {
    const denied = [...new Set(result.permission_denials.map(({ tool_name }) => tool_name))];
    if (denied.length > 0 && !seen.acted)
      return failed("tools_denied", `Claude Code was allowed nothing it tried: ${oneLine(denied.join(", "), 500)}`);
    if (isEmpty(seen)) return withoutAWord;
    return { reason: "finished", message: (result.result ?? "").slice(-longestMessage) };
  }
  const kind = troubleOf(result, seen);
  if (kind === "task_exec" && isEmpty(seen)) return withoutAWord;
  if (kind === "limited") return { reason: "limited", until: seen.limit?.until ?? null, message: words };
  if (kind === "lost") return { reason: "lost", message: `Claude Code was interrupted: ${words}` };
  return failed(kind, `Claude Code failed: ${words}`);
}

function endWithoutResult(seen: Seen, exit: Exit, limits: Circumstances): AgentEnd {
  const evidence = exit.output === "" ? {} : { evidence: exit.output };
  const began = seen.session !== null;
  switch (exit.end) {
    case "timeout":
      return failed("timeout", `Claude Code took longer than ${limits.timeoutMs} ms`, evidence);
    case "not_started":
      return failed("env_setup", `Claude Code could not be started (${oneLine(exit.reason, 500)})`, {
        remedy:
          "see that Claude Code is installed and on the PATH it is given, or name its program: binary in the agent's options",
      });
    case "aborted":
      return { reason: "stalled", message: `Claude Code said nothing for ${limits.silenceMs} ms` };
    case "signalled":
      if (began && !crashes.includes(exit.signal))
        return { reason: "lost", message: `Claude Code was ended by ${exit.signal}, and not by us` };
      return failed("task_exec", `Claude Code was ended by ${exit.signal}`, evidence);
    case "exited":
      if (began && askedToEnd.includes(exit.code))
        return { reason: "lost", message: `Claude Code exited with ${exit.code} and told no result` };
      if (began || exit.code === 0)
        return failed("task_exec", `Claude Code exited with ${exit.code} and told no result`, evidence);
      return failed("env_setup", `Claude Code would not start (exit ${exit.code}): ${lastLine(exit.output)}`, evidence);
    case "exceeded":
    case "refused":
      return { reason: "interrupted" };
    default:
      return assertNever(exit);
  }
}

const lastLine = (text: string): string => oneLine(text.trim().split("\n").at(-1) ?? "", 500);

function failed(
  kind: AgentFailure["kind"],
  message: string,
  more: Pick<AgentFailure, "remedy" | "evidence"> = {},
): AgentEnd {
  const remedy = remedies[kind];
  return { reason: "failed", failure: { kind, message, ...(remedy && { remedy }), ...more } };
}
