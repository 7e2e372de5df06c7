// What an iteration used, by Claude Code's own sums.
import type { Account, Cost, Tokens } from "../../protocol/account.ts";
import { hasOwnPrice, type Prices, priceOf } from "./prices.ts";
import type { ModelUsage, ResultLine, UsageCounts } from "./stream-line.ts";

export const noTokens: Tokens = { input: 0, cached: 0, output: 0 };

/** Of what was not even started. */
export const nothingUsed: Account = { turns: 0, tokens: noTokens, cost: { basis: "reported", usd: 0 } };

export const tokensOf = (usage: UsageCounts): Tokens => ({
  input: usage.input_tokens + usage.cache_creation_input_tokens,
  cached: usage.cache_read_input_tokens,
  output: usage.output_tokens,
});

export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input + b.input,
  cached: a.cached + b.cached,
  output: a.output + b.output,
});

/**
 * Of the session so far. Sums by model are taken: the other ones leave out what agents used that this one sent out, and
 * are of one program's run, where models and cost go on to add up when a session is taken up again.
 */
export const accountOf = (result: ResultLine, own: Prices = {}): Account => ({
  turns: result.num_turns,
  tokens: Object.values(result.modelUsage ?? {})
    .map(tokensOfModel)
    .reduce(addTokens, noTokens),
  cost: costOf(result, own),
});

const tokensOfModel = (used: ModelUsage): Tokens => ({
  input: used.inputTokens + used.cacheCreationInputTokens,
  cached: used.cacheReadInputTokens,
  output: used.outputTokens,
});

/** Sums of prices have digits that mean nothing; a billionth of a dollar is less than any price. */
const dollars = (usd: number): number => Math.round(usd * 1e9) / 1e9;

function costOf({ total_cost_usd: total, modelUsage }: ResultLine, own: Prices): Cost {
  const models = Object.entries(modelUsage ?? {});
  const isListed = models.every(([, { costBasis }]) => costBasis === "list");
  const isOwn = models.some(([name, { canonicalModel }]) => hasOwnPrice(canonicalModel ?? name, own));
  if (typeof total === "number" && isListed && !isOwn) return { basis: "reported", usd: dollars(total) };
  if (models.length === 0) return { basis: "unknown" };
  let usd = 0;
  for (const [name, used] of models) {
    const price = priceOf(used.canonicalModel ?? name, own);
    if (price === null) return { basis: "unknown" };
    usd +=
      used.inputTokens * price.input +
      used.outputTokens * price.output +
      used.cacheReadInputTokens * price.cacheRead +
      used.cacheCreationInputTokens * price.cacheWrite;
  }
  return { basis: "computed", usd: dollars(usd / 1_000_000) };
}

/** Of an iteration that needed another run of the program in the same session; `isWhole`: which told its result. */
export function goneOn(before: Account | null, now: Account | undefined, isWhole: boolean): Account | null {
  if (before === null || now === undefined) return now ?? before;
  const turns = before.turns + now.turns;
  if (isWhole) return { ...now, turns };
  return { turns, tokens: addTokens(before.tokens, now.tokens), cost: { basis: "unknown" } };
}
