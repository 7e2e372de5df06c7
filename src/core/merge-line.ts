// The merge line (rule G5). Without it a candidate may be overtaken again and again, each time for another judgement.
//
// Who asks to merge stands in line; who was overtaken stands in it from its next commit on, through judging, to the
// merge. Only the first acts, so nothing comes between its commit and its merge: a task is judged at most twice. Nobody
// else is held up: agents work and first candidates are judged beside the line, and with nobody before it a merge is
// done at once. Nothing is stored about whose turn it is: an attempt that ends, fails, goes to its agent, or whose run
// ends, is out of the line by that.
import type { Effect } from "../protocol/effect.ts";
import type { TaskId } from "../protocol/ids.ts";
import type { ReadonlyState } from "./state.ts";

/** The task whose turn it is. */
export function firstInLine(state: ReadonlyState): TaskId | undefined {
  let first: { readonly task: TaskId; readonly place: number } | undefined;
  for (const task of state.working) {
    const phase = state.tasks.get(task)?.phase;
    if (phase?.status !== "in_progress") continue;
    const { place, run, cancelled } = phase.attempt;
    if (place === null || cancelled || !state.runs.has(run)) continue;
    if (first === undefined || place < first.place) first = { task, place };
  }
  return first?.task;
}

/** Whether a pending effect is not to be begun yet. */
export function waitsInLine(state: ReadonlyState, effect: Pick<Effect, "kind"> & { readonly task?: TaskId }): boolean {
  if ((effect.kind !== "workspace.commit" && effect.kind !== "workspace.merge") || effect.task === undefined)
    return false;
  const phase = state.tasks.get(effect.task)?.phase;
  if (phase?.status !== "in_progress" || phase.attempt.place === null || phase.attempt.cancelled) return false;
  return firstInLine(state) !== effect.task;
}
