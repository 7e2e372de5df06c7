// The tables of a journal file and the version that says who may use them.
import { rollBack, type SqlDriver } from "./driver.ts";
import { StoreError } from "./store-error.ts";

/** Raised with every change that an older Harness would misread. */
export const schemaVersion = 3;

const leases = `
  CREATE TABLE leases (
    run TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    until REAL NOT NULL,
    expires_at REAL NOT NULL
  ) STRICT;
`;

/** What each run did, and the loop it worked on (rule I4). */
const workOfRuns = `
  ALTER TABLE runs ADD COLUMN task TEXT;
  ALTER TABLE runs ADD COLUMN objective TEXT;
  ALTER TABLE runs ADD COLUMN max_iterations INTEGER;
  ALTER TABLE runs ADD COLUMN promise TEXT;
  ALTER TABLE runs ADD COLUMN iterations INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN nano_usd INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN unknown INTEGER NOT NULL DEFAULT 0;
`;

/** `lifts[n]` brings a file of version n + 1 to version n + 2. */
const lifts = [leases, workOfRuns];

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
  ${leases}
  ${workOfRuns}
  INSERT INTO meta (key, value) VALUES ('schema', '${schemaVersion}');
`;

/** Creates the tables, or lifts those of an older Harness. */
export function createSchema(sql: SqlDriver, path: string): void {
  sql.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have been quicker.
    const version = versionOf(sql, path);
    if (version === null) sql.exec(tables);
    else for (const lift of lifts.slice(version - 1)) sql.exec(lift);
    sql.exec(`UPDATE meta SET value = '${schemaVersion}' WHERE key = 'schema'`);
    sql.exec("COMMIT");
  } catch (error) {
    rollBack(sql);
    throw error;
  }
}

/** False for an empty or an older database. Throws for one that is not ours to use; changes nothing. */
export const hasSchema = (sql: SqlDriver, path: string): boolean => versionOf(sql, path) === schemaVersion;

/** Null for an empty database. */
function versionOf(sql: SqlDriver, path: string): number | null {
  const names = sql.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (names.length === 0) return null;
  const hasMeta = names.some(({ name }) => name === "meta");
  const [row] = hasMeta ? sql.prepare("SELECT value FROM meta WHERE key = 'schema'").all() : [];
  if (!row) throw new StoreError("foreign", path);
  const version = Number(row.value);
  if (Number.isInteger(version) && version >= 1 && version <= schemaVersion) return version;
  throw new StoreError("newer", path, `schema ${row.value}, this one knows ${schemaVersion}`);
}
