// What the rest of the plan is likely to cost, by what finished tasks have cost (rule B2).
import type { Forecast } from "../../protocol/budget.ts";
import type { ReadonlyState } from "../state.ts";

/** Fewer than this say nothing about how far costs lie apart. */
const fewest = 3;
/** Nine of ten lie below. */
const z90 = 1.2816;

/**
 * Null where no finished task has told what it cost. A sum of tasks yet to come lies around as many times the mean – of
 * all that was used, failed attempts and tasks included, for each that was finished –, spread by how far single tasks
 * lie apart and by how few of them the mean is known from.
 */
export function forecastOf(state: ReadonlyState): Forecast | null {
  const costs: number[] = [];
  let left = 0;
  for (const { phase, used } of state.tasks.values()) {
    if (phase.status === "completed" && phase.commit !== null && used.nanoUsd > 0) costs.push(used.nanoUsd / 1e9);
    const isOpen =
      phase.status === "failed" ? !phase.final : phase.status === "pending" || phase.status === "in_progress";
    if (isOpen) left += 1;
  }
  if (costs.length === 0) return null;
  const perTaskUsd = state.used.nanoUsd / 1e9 / costs.length;
  const p50Usd = perTaskUsd * left;
  return {
    perTaskUsd,
    tasks: costs.length,
    left,
    p50Usd,
    p90Usd: costs.length < fewest ? null : p50Usd + spread(costs, left),
  };
}

function spread(costs: readonly number[], left: number): number {
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  const variance = costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / (costs.length - 1);
  return z90 * Math.sqrt(variance * (left + left ** 2 / costs.length));
}
