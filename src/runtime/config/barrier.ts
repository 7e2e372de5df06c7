// Which phases of the plan begin one after the other (rule I8).
import type { Config } from "../../protocol/config.ts";
import { presetPhases } from "../../protocol/phases.ts";

/** Null: only dependencies bind. */
export function barrierOf({
  barrier,
  phases = "product",
}: Pick<Config, "barrier" | "phases">): readonly string[] | null {
  if (!barrier) return null;
  return Array.isArray(phases) ? phases.map(({ name }) => name) : presetPhases[phases];
}
