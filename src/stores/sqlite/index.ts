// The store in a file: an SQLite database that many processes append to.
export { openSqliteStore, type SqliteStoreOptions } from "./open-sqlite-store.ts";
export { StoreError } from "./store-error.ts";
