// When rounds (rule B3) lead nowhere, or there have been as many as there may be: nothing more is begun.
import type { ReadonlyRun, ReadonlyState, ReadonlyTask } from "./state.ts";

/** Rounds in a row in which nothing was completed, charged or marked by a checkpoint. */
const maxStale = 2;
/** Rounds in a row without a finished task. */
const maxBarren = 50;

/** Whether rounds in a row led nowhere: a person may have them go on. */
export const isRowOver = ({ rounds }: ReadonlyState): boolean => rounds.stale >= maxStale || rounds.barren >= maxBarren;

/** Whether nothing more may be begun. Of the most rounds there may be, those under way are a part. */
export function areRoundsOver(state: ReadonlyState, { lanes }: Pick<ReadonlyRun, "lanes">): boolean {
  const { rounds, working, mission } = state;
  const most = mission?.limits.maxRounds;
  if (isRowOver(state)) return true;
  if (most === undefined) return false;
  // However many one with more lanes has settled: the round ends with the next, not before.
  const settled = Math.min(rounds.settled, lanes - 1);
  return settled + working.size >= (most - rounds.count) * lanes;
}

/** As a person who looks is told; null: nothing is ready, or it will be begun. */
export function roundsOverIn(state: ReadonlyState): string | null {
  const isSpent = state.rounds.count >= (state.mission?.limits.maxRounds ?? Number.POSITIVE_INFINITY);
  return state.ready.peek() !== undefined && (isRowOver(state) || isSpent) ? whyRoundsAreOver(state) : null;
}

export function whyRoundsAreOver(state: ReadonlyState): string {
  const { stale, barren } = state.rounds;
  if (stale >= maxStale) {
    const asked = [...state.approvals.keys()];
    const next = asked.length === 0 ? "" : `answer ${asked.join(", ")} (harness approve NAME), or `;
    return `${stale} rounds in a row came to nothing: no task was finished, no attempt counted, no checkpoint made; next: ${next}harness resume to go on as it is`;
  }
  if (barren >= maxBarren)
    return `${barren} rounds in a row without a finished task${lastFailure(state)}; next: mend what they have in common, then harness resume, or harness retry TASK`;
  return `the mission has had its ${state.mission?.limits.maxRounds} rounds (limits.maxRounds)`;
}

function lastFailure({ tasks }: ReadonlyState): string {
  let last: ReadonlyTask | undefined;
  for (const task of tasks.values())
    if (task.failures.length > 0 && (task.failedAt ?? 0) >= (last?.failedAt ?? 0)) last = task;
  const failure = last?.failures.at(-1);
  return last === undefined || failure === undefined ? "" : `; the last failure: ${last.spec.id}, ${failure.message}`;
}
