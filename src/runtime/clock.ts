// Wall time for the journal. Simulations bring their own.
export interface Clock {
  /** Milliseconds since the epoch; may jump. The journal's own time never goes back. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
