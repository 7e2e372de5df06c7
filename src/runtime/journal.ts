// The mailbox: every change of state in every process is one transaction – lock, fold the tail, decide, append.
import { react } from "../core/decide/decide.ts";
import { emptyState } from "../core/empty-state.ts";
import { fold } from "../core/evolve/evolve.ts";
import { readSnapshot, writeSnapshot } from "../core/snapshot.ts";
import type { ReadonlyState, State } from "../core/state.ts";
import { changedRuns } from "../core/views/run-row.ts";
import type { EventOf, Recorded } from "../protocol/event.ts";
import type { Failure } from "../protocol/failure.ts";
import type { Asked } from "../protocol/input.ts";
import { decodeEvent, encodeEvent } from "../protocol/upgrade.ts";
import type { Lease, Store, StoredEvent, Surroundings } from "../stores/store.ts";
import type { WallClock } from "./clock.ts";

const page = 10_000;
/** A snapshot is worth its cost once this much more would have to be folded (or one event per task, if that is more). */
const snapshotAfter = 10_000;

/** What a question may look at inside its own transaction. */
export interface Seen {
  readonly state: ReadonlyState;
  readonly around: () => Surroundings;
}
/** `lease`: given to the asking run if it is accepted. */
export interface Asking {
  readonly asked: Asked;
  readonly lease?: Lease;
}

export type Listener = (events: readonly Recorded[]) => void;

export class Journal {
  readonly #store: Store;
  readonly #clock: WallClock;
  readonly #clean: <T>(words: T) => T;
  readonly #listeners = new Set<Listener>();
  #state: State = emptyState();
  /** Events were folded that may not have been committed: the state must be built anew before it is used. */
  #doubtful = true;
  #snapshotAt = 0;
  #decidedAt = 0;
  /** One at a time within this process; the store serialises between processes. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: Store, clock: WallClock, clean = <T>(words: T) => words) {
    this.#store = store;
    this.#clock = clock;
    this.#clean = clean;
  }

  state(): ReadonlyState {
    return this.#state;
  }

  onEvents(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Up to which event this process has drawn its conclusions; what others appended later may only have been folded. */
  decidedAt(): number {
    return this.#decidedAt;
  }

  /** Resolves when what was decided is durable. A rejection means that nothing may be assumed (the store failed). */
  transact(asked: Asked, commandId: string): Promise<readonly Recorded[]> {
    return this.transactSeeing(() => ({ asked }), commandId);
  }

  /** As `transact`, for what can be asked only with the journal locked; `ask` must be pure. */
  transactSeeing(ask: (seen: Seen) => Asking, commandId: string): Promise<readonly Recorded[]> {
    return this.#inTurn(async () => {
      await this.#settleDoubt();
      this.#doubtful = true;
      const committed = await this.#store.transact({
        after: this.#state.position,
        commandId,
        decide: (tail, around) => {
          fold(this.#state, tail.map(decode));
          const { asked, lease } = ask({ state: this.#state, around });
          // Time never goes back along a journal, whatever the clock does.
          const at = Math.max(this.#state.at, this.#clock.now());
          const events = react(this.#state, { ...this.#clean(asked), at });
          return {
            events: events.map((event) => encodeEvent(event.type === "input.refused" ? this.#clean(event) : event, at)),
            runs: changedRuns(this.#state, events),
            lease: lease !== undefined && this.#state.runs.has(lease.run) ? lease : undefined,
            freed: events.flatMap((event) => (event.type === "run.ended" ? [event.run] : [])),
          };
        },
      });
      this.#doubtful = false;
      const appended = committed.appended.map(decode);
      if (committed.repeated) {
        await this.#catchUp();
        return appended;
      }
      this.#decidedAt = this.#state.position;
      this.#tell([...committed.tail.map(decode), ...appended]);
      return appended;
    });
  }

  /** Folds what other processes appended, and answers how many events that were. */
  catchUp(): Promise<number> {
    return this.#inTurn(async () => {
      await this.#settleDoubt();
      return this.#catchUp();
    });
  }

  /** Shows `use` the state at the journal's head, with nothing in it that is not committed. */
  look<T>(use: (state: ReadonlyState) => T): Promise<T> {
    return this.#inTurn(async () => {
      await this.#settleDoubt();
      await this.#catchUp();
      return use(this.#state);
    });
  }

  /** At the clean end of a run always; during it and after a command only when the tail has grown long. */
  snapshot(when: "always" | "if-long"): Promise<void> {
    return this.#inTurn(async () => {
      await this.#settleDoubt();
      const { position, tasks } = this.#state;
      const tail = position - this.#snapshotAt;
      if (tail === 0 || (when === "if-long" && tail < Math.max(snapshotAfter, tasks.size))) return;
      const [last] = await this.#store.read(position - 1, 1);
      if (last === undefined) return;
      await this.#store.saveSnapshot({ position, hash: last.hash, body: writeSnapshot(this.#state) });
      this.#snapshotAt = position;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work, work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #settleDoubt(): Promise<void> {
    if (!this.#doubtful) return;
    const snapshot = await this.#store.loadSnapshot();
    const restored = snapshot === null ? null : readSnapshot(snapshot.body);
    this.#state = restored ?? emptyState();
    this.#snapshotAt = restored?.position ?? 0;
    for (;;) {
      const events = await this.#store.read(this.#state.position, page);
      fold(this.#state, events.map(decode));
      if (events.length < page) break;
    }
    this.#doubtful = false;
  }

  async #catchUp(): Promise<number> {
    let count = 0;
    for (;;) {
      const events = (await this.#store.read(this.#state.position, page)).map(decode);
      fold(this.#state, events);
      this.#tell(events);
      count += events.length;
      if (events.length < page) return count;
    }
  }

  #tell(events: readonly Recorded[]): void {
    if (events.length === 0) return;
    for (const listener of this.#listeners) listener(events);
  }
}

const decode = (event: StoredEvent): Recorded => decodeEvent(event);

/** Why an input was refused, or null if it was accepted. */
export function refusalIn(events: readonly Recorded[]): Failure | null {
  const refused = events.find((event): event is Recorded<EventOf<"input.refused">> => event.type === "input.refused");
  return refused?.failure ?? null;
}
