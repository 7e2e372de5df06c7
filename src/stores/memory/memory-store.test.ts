import { describeStore } from "../store.contract.ts";
import { MemoryJournal, openMemoryStore } from "./index.ts";

describeStore("memory", async () => {
  const journal = new MemoryJournal();
  return { open: async () => openMemoryStore(journal), dispose: async () => undefined };
});
