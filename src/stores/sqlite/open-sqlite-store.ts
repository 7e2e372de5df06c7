// Opens a journal file: nothing is changed before it is known to be ours and of a version we know.
import { isThere } from "../../kit/is-there.ts";
import type { Store } from "../store.ts";
import { explaining, type OpenDriver, type SqlDriver } from "./driver.ts";
import { prepareJournalFile } from "./journal-file.ts";
import { openLibsql } from "./libsql.ts";
import { nodeSqliteDriver } from "./node-sqlite.ts";
import { createSchema, hasSchema } from "./schema.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { explainFor, StoreError } from "./store-error.ts";

export interface SqliteStoreOptions {
  readonly path: string;
  /** Never creates or writes; a crashed writer's half transaction is still rolled back by SQLite. */
  readonly readOnly?: boolean;
  /** How long a call waits for other processes' transactions. */
  readonly busyTimeoutMs?: number;
  readonly openDriver?: OpenDriver;
}

/** Throws a StoreError where the file cannot be used. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path, readOnly = false, busyTimeoutMs = 10_000, openDriver = nodeSqliteDriver() ?? openLibsql } = options;
  const explain = explainFor(path);
  try {
    if (readOnly) requireJournal(path, isThere(path));
    else prepareJournalFile(path);
    const sql = explaining(await openDriver(path), explain);
    try {
      sql.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      if (readOnly) forReading(sql, path);
      else forWriting(sql, path);
      return new SqliteStore({ sql, path, readOnly });
    } catch (error) {
      sql.close();
      throw error;
    }
  } catch (error) {
    throw explain(error);
  }
}

function forReading(sql: SqlDriver, path: string): void {
  sql.exec("PRAGMA query_only = ON");
  requireJournal(path, hasSchema(sql, path));
}

function forWriting(sql: SqlDriver, path: string): void {
  const isThere = hasSchema(sql, path);
  // The mode belongs to the file, and Nodes with different SQLites share it: WAL would not be safe with all of them.
  const [mode] = sql
    .prepare("PRAGMA journal_mode = TRUNCATE")
    .all()
    .map(({ journal_mode }) => journal_mode);
  if (mode !== "truncate") throw new StoreError("busy", path, `journal mode ${mode}`);
  sql.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  if (!isThere) createSchema(sql, path);
}

function requireJournal(path: string, isThere: boolean): void {
  if (!isThere) throw new StoreError("missing", path);
}
