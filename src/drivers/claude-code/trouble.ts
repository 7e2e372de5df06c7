// What a result that is none means: by Claude Code's structured fields, as they were observed, never by its prose.
import type { AgentFailure, AgentTrouble } from "../../protocol/agent.ts";
import type { Seen } from "./seen.ts";
import type { ResultLine } from "./stream-line.ts";

type KnownKind = Extract<AgentFailure["kind"], "auth" | "task_exec" | "overloaded" | "rate_limited" | "network">;
export type TroubleKind = AgentTrouble | KnownKind | "limited" | "lost";

interface Sign {
  readonly kind: TroubleKind;
  readonly shows: (result: ResultLine, seen: Seen) => boolean;
}

const isLimit = (word: string | null | undefined): boolean => word === "usage_limit_reached";

/** The first that shows counts: what is said about the whole run comes before what is said about one request. */
const signs: readonly Sign[] = [
  { kind: "turns_used_up", shows: (result) => result.subtype === "error_max_turns" },
  { kind: "budget_used_up", shows: (result) => result.subtype === "error_max_budget_usd" },
  // Somebody interrupted it, and it was not us: we end it otherwise.
  { kind: "lost", shows: ({ terminal_reason }) => terminal_reason?.startsWith("aborted_") === true },
  { kind: "context_overflow", shows: (result) => result.terminal_reason === "prompt_too_long" },
  { kind: "refused", shows: (result) => result.stop_reason === "refusal" },
  { kind: "limited", shows: (result) => isLimit(result.api_error) || isLimit(result.api_error_type) },
  { kind: "limited", shows: (_, { error, limit }) => error === "rate_limit" && limit?.status === "rejected" },
  { kind: "rate_limited", shows: (_, { error }) => error === "rate_limit" },
  { kind: "auth", shows: (_, { error }) => error === "authentication_failed" },
  { kind: "billing", shows: (_, { error }) => error === "billing_error" },
  { kind: "output_overflow", shows: (_, { error }) => error === "max_output_tokens" },
  { kind: "network", shows: (result) => result.api_error === "connection_failed" },
  { kind: "overloaded", shows: (_, { error }) => error === "server_error" || error === "overloaded" },
];

export const troubleOf = (result: ResultLine, seen: Seen): TroubleKind =>
  signs.find(({ shows }) => shows(result, seen))?.kind ?? "task_exec";

export const remedies: Partial<Record<AgentFailure["kind"], string>> = {
  auth: "log in: run claude and type /login, or pass a valid ANTHROPIC_API_KEY",
  billing: "see the billing of your account, or log in with another",
  overloaded: "wait a while, then run again",
  rate_limited: "wait a while, then run again; use fewer lanes",
  network: "see that the network and ANTHROPIC_BASE_URL work, then run again",
  context_overflow: "make the task smaller, or give it fewer files and tools",
  output_overflow: "make the task smaller, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS",
  refused: "say the task in other words, or choose another model",
  turns_used_up: "allow it more turns, or make the task smaller",
  budget_used_up: "raise maxBudgetUsd in the agent's options, or make the task smaller",
  tools_denied:
    "choose another permissionMode in the agent's options, or allow the tools in your settings of Claude Code",
};
