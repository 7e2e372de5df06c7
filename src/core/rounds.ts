// Rounds (rule B3): as many settlements as the run has lanes.

export interface Rounds {
  /** Those that are over, and of these the last ones in a row that came to nothing, or to no finished task. */
  count: number;
  stale: number;
  barren: number;
  /** The present one: attempts that ended in it, and whether any of them, or a checkpoint, was a step forward. */
  settled: number;
  moved: boolean;
  completed: boolean;
}

export const noRounds = (): Rounds => ({
  count: 0,
  stale: 0,
  barren: 0,
  settled: 0,
  moved: false,
  completed: false,
});

export type Outcome = "completed" | "charged" | "nothing";

export function settleInRound(rounds: Rounds, lanes: number, outcome: Outcome): void {
  rounds.settled += 1;
  if (outcome !== "nothing") rounds.moved = true;
  if (outcome === "completed") rounds.completed = true;
  if (rounds.settled < lanes) return;
  rounds.count += 1;
  rounds.stale = rounds.moved ? 0 : rounds.stale + 1;
  rounds.barren = rounds.completed ? 0 : rounds.barren + 1;
  rounds.settled = 0;
  rounds.moved = false;
  rounds.completed = false;
}

/** A person has changed something, or wants it to go on as it is: the row is over, what is absolute is not. */
export function beginRowAnew(rounds: Rounds): void {
  rounds.stale = 0;
  rounds.barren = 0;
  rounds.moved = rounds.settled > 0;
  rounds.completed = false;
}
