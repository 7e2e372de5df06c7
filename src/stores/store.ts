// The port of the store family: the journal, its snapshot, receipts and the table of runs.
import type { RunRow } from "../protocol/view.ts";

/** An event as it is kept: opaque to the store except for its place in the chain. */
export interface StoredEvent {
  /** 1, 2, 3 … without gaps. */
  readonly position: number;
  readonly at: number;
  readonly type: string;
  readonly v: number;
  /** JSON text of the event's own fields. */
  readonly body: string;
  /** SHA-256 over the previous hash and this record (kit/hash-chain.ts), in hex. */
  readonly hash: string;
}
export type NewEvent = Omit<StoredEvent, "position" | "hash">;

export interface Head {
  readonly position: number;
  readonly hash: string;
}

/** Until when a run may be taken for alive although nothing is heard of it (L2). Renewals are no events. */
export interface Lease {
  readonly run: string;
  readonly host: string;
  readonly bootId: string;
  /** In monotonic milliseconds of that boot: on the same host no clock step can shorten or lengthen it. */
  readonly until: number;
  /** By the store's clock: for other hosts, and for people. */
  readonly expiresAt: number;
}

/** What a transaction sees beside the events. */
export interface Surroundings {
  readonly leases: readonly Lease[];
  /** The store's clock, the same for all hosts. */
  readonly now: number;
}

export interface Proposal {
  readonly events: readonly NewEvent[];
  /** Rows of the runs table to write in the same transaction. */
  readonly runs: readonly RunRow[];
  /** Given in the same transaction. */
  readonly lease?: Lease | undefined;
  /** Runs that ended: their leases go with them. */
  readonly freed?: readonly string[];
}

export interface Transaction {
  /** The caller's position: the store hands over everything after it. */
  readonly after: number;
  /** A repeat of the same id changes nothing and is answered with what the first one appended. */
  readonly commandId: string;
  /**
   * Called once, synchronously, with the journal locked and the tail the caller has not seen. Must be pure apart
   * from the caller's own memory. An empty proposal appends nothing and leaves no receipt. Most decisions look at no
   * lease, so what is around is read when it is asked for, as it is under the lock.
   */
  decide(tail: readonly StoredEvent[], around: () => Surroundings): Proposal;
}

export interface Committed {
  readonly tail: readonly StoredEvent[];
  /** What this call appended, or for a repeat what the first call appended. */
  readonly appended: readonly StoredEvent[];
  readonly repeated: boolean;
}

export interface Snapshot {
  readonly position: number;
  /** Hash of the event at `position`: a snapshot of another history is never used. */
  readonly hash: string;
  readonly body: string;
}

/**
 * Keeps a journal that several processes append to.
 *
 * - `transact` must be atomic, serialised over all processes, and durable when it resolves. For a repeat, `decide`
 *   must not be called. If `decide` throws, nothing is written and the same error comes out. A rejection means: unknown or nothing
 *   written; the caller must fold again from the store before it goes on.
 * - `exclusively` must run `work` once, with the journal locked as in `transact`: no other process is inside its own
 *   `transact` or `exclusively` meanwhile. `work` must be synchronous and must not touch the store. Nothing is written.
 *   What `work` answers or throws comes out unchanged.
 * - `read` gives committed events after a position, in order, at most `limit`.
 * - `changed` resolves when the head may be past `after` (at most 100 ms late), or when `signal` aborts.
 * - `renew` must replace the lease of a run that has one, and answer false, changing nothing, if it has none (any more).
 * - A snapshot is a cache: `loadSnapshot` must answer null rather than one whose hash is not the journal's.
 * - `verify` walks the whole chain and answers the first position that does not fit, or null.
 */
export interface Store {
  transact(transaction: Transaction): Promise<Committed>;
  exclusively<T>(work: () => T): Promise<T>;
  read(after: number, limit: number): Promise<readonly StoredEvent[]>;
  head(): Promise<Head>;
  changed(after: number, signal: AbortSignal): Promise<void>;
  loadSnapshot(): Promise<Snapshot | null>;
  saveSnapshot(snapshot: Snapshot): Promise<void>;
  runs(): Promise<readonly RunRow[]>;
  leases(): Promise<Surroundings>;
  renew(lease: Lease): Promise<boolean>;
  verify(): Promise<number | null>;
  close(): Promise<void>;
}
