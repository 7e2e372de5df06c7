// The double: a journal in memory, with the same promises as a file except that it dies with the process.
import type { Store } from "../store.ts";
import { MemoryJournal } from "./memory-journal.ts";
import { MemoryStore } from "./memory-store.ts";

export { MemoryJournal } from "./memory-journal.ts";

/** A handle on `journal`; several handles on one journal stand for several processes on one file. */
export function openMemoryStore(journal: MemoryJournal = new MemoryJournal(), now = Date.now): Store {
  return new MemoryStore(journal, now);
}
