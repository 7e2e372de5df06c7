// One line of Claude Code's stream (`--output-format stream-json`): only what is used of it, and never trusted.
import * as z from "zod";

const count = z.int().nonnegative().catch(0);
const word = z.string().max(1_000).nullish().catch(null);
/** What is no moment at all counts as not said. */
const seconds = z.number().positive().max(8.64e12).nullish().catch(null);

const TextBlock = z.object({ type: z.literal("text"), text: z.string() });
const CallBlock = z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() });
const AnswerBlock = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  is_error: z.boolean().nullish().catch(null),
  content: z.unknown(),
});
/** Thoughts, pictures, and what is still to be invented. */
const OtherBlock = z.object({ type: z.string() }).transform(() => ({ type: "other" as const }));
const Blocks = z
  .array(z.union([TextBlock, CallBlock, AnswerBlock, OtherBlock]).catch({ type: "other" as const }))
  .catch([]);

const Usage = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
});
const ModelUsage = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  canonicalModel: word,
  /** `list`: by a price that Claude Code knows. Anything else is a guess. */
  costBasis: word,
});

const Assistant = z.object({
  type: z.literal("assistant"),
  message: z.object({
    id: z.string().max(1_000),
    content: Blocks,
    usage: Usage.nullish().catch(null),
  }),
  parent_tool_use_id: word,
  /** Set where the agent speaks in place of the model, about what went wrong. */
  error: word,
});
const User = z.object({
  type: z.literal("user"),
  message: z.object({ content: Blocks }),
  parent_tool_use_id: word,
  isSynthetic: z.boolean().nullish().catch(null),
});
const System = z.object({
  type: z.literal("system"),
  subtype: z.string(),
  session_id: word,
  model: word,
  permissionMode: word,
  claude_code_version: word,
  attempt: count,
  max_retries: count,
  retry_delay_ms: z.number().nonnegative().catch(0),
  error: word,
  error_status: z.int().nullish().catch(null),
});
const RateLimit = z.object({
  type: z.literal("rate_limit_event"),
  rate_limit_info: z.object({ status: z.string().max(100), resetsAt: seconds, rateLimitType: word }),
});
const Result = z.object({
  type: z.literal("result"),
  subtype: z.string(),
  is_error: z.boolean(),
  result: z.string().nullish().catch(null),
  session_id: word,
  stop_reason: word,
  terminal_reason: word,
  num_turns: count,
  total_cost_usd: z.number().nonnegative().nullish().catch(null),
  modelUsage: z.record(z.string(), ModelUsage).nullish().catch(null),
  permission_denials: z.array(z.object({ tool_name: z.string().max(200) })).catch([]),
  api_error: word,
  api_error_status: z.int().nullish().catch(null),
  api_error_type: word,
  errors: z.array(z.string()).nullish().catch(null),
});
export type ResultLine = z.output<typeof Result>;
export type ModelUsage = z.output<typeof ModelUsage>;
export type UsageCounts = z.output<typeof Usage>;

const Line = z.discriminatedUnion("type", [Assistant, User, System, RateLimit, Result]);
export type StreamLine = z.output<typeof Line>;

/** null: no line of the stream, or one that tells nothing we need. */
export function parseLine(text: string): StreamLine | null {
  try {
    return Line.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not JSON: a cut line, or the words of something the agent has started.
    return null;
  }
}
