// Tells the journal how long a run is on, where that is capped (rule B1): every minute, and at the moment when no time is
// left. By the clock that never jumps (PR-19); of a run that was killed, what came after its last telling is not known.
import { capOf } from "../core/ledger.ts";
import type { RunId } from "../protocol/ids.ts";
import type { Place } from "./start-run.ts";

const lookEveryMs = 1_000;
const tellEveryMs = 60_000;

export interface RunTimeOptions {
  readonly run: RunId;
  /** Time may be up now. */
  readonly onTold: () => void;
  readonly onTrouble: (error: unknown) => void;
}

export class RunTime {
  readonly #place: Place;
  readonly #options: RunTimeOptions;
  #timer: { stop(): void } | null = null;
  #since: number;
  #times = 0;
  #telling: Promise<void> = Promise.resolve();

  constructor(place: Place, options: RunTimeOptions) {
    this.#place = place;
    this.#options = options;
    this.#since = place.ports.clock.monotonic();
  }

  /** To be called after every change: another process may cap it meanwhile, and it counts from then on. */
  watch(): void {
    if (this.#timer !== null || this.#left() === null) return;
    const { clock } = this.#place.ports;
    this.#since = clock.monotonic();
    this.#timer = clock.every(lookEveryMs, () => {
      if (this.#isDue()) this.#tell();
    });
  }

  /** Tells the rest. */
  async stop(): Promise<void> {
    if (this.#timer === null) return;
    this.#timer.stop();
    this.#tell();
    await this.#telling;
  }

  #isDue(): boolean {
    const left = this.#left();
    if (left === null) return false;
    const passed = this.#place.ports.clock.monotonic() - this.#since;
    // Said once, it is being heeded.
    const isSaid = this.#place.journal.state().ledger?.reached === "ms";
    return passed >= tellEveryMs || (!isSaid && passed >= left);
  }

  /** Null: time is not capped. */
  #left(): number | null {
    const { ledger } = this.#place.journal.state();
    const cap = ledger === null ? null : capOf(ledger, "ms");
    return ledger === null || cap === null ? null : cap - ledger.ms;
  }

  #tell(): void {
    const now = this.#place.ports.clock.monotonic();
    const ms = now - this.#since;
    this.#since = now;
    if (this.#left() === null || ms <= 0) return;
    this.#times += 1;
    const { run, onTold, onTrouble } = this.#options;
    const name = `${run}/time/${this.#times}`;
    this.#telling = this.#telling
      .then(async () => void (await this.#place.journal.transact({ type: "time.pass", run, ms }, name)))
      .then(onTold, onTrouble);
  }
}
