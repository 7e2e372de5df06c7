// What flags and configuration want a mission to be bounded by (rule B2).
import { type BudgetWish, defaultBudget } from "../../protocol/budget.ts";
import type { Config } from "../../protocol/config.ts";

export interface BudgetFlags {
  readonly maxCostUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxMinutes?: number | undefined;
}

/** `anew`: for new work, which is not bounded by what was said of other work. Undefined: nobody says anything. */
export function budgetWish(config: Config, flags: BudgetFlags, anew: boolean): BudgetWish | undefined {
  const isFlag = Object.values(flags).some((value) => value !== undefined);
  const { maxCostUsd, maxTokens, maxMinutes } = { ...config, ...given(flags) };
  const isSaid = [maxCostUsd, maxTokens, maxMinutes].some((value) => value !== undefined);
  if (!isSaid && !anew) return undefined;
  const { perIterationUsd, perIterationTokens, maxCostUsdWarnThreshold: warnAt, maxCostUsdAutoPause: ask } = config;
  const { perIteration } = defaultBudget;
  return {
    from: isFlag ? "flags" : "config",
    anew,
    ...(maxCostUsd !== undefined && { nanoUsd: nanoUsd(maxCostUsd) }),
    ...(maxTokens !== undefined && { tokens: maxTokens }),
    ...(maxMinutes !== undefined && { ms: Math.ceil(maxMinutes * 60_000) }),
    perIteration: {
      nanoUsd: perIterationUsd === undefined ? perIteration.nanoUsd : nanoUsd(perIterationUsd),
      tokens: perIterationTokens ?? perIteration.tokens,
    },
    ...(warnAt !== undefined && { warnAt }),
    ...(ask !== undefined && { ask }),
  };
}

const given = (flags: BudgetFlags): BudgetFlags =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));

const nanoUsd = (usd: number): number => Math.max(1, Math.round(usd * 1e9));
