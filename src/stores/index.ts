// The store family: its variants, and nothing of how they work.
export { MemoryJournal, openMemoryStore } from "./memory/index.ts";
export { openSqliteStore, StoreError } from "./sqlite/index.ts";
