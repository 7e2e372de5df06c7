// That no run is at work on more attempts than it has lanes. Who waits for room in the budget is not at work: it needs no
// lane before its turn.
import type { Attempt } from "../../src/core/attempt-state.ts";
import type { State } from "../../src/core/state.ts";
import { isOutsideRun } from "../../src/protocol/ids.ts";

export function areWithinLanes(state: State): boolean {
  const attempts = [...state.working].flatMap((id) => {
    const phase = state.tasks.get(id)?.phase;
    return phase?.status === "in_progress" ? [phase.attempt] : [];
  });
  const waits = ({ effect, stage, cancelled }: Attempt): boolean => {
    // What a person has called off while it waited is put away at once, beside the lanes: its agent never was at work.
    if (cancelled && (stage === "archiving" || stage === "cleaning")) return true;
    if (stage !== "waiting") return false;
    const pending = effect === null ? undefined : state.pending.get(effect);
    // Between the end of its wait and what is asked for next, in one transaction, nothing of it is at work.
    return pending === undefined || pending.effect.kind === "budget.wait";
  };
  return [...state.runs.values()].every(({ id, lanes }) => {
    const own = attempts.filter(({ run }) => run === id);
    return own.filter((attempt) => isOutsideRun(id) || !waits(attempt)).length <= lanes;
  });
}
