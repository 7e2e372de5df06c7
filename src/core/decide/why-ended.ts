// Why a run has nothing left to do.
import type { EndReason } from "../../protocol/view.ts";
import type { ReadonlyState } from "../state.ts";

export function whyNothingIsLeft(state: ReadonlyState): [EndReason, string] {
  if (state.approvals.size > 0)
    return ["waiting", `waiting for an answer to ${[...state.approvals.keys()].join(", ")}`];
  if (state.counts.completed === state.tasks.size) return ["completed", ""];
  if (isOnlyOutOfIterations(state)) return ["limit", "the iterations are used up, and the promise was not kept"];
  return ["failed", `${state.counts.failed} failed, ${state.counts.blocked} blocked`];
}

/** A loop that came to its limit did not fail: it was stopped (I1). */
function isOnlyOutOfIterations(state: ReadonlyState): boolean {
  const undone = [...state.tasks.values()].filter(({ phase }) => phase.status !== "completed");
  return undone.every(
    ({ spec, phase, failures }) =>
      spec.loop !== undefined && phase.status === "failed" && failures.at(-1)?.kind === "iterations_used_up",
  );
}
