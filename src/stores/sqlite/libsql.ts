// The libsql package, for Nodes without an SQLite of their own. Its `get` is avoided: it adds a column `_metadata`.
import type { Row, SqlDriver } from "./driver.ts";

export async function openLibsql(path: string): Promise<SqlDriver> {
  const { default: Database } = await import("libsql");
  const database = new Database(path);
  return {
    exec: (sql) => {
      database.exec(sql);
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        run: (...values) => {
          statement.run(values);
        },
        all: (...values) => statement.all(values).filter(isRow),
      };
    },
    close: () => {
      database.close();
    },
  };
}

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null;
