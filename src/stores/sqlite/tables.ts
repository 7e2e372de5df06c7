// Every statement of the store, prepared once, between rows and the port's values.
//
// Columns are converted, not checked: a value of a wrong type does not fit the hash chain, and `verify` names it.
import { genesis } from "../../kit/hash-chain.ts";
import type { RunRow } from "../../protocol/view.ts";
import type { Head, Lease, Snapshot, StoredEvent, Surroundings } from "../store.ts";
import type { Row, SqlDriver } from "./driver.ts";

export interface Receipt {
  readonly first: number;
  readonly last: number;
}

export type Tables = ReturnType<typeof prepareTables>;

export function prepareTables(sql: SqlDriver) {
  const begin = sql.prepare("BEGIN IMMEDIATE");
  const commit = sql.prepare("COMMIT");
  const dataVersion = sql.prepare("PRAGMA data_version");
  const head = sql.prepare("SELECT position, hash FROM events ORDER BY position DESC LIMIT 1");
  const events = sql.prepare("SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?");
  const addEvent = sql.prepare("INSERT INTO events (position, at, type, v, body, hash) VALUES (?, ?, ?, ?, ?, ?)");
  const receipt = sql.prepare(
    "SELECT first_position AS first, last_position AS last FROM receipts WHERE command_id = ?",
  );
  const addReceipt = sql.prepare("INSERT INTO receipts (command_id, first_position, last_position) VALUES (?, ?, ?)");
  const lastReceipt = sql.prepare("SELECT coalesce(max(last_position), 0) AS last FROM receipts");
  const snapshot = sql.prepare(
    "SELECT s.* FROM snapshots s JOIN events e ON e.position = s.position AND e.hash = s.hash",
  );
  const putSnapshot = sql.prepare("INSERT OR REPLACE INTO snapshots (id, position, hash, body) VALUES (1, ?, ?, ?)");
  const runs = sql.prepare(
    `SELECT run, started_at AS startedAt, ended_at AS endedAt, status, lanes, sessions, settled,
            task, objective, max_iterations AS maxIterations, promise, iterations, nano_usd AS nanoUsd, tokens, unknown
     FROM runs ORDER BY started_at, run`,
  );
  const putRun = sql.prepare(
    `INSERT OR REPLACE INTO runs (run, started_at, ended_at, status, lanes, sessions, settled,
                                  task, objective, max_iterations, promise, iterations, nano_usd, tokens, unknown)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  const leases = sql.prepare(
    "SELECT run, host, boot_id AS bootId, until, expires_at AS expiresAt FROM leases ORDER BY run",
  );
  const now = sql.prepare("SELECT unixepoch('subsec') AS seconds");
  const putLease = sql.prepare(
    "INSERT OR REPLACE INTO leases (run, host, boot_id, until, expires_at) VALUES (?, ?, ?, ?, ?)",
  );
  const freeLease = sql.prepare("DELETE FROM leases WHERE run = ?");

  return {
    begin: () => begin.run(),
    commit: () => commit.run(),

    /** Differs from the last answer if another connection has committed since. */
    dataVersion: () => dataVersion.all().map(({ data_version }) => Number(data_version))[0],

    head: (): Head => head.all().map(toHead)[0] ?? genesis,
    /** A negative limit means all. */
    events: (after: number, limit: number): readonly StoredEvent[] => events.all(after, limit).map(toEvent),
    addEvent: ({ position, at, type, v, body, hash }: StoredEvent) => addEvent.run(position, at, type, v, body, hash),

    receipt: (commandId: string): Receipt | null => receipt.all(commandId).map(toReceipt)[0] ?? null,
    addReceipt: (commandId: string, { first, last }: Receipt) => addReceipt.run(commandId, first, last),
    /** The highest position ever acknowledged; 0 if there is none. */
    lastReceipt: () => lastReceipt.all().map(({ last }) => Number(last))[0] ?? 0,

    snapshot: (): Snapshot | null => snapshot.all().map(toSnapshot)[0] ?? null,
    putSnapshot: ({ position, hash, body }: Snapshot) => putSnapshot.run(position, hash, body),

    around: (): Surroundings => ({
      leases: leases.all().map(toLease),
      now: Math.round(Number(now.all()[0]?.seconds) * 1_000),
    }),
    putLease: ({ run, host, bootId, until, expiresAt }: Lease) => putLease.run(run, host, bootId, until, expiresAt),
    freeLease: (run: string) => freeLease.run(run),

    runs: (): readonly Row[] => runs.all(),
    putRun: (row: RunRow) =>
      putRun.run(
        ...[row.run, row.startedAt, row.endedAt, row.status, row.lanes, row.sessions, row.settled],
        ...[row.task, row.objective, row.maxIterations, row.promise],
        ...[row.iterations, row.nanoUsd, row.tokens, row.unknown],
      ),
  };
}

const toHead = ({ position, hash }: Row): Head => ({ position: Number(position), hash: String(hash) });

const toReceipt = ({ first, last }: Row): Receipt => ({ first: Number(first), last: Number(last) });

const toSnapshot = ({ position, hash, body }: Row): Snapshot => ({
  position: Number(position),
  hash: String(hash),
  body: String(body),
});

const toLease = ({ run, host, bootId, until, expiresAt }: Row): Lease => ({
  run: String(run),
  host: String(host),
  bootId: String(bootId),
  until: Number(until),
  expiresAt: Number(expiresAt),
});

const toEvent = ({ position, at, type, v, body, hash }: Row): StoredEvent => ({
  position: Number(position),
  at: Number(at),
  type: String(type),
  v: Number(v),
  body: String(body),
  hash: String(hash),
});
