// One connection to a journal file. Every method does its SQL without an await in between, so calls of this process
// never mix; other processes are kept out by SQLite's own lock.
import { setImmediate } from "node:timers/promises";
import { append, firstBreak, genesis, type Link } from "../../kit/hash-chain.ts";
import { RunRow } from "../../protocol/view.ts";
import type {
  Committed,
  Head,
  Lease,
  Proposal,
  Snapshot,
  Store,
  StoredEvent,
  Surroundings,
  Transaction,
} from "../store.ts";
import { rollBack, type SqlDriver } from "./driver.ts";
import { HeadWatch } from "./head-watch.ts";
import { StoreError } from "./store-error.ts";
import { prepareTables, type Tables } from "./tables.ts";

const verifyPage = 1_000;
const all = -1;

export interface SqliteStoreParts {
  readonly sql: SqlDriver;
  readonly path: string;
  readonly readOnly: boolean;
}

export class SqliteStore implements Store {
  readonly #parts: SqliteStoreParts;
  readonly #tables: Tables;
  readonly #watch: HeadWatch;
  #closed = false;

  constructor(parts: SqliteStoreParts) {
    const tables = prepareTables(parts.sql);
    this.#parts = parts;
    this.#tables = tables;
    this.#watch = new HeadWatch({ version: tables.dataVersion, position: () => tables.head().position });
  }

  async transact(transaction: Transaction): Promise<Committed> {
    // Giving up the first turn keeps callers in order and a call made inside `decide` out of the open transaction.
    await null;
    const tables = this.#writable();
    tables.begin();
    try {
      const committed = this.#decideAndAppend(tables, transaction);
      tables.commit();
      this.#watch.wake(committed.appended.at(-1)?.position ?? 0);
      return committed;
    } catch (error) {
      rollBack(this.#parts.sql);
      throw error;
    }
  }

  async exclusively<T>(work: () => T): Promise<T> {
    await null;
    this.#writable().begin();
    try {
      return work();
    } finally {
      rollBack(this.#parts.sql);
    }
  }

  async read(after: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#open().events(after, Math.max(0, limit));
  }

  async head(): Promise<Head> {
    return this.#open().head();
  }

  async changed(after: number, signal: AbortSignal): Promise<void> {
    this.#open();
    await this.#watch.past(after, signal);
  }

  async loadSnapshot(): Promise<Snapshot | null> {
    return this.#open().snapshot();
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#writable().putSnapshot(snapshot);
  }

  async runs(): Promise<readonly RunRow[]> {
    const rows = RunRow.array().safeParse(this.#open().runs());
    if (rows.success) return rows.data;
    throw new StoreError("damaged", this.#parts.path, "an unknown row in the table of runs", { cause: rows.error });
  }

  async leases(): Promise<Surroundings> {
    return this.#open().around();
  }

  async renew(lease: Lease): Promise<boolean> {
    const tables = this.#writable();
    tables.begin();
    try {
      const held = tables.around().leases.some(({ run }) => run === lease.run);
      if (held) tables.putLease(lease);
      tables.commit();
      return held;
    } catch (error) {
      rollBack(this.#parts.sql);
      throw error;
    }
  }

  async verify(): Promise<number | null> {
    // Events cut off at the end leave a chain that fits, but their receipts remember them. Read first: events that
    // are appended during the walk do no harm.
    const acknowledged = this.#open().lastReceipt();
    let last: Link = genesis;
    for (;;) {
      const page = this.#open().events(last.position, verifyPage);
      const broken = firstBreak(page, last);
      if (broken !== null) return broken;
      last = page.at(-1) ?? last;
      if (page.length < verifyPage) break;
      await setImmediate();
    }
    return acknowledged > last.position ? last.position + 1 : null;
  }

  async close(): Promise<void> {
    await null;
    if (this.#closed) return;
    this.#closed = true;
    this.#watch.wakeAll();
    this.#parts.sql.close();
  }

  #decideAndAppend(tables: Tables, transaction: Transaction): Committed {
    const { after, commandId } = transaction;
    const head = tables.head();
    if (after > head.position) {
      const detail = `it ends at ${head.position}, but this process has seen ${after}`;
      throw new StoreError("replaced", this.#parts.path, detail);
    }
    const tail = head.position === after ? [] : tables.events(after, all);
    const receipt = tables.receipt(commandId);
    if (receipt) {
      const appended = tables.events(receipt.first - 1, receipt.last - receipt.first + 1);
      return { tail, appended, repeated: true };
    }
    return {
      tail,
      appended: write(tables, head, commandId, transaction.decide(tail, tables.around)),
      repeated: false,
    };
  }

  #open(): Tables {
    if (this.#closed) throw new Error("the store is closed");
    return this.#tables;
  }

  #writable(): Tables {
    if (this.#parts.readOnly) throw new StoreError("readOnly", this.#parts.path);
    return this.#open();
  }
}

function write(tables: Tables, head: Link, commandId: string, proposal: Proposal): readonly StoredEvent[] {
  const appended: StoredEvent[] = [];
  for (const event of proposal.events) {
    const stored = append(appended.at(-1) ?? head, event);
    tables.addEvent(stored);
    appended.push(stored);
  }
  const [first, last] = [appended[0], appended.at(-1)];
  if (first && last) tables.addReceipt(commandId, { first: first.position, last: last.position });
  for (const row of proposal.runs) tables.putRun(row);
  if (proposal.lease) tables.putLease(proposal.lease);
  for (const run of proposal.freed ?? []) tables.freeLease(run);
  return appended;
}
