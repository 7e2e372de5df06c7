// Ends an attempt whose iterations go in circles, instead of letting it use up all it may have (rule B4).
import { oneLine } from "../../kit/escape.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Turn } from "./turn.ts";

/**
 * Iterations in a row that may come to the same. Two that change nothing may be a bad start and a look round; the third
 * sees what they saw. The same failure after changes is given one more: each of them tried something else. A call that
 * fails is told to the next iteration, which knows better or does not.
 */
export const mostAlike = { trees: 3, errors: 4, calls: 2 } as const;

/** Null: it may go on. */
export function circling({ attempt, effect: { task } }: Turn): Failure | null {
  const { repeats, unkept, cut } = attempt;
  const what =
    repeats.trees >= mostAlike.trees
      ? `its files were the same at the end of ${repeats.trees} iterations in a row`
      : repeats.errors >= mostAlike.errors
        ? `${repeats.errors} iterations in a row came to the same failure, whatever they changed`
        : repeats.calls >= mostAlike.calls
          ? `${repeats.calls} iterations in a row had to be ended because the same call kept failing`
          : null;
  if (what === null) return null;
  const last = cut?.message ?? unkept?.message;
  const evidence = cut === null ? unkept?.evidence : undefined;
  return {
    kind: "stuck",
    message: `${task} went in circles: ${what}${last === undefined ? "" : `; the last: ${oneLine(last, 1_000)}`}`,
    remedy: `say it in other words or smaller steps (harness edit ${task} --description TEXT), or mend what is in its way; then: harness retry ${task}`,
    ...(evidence !== undefined && { evidence }),
  };
}
