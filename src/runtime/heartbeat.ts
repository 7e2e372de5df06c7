// Says again and again that a run lives, and notices when another one no longer does (rule L2).
import type { RunId } from "../protocol/ids.ts";
import { deadRuns, goneRuns, leaseFor } from "./leases.ts";
import type { Place } from "./start-run.ts";

/** How late the death of another run is noticed at most. */
const lookEveryMs = 2_000;

export interface HeartbeatOptions {
  readonly run: RunId;
  readonly leaseSeconds: number;
  /** Another run is gone: what it carried must be looked at. */
  readonly onGone: () => Promise<unknown>;
  readonly onTrouble: (error: unknown) => void;
}

export class Heartbeat {
  readonly #place: Place;
  readonly #options: HeartbeatOptions;
  readonly #timers: readonly { stop(): void }[];

  constructor(place: Place, options: HeartbeatOptions) {
    this.#place = place;
    this.#options = options;
    const { clock } = place.ports;
    const renewEveryMs = (options.leaseSeconds * 1_000) / 3;
    this.#timers = [
      clock.every(
        renewEveryMs,
        this.#oneAtATime(() => renewLease(place, options.run, options.leaseSeconds)),
      ),
      clock.every(
        Math.min(lookEveryMs, renewEveryMs),
        this.#oneAtATime(() => this.#look()),
      ),
    ];
  }

  stop(): void {
    for (const timer of this.#timers) timer.stop();
  }

  async #look(): Promise<void> {
    const { journal, ports } = this.#place;
    const { processes, clock, store } = ports;
    const state = journal.state();
    if (state.runs.size < 2) return;
    const dead = await deadRuns(state, processes);
    const gone = goneRuns(state, dead, await store.leases(), await processes.self(), clock);
    if (gone.some(({ run }) => run !== this.#options.run)) await this.#options.onGone();
  }

  #oneAtATime(work: () => Promise<unknown>): () => void {
    let busy = false;
    return () => {
      if (busy) return;
      busy = true;
      work()
        .catch(this.#options.onTrouble)
        .finally(() => {
          busy = false;
        });
    };
  }
}

/** False when the lease was taken away: the run has ended without this process. */
export async function renewLease({ ports }: Place, run: RunId, seconds: number): Promise<boolean> {
  const { store, processes, clock } = ports;
  const { now } = await store.leases();
  return store.renew(leaseFor(run, await processes.self(), seconds, clock, now));
}
