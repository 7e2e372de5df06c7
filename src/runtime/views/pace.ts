// How often a view that costs something is written when nobody forces it.
import type { Clock } from "../clock.ts";

const pauseMs = 250;
/** Writing takes at most one part in this many of our time. */
const share = 20;

export class Pace {
  readonly #clock: Clock;
  #last: { readonly at: number; readonly tookMs: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  dueInMs(): number {
    if (this.#last === null) return 0;
    const passed = this.#clock.now() - this.#last.at;
    // A clock that was set back must not hold the view up.
    return passed < 0 ? 0 : Math.max(0, Math.max(pauseMs, share * this.#last.tookMs) - passed);
  }

  async timed<T>(work: () => Promise<T>): Promise<T> {
    const at = this.#clock.now();
    try {
      return await work();
    } finally {
      this.#last = { at, tookMs: Math.max(0, this.#clock.now() - at) };
    }
  }
}
