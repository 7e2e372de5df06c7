// Why a run has nothing left to do.
import type { FailureKind } from "../../protocol/failure.ts";
import type { EndReason } from "../../protocol/view.ts";
import { phasesWaitingText } from "../barrier.ts";
import type { ReadonlyState, ReadonlyTask } from "../state.ts";

export function whyNothingIsLeft(state: ReadonlyState): [EndReason, string] {
  if (state.approvals.size > 0)
    return ["waiting", `waiting for an answer to ${[...state.approvals.keys()].join(", ")}`];
  if (state.counts.completed === state.tasks.size) return ["completed", ""];
  const undone = [...state.tasks.values()].filter(({ phase }) => phase.status !== "completed");
  if (undone.every(wasStopped)) return ["limit", whyStopped(undone)];
  const waiting = phasesWaitingText(state);
  return [
    "failed",
    `${state.counts.failed} failed, ${state.counts.blocked} blocked${waiting === "" ? "" : `; ${waiting}`}`,
  ];
}

/** A loop that came to its limit did not fail: it was stopped (I1), like whatever went in circles (B4). */
const wasStopped = (task: ReadonlyTask): boolean =>
  task.phase.status === "failed" &&
  (lastKind(task) === "stuck" || (task.spec.loop !== undefined && lastKind(task) === "iterations_used_up"));

const lastKind = ({ failures }: ReadonlyTask): FailureKind | undefined => failures.at(-1)?.kind;

function whyStopped(undone: readonly ReadonlyTask[]): string {
  const stuck = undone.filter((task) => lastKind(task) === "stuck");
  const [first] = stuck;
  if (first === undefined) return "the iterations are used up, and the promise was not kept";
  if (stuck.length > 1) return `${stuck.map(({ spec }) => spec.id).join(", ")} went in circles`;
  const { message = "", remedy = "" } = first.failures.at(-1) ?? {};
  return `${message}; next: ${remedy}`;
}
