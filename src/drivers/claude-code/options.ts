// How Claude Code is run for a user: all that can be chosen, and what it means for its command line.
import * as z from "zod";
import { VariablePatterns } from "../../protocol/env.ts";
import { Effort, ModelName } from "../../protocol/role.ts";
import type { Role, ToolServer, Words } from "../driver.ts";
import { Price } from "./prices.ts";
import { wordsSettings } from "./words.ts";

export const Options = z.strictObject({
  binary: z.string().trim().min(1).default("claude").describe("The program: a name on the PATH, or a path."),
  model: ModelName.optional().describe("As Claude Code names it; not given: the one its own settings name."),
  fallbackModel: ModelName.optional().describe(
    "Taken while the model is overloaded or not there; several with commas.",
  ),
  effort: Effort.optional().describe("How long it thinks."),
  permissionMode: z
    .enum(["bypassPermissions", "acceptEdits", "auto", "dontAsk", "plan"])
    .default("bypassPermissions")
    .describe(
      "What it may do without asking; nobody is there to be asked. As root, outside of a sandbox, Claude Code refuses to bypass permissions.",
    ),
  maxBudgetUsd: z.number().positive().max(1_000_000).optional().describe("It ends itself past this, one request late."),
  prices: z
    .record(ModelName, Price)
    .default({})
    .describe("In US dollars for a million tokens, of models that Claude Code does not price, or not as you pay them."),
  contextTokens: z
    .int()
    .min(1_000)
    .max(100_000_000)
    .optional()
    .describe(
      "How much its model can take; not given: as Claude Code's models can. Past three quarters of it the agent is asked to hand over and to end.",
    ),
  silenceMinutes: z
    .number()
    .positive()
    .max(10_000)
    .default(30)
    .describe("An agent that tells nothing for so long, not even of a tool, has stalled."),
  args: z.array(z.string().max(100_000)).max(100).default([]).describe("Further arguments, as they are."),
  env: VariablePatterns.default([]).describe("Variables of yours that it needs beside its own, such as AWS_*."),
});
export type Options = z.output<typeof Options>;

/**
 * Its own variables. Not all that begin with CLAUDE_CODE_: one who starts us from a session of Claude Code has that
 * session's in the environment, and they would make of the agent a part of it.
 */
export const ownVariables = [
  "ANTHROPIC_*",
  "CLAUDE_CONFIG_DIR",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
  "CLAUDE_CODE_MAX_RETRIES",
  "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
  "DISABLE_TELEMETRY",
  "DISABLE_ERROR_REPORTING",
] as const;

interface Given {
  readonly role: Role;
  readonly budgetUsd?: number | undefined;
  readonly tools?: ToolServer | undefined;
  readonly words?: Words | undefined;
}

/**
 * The prompt comes by standard input: an argument is limited in length, and everybody on the machine can read it. The
 * role's text is ours, and short.
 */
export const argvOf = (
  { model: usual, effort: usually, ...options }: Options,
  resumed: string | null,
  { role: { name, text, model = usual, effort = usually }, tools, words, budgetUsd = Number.POSITIVE_INFINITY }: Given,
): [string, ...string[]] => [
  options.binary,
  "--print",
  ...["--output-format", "stream-json", "--verbose"],
  ...["--permission-mode", options.permissionMode],
  ...["--append-system-prompt", text],
  ...(model === undefined ? [] : ["--model", model]),
  ...(options.fallbackModel === undefined ? [] : ["--fallback-model", options.fallbackModel]),
  ...(effort === undefined ? [] : ["--effort", effort]),
  ...cappedAt(Math.min(options.maxBudgetUsd ?? Number.POSITIVE_INFINITY, budgetUsd)),
  ...(resumed === null ? [] : ["--resume", resumed]),
  ...(tools === undefined ? [] : toolArguments(tools)),
  // The last of these counts, and whoever gives their own knows why.
  ...(words === undefined || options.args.includes("--settings") ? [] : ["--settings", wordsSettings(words)]),
  // It only answers: the user's tools and servers are nothing to it.
  ...(name === "summariser" ? ["--tools", "", "--strict-mcp-config"] : options.args),
];

/** Written out: it would not understand an exponent. */
const cappedAt = (usd: number): readonly string[] =>
  Number.isFinite(usd) ? ["--max-budget-usd", usd.toFixed(9).replace(/\.?0+$/, "")] : [];

/**
 * Beside the user's own servers, and allowed by name: no mode of permissions but one would let them be called unasked.
 * Everybody on the machine can read this: there is a path in it, and no secret.
 */
function toolArguments({ command: [command, ...args], env }: ToolServer): readonly string[] {
  const config = { mcpServers: { harness: { type: "stdio", command, args, env } } };
  return ["--mcp-config", JSON.stringify(config), "--allowedTools", "mcp__harness"];
}
