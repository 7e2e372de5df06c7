// How often a view that costs something is written when nobody forces it.

const pauseMs = 250;
/** Writing takes at most one part in this many of our time. */
const share = 20;

export class Pace {
  readonly #elapsedMs: () => number;
  #last: { readonly at: number; readonly tookMs: number } | null = null;

  /** Milliseconds since some moment; must never jump, as the wall clock does (PR-19). */
  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  dueInMs(): number {
    if (this.#last === null) return 0;
    const passed = this.#elapsedMs() - this.#last.at;
    return Math.max(0, Math.max(pauseMs, share * this.#last.tookMs) - passed);
  }

  async timed<T>(work: () => Promise<T>): Promise<T> {
    const at = this.#elapsedMs();
    try {
      return await work();
    } finally {
      this.#last = { at, tookMs: this.#elapsedMs() - at };
    }
  }
}
