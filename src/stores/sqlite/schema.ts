// The tables of a journal file and the version that says who may use them.
import { rollBack, type SqlDriver } from "./driver.ts";
import { StoreError } from "./store-error.ts";

/** Raised with every change that an older Harness would misread. */
export const schemaVersion = 1;

const tables = `
  CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    type TEXT NOT NULL,
    v INTEGER NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE TABLE receipts (
    command_id TEXT PRIMARY KEY,
    first_position INTEGER NOT NULL REFERENCES events (position),
    last_position INTEGER NOT NULL REFERENCES events (position)
  ) STRICT;
  CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    hash TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE TABLE runs (
    run TEXT PRIMARY KEY,
    started_at REAL NOT NULL,
    ended_at REAL,
    status TEXT NOT NULL,
    lanes INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    settled INTEGER NOT NULL
  ) STRICT;
  INSERT INTO meta (key, value) VALUES ('schema', '${schemaVersion}');
`;

/** Creates the tables unless they are there. */
export function createSchema(sql: SqlDriver, path: string): void {
  sql.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have been quicker.
    if (!hasSchema(sql, path)) sql.exec(tables);
    sql.exec("COMMIT");
  } catch (error) {
    rollBack(sql);
    throw error;
  }
}

/** False for an empty database. Throws for one that is not ours to use; changes nothing. */
export function hasSchema(sql: SqlDriver, path: string): boolean {
  const names = sql.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (names.length === 0) return false;
  const hasMeta = names.some(({ name }) => name === "meta");
  const [row] = hasMeta ? sql.prepare("SELECT value FROM meta WHERE key = 'schema'").all() : [];
  if (!row) throw new StoreError("foreign", path);
  const { value } = row;
  if (Number(value) === schemaVersion) return true;
  throw new StoreError("newer", path, `schema ${value}, this one knows ${schemaVersion}`);
}
