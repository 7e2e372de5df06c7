// Time from outside. Simulations bring their own.
export interface WallClock {
  /** Milliseconds since the epoch; may jump. The journal's own time never goes back. */
  now(): number;
}

export interface Clock extends WallClock {
  /** Milliseconds of this boot, the same for every process of it; never jumps, stands still while the machine sleeps. */
  monotonic(): number;
  /** Calls `beat` again and again until it is stopped. */
  every(milliseconds: number, beat: () => void): { stop(): void };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint() / 1_000_000n),
  every: (milliseconds, beat) => {
    const timer = setInterval(beat, milliseconds);
    return { stop: () => clearInterval(timer) };
  },
};
