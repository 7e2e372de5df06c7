// What the store needs of an SQLite library. Synchronous: between BEGIN and COMMIT no other code of ours runs.

export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

export interface SqlStatement {
  run(...values: readonly SqlValue[]): void;
  all(...values: readonly SqlValue[]): readonly Row[];
}

/**
 * One connection to one file. Must hold no lock after a call outside a transaction. Must throw the library's own
 * error with SQLite's result code as `errcode` or `rawCode`. `close` is called once and ends every statement.
 */
export interface SqlDriver {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

export type OpenDriver = (path: string) => Promise<SqlDriver>;

/** Passes every library error through `explain`, so that what comes out names the file. */
export function explaining(driver: SqlDriver, explain: (error: unknown) => Error): SqlDriver {
  const attempt = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      throw explain(error);
    }
  };
  return {
    exec: (sql) => attempt(() => driver.exec(sql)),
    prepare: (sql) => {
      const statement = attempt(() => driver.prepare(sql));
      return {
        run: (...values) => attempt(() => statement.run(...values)),
        all: (...values) => attempt(() => statement.all(...values)),
      };
    },
    close: () => attempt(() => driver.close()),
  };
}

/** Never throws: after a full disk or an I/O error SQLite has rolled back already, and the first error counts. */
export function rollBack(sql: SqlDriver): void {
  try {
    sql.exec("ROLLBACK");
  } catch {
    // See above.
  }
}
