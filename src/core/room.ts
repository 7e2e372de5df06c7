// Whether an iteration may begin within the budget, and who is next (rule B2). Who finds no room waits in line for what
// agents at work leave; as with merging, nothing is stored about whose turn it is.
import type { Effect } from "../protocol/effect.ts";
import { isOutsideRun, type RunId, type TaskId } from "../protocol/ids.ts";
import { type Room, roomIn } from "./ledger.ts";
import type { ReadonlyState } from "./state.ts";

/** Null: nothing is capped. An outside worker pays for its own agent. */
export const roomFor = ({ ledger }: ReadonlyState, run: RunId): Room | null =>
  ledger === null || isOutsideRun(run) ? null : roomIn(ledger);

export const isAnyoneShort = ({ pending }: ReadonlyState): boolean =>
  [...pending.values()].some(({ effect }) => effect.kind === "budget.wait");

/**
 * How many attempts a run carries that do not wait for room: those need no lane before it is their turn. An outside worker
 * waits for none.
 */
export function awakeOf(state: ReadonlyState, run: RunId): number {
  let awake = 0;
  const mayWait = !isOutsideRun(run);
  for (const task of state.working) {
    const phase = state.tasks.get(task)?.phase;
    if (phase?.status !== "in_progress" || phase.attempt.run !== run) continue;
    const { effect, cancelled } = phase.attempt;
    if (!mayWait || cancelled || effect === null || state.pending.get(effect)?.effect.kind !== "budget.wait")
      awake += 1;
  }
  return awake;
}

/** Whether a pending wait for room is to go on. It is over for the first in line when there is some, and for who was reset. */
export function waitsForRoom(state: ReadonlyState, effect: Pick<Effect, "kind" | "run"> & { task?: TaskId }): boolean {
  if (effect.kind !== "budget.wait" || effect.task === undefined) return false;
  const phase = state.tasks.get(effect.task)?.phase;
  if (phase?.status !== "in_progress" || phase.attempt.cancelled) return false;
  if (isOutsideRun(effect.run)) return false;
  const room = roomFor(state, effect.run);
  return (room !== null && room.kind !== "fits") || firstInLine(state) !== effect.task;
}

/** Of those whose run has a lane for it. */
function firstInLine(state: ReadonlyState): TaskId | undefined {
  for (const { effect } of state.pending.values()) {
    if (effect.kind !== "budget.wait") continue;
    const run = state.runs.get(effect.run);
    if (run !== undefined && awakeOf(state, run.id) < run.lanes) return effect.task;
  }
  return undefined;
}
