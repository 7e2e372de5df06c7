// The SQLite inside Node, where it is available without a flag (22.13 and later).
import type { OpenDriver, SqlDriver, SqlStatement } from "./driver.ts";

interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => SqlDriver & { prepare(sql: string): SqlStatement };
}

/** Undefined where this Node has none. */
export function nodeSqliteDriver(): OpenDriver | undefined {
  // Asked for by name at run time: an import would fail on older Nodes and in bundlers that do not know the module.
  const module = withoutSqliteWarning(() => process.getBuiltinModule("node:sqlite"));
  return isNodeSqlite(module) ? async (path) => new module.DatabaseSync(path) : undefined;
}

function isNodeSqlite(module: object | undefined): module is NodeSqlite {
  return module !== undefined && "DatabaseSync" in module;
}

/** Node 22 warns once, while the module loads, that it is experimental. Loading is synchronous: nothing else is caught. */
function withoutSqliteWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    const isExpected = rest[0] === "ExperimentalWarning" && String(warning).startsWith("SQLite ");
    if (!isExpected) Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
