// What is under way, and what holds all of it.
import type { RunId, TaskId } from "../../protocol/ids.ts";
import type { ReadonlyState } from "../state.ts";
import { isAsleep } from "../waiting.ts";

/** How many attempts the run carries, how many of them only wait for the agent, and one that nobody carries any more. */
export function work(state: ReadonlyState, run: RunId): { own: number; asleep: number; orphan: TaskId | undefined } {
  let own = 0;
  let asleep = 0;
  let orphan: TaskId | undefined;
  for (const task of state.working) {
    const phase = state.tasks.get(task)?.phase;
    if (phase?.status !== "in_progress") continue;
    if (phase.attempt.run === run) own += 1;
    else if (!state.runs.has(phase.attempt.run)) orphan ??= task;
    if (phase.attempt.run === run && isAsleep(phase.attempt)) asleep += 1;
  }
  return { own, asleep, orphan };
}

/** A question to a person that holds more than one task. */
export const isMissionHeld = (state: ReadonlyState): boolean =>
  [...state.approvals.values()].some(({ task, proposal }) => task === null && proposal === null);
