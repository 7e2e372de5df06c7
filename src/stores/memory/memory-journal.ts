// Stands for the file: what many handles share and what outlives them.
import { append, genesis } from "../../kit/hash-chain.ts";
import type { RunRow } from "../../protocol/view.ts";
import type { Head, Lease, NewEvent, Proposal, Snapshot, StoredEvent } from "../store.ts";

export class MemoryJournal {
  /** The event at position n is at index n - 1. Only ever appended to. */
  readonly events: StoredEvent[] = [];
  readonly runs = new Map<string, RunRow>();
  readonly leases = new Map<string, Lease>();
  /** Called once with every append; whoever waits adds and removes itself. */
  readonly waiting = new Set<() => void>();
  snapshot: Snapshot | null = null;
  readonly #receipts = new Map<string, { readonly first: number; readonly last: number }>();

  get head(): Head {
    const last = this.events.at(-1);
    return last ? { position: last.position, hash: last.hash } : genesis;
  }

  /** What the command appended, or null if it never did. */
  appendedBy(commandId: string): readonly StoredEvent[] | null {
    const receipt = this.#receipts.get(commandId);
    return receipt ? this.events.slice(receipt.first - 1, receipt.last) : null;
  }

  commit(commandId: string, { events, runs, lease, freed = [] }: Proposal): readonly StoredEvent[] {
    const appended = events.map((event) => this.#append(event));
    const [first, last] = [appended[0], appended.at(-1)];
    if (first && last) this.#receipts.set(commandId, { first: first.position, last: last.position });
    for (const row of runs) this.runs.set(row.run, { ...row });
    if (lease) this.leases.set(lease.run, { ...lease });
    for (const run of freed) this.leases.delete(run);
    if (first) for (const wake of this.waiting) wake();
    return appended;
  }

  #append(event: NewEvent): StoredEvent {
    const stored = append(this.events.at(-1) ?? genesis, event);
    this.events.push(stored);
    return stored;
  }
}
