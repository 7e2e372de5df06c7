// One handle on a memory journal.
import { firstBreak } from "../../kit/hash-chain.ts";
import type { RunRow } from "../../protocol/view.ts";
import type { Committed, Head, Lease, Snapshot, Store, StoredEvent, Surroundings, Transaction } from "../store.ts";
import type { MemoryJournal } from "./memory-journal.ts";

export class MemoryStore implements Store {
  readonly #journal: MemoryJournal;
  readonly #waiting = new Set<() => void>();
  #closed = false;

  readonly #now: () => number;

  constructor(journal: MemoryJournal, now: () => number) {
    this.#journal = journal;
    this.#now = now;
  }

  async transact(transaction: Transaction): Promise<Committed> {
    // What follows has no further await, so the turn itself is the lock. Giving up the first turn keeps callers in
    // order and a call made inside `decide` out of the transaction under way.
    await null;
    const journal = this.#open();
    const { after, commandId } = transaction;
    const { position } = journal.head;
    if (after > position) throw new Error(`the journal ends at ${position}, but this handle has seen ${after}`);

    const tail = journal.events.slice(after);
    const first = journal.appendedBy(commandId);
    if (first) return { tail, appended: first, repeated: true };
    const proposal = transaction.decide(tail, () => this.#around());
    return { tail, appended: journal.commit(commandId, proposal), repeated: false };
  }

  async exclusively<T>(work: () => T): Promise<T> {
    await null;
    this.#open();
    return work();
  }

  async read(after: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#open().events.slice(after, after + Math.max(0, limit));
  }

  async head(): Promise<Head> {
    return this.#open().head;
  }

  async changed(after: number, signal: AbortSignal): Promise<void> {
    const journal = this.#open();
    if (signal.aborted || journal.head.position > after) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        journal.waiting.delete(wake);
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      journal.waiting.add(wake);
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
  }

  async loadSnapshot(): Promise<Snapshot | null> {
    const { snapshot, events } = this.#open();
    return snapshot && events[snapshot.position - 1]?.hash === snapshot.hash ? snapshot : null;
  }

  async saveSnapshot({ position, hash, body }: Snapshot): Promise<void> {
    this.#open().snapshot = { position, hash, body };
  }

  async runs(): Promise<readonly RunRow[]> {
    const rows = [...this.#open().runs.values()];
    return rows.sort((a, b) => a.startedAt - b.startedAt || (a.run < b.run ? -1 : 1));
  }

  async leases(): Promise<Surroundings> {
    return this.#around();
  }

  async renew(lease: Lease): Promise<boolean> {
    const { leases } = this.#open();
    if (!leases.has(lease.run)) return false;
    leases.set(lease.run, { ...lease });
    return true;
  }

  async verify(): Promise<number | null> {
    return firstBreak(this.#open().events);
  }

  async close(): Promise<void> {
    await null;
    this.#closed = true;
    for (const wake of this.#waiting) wake();
  }

  #around(): Surroundings {
    return { leases: [...this.#open().leases.values()], now: this.#now() };
  }

  #open(): MemoryJournal {
    if (this.#closed) throw new Error("the store is closed");
    return this.#journal;
  }
}
