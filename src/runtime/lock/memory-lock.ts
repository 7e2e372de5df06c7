// The double: a lock in memory, for missions that live in one process.
import type { ProcessIdentity } from "../../protocol/agent.ts";
import { failed, succeeded } from "../../protocol/failure.ts";
import { sessionActive } from "../../protocol/lock.ts";
import type { Lock, Processes } from "../ports.ts";

/** Stands for the directory: what many handles share and what outlives them. */
export class MemoryLockPlace {
  /** A holding is told from the next by its identity as an object. */
  holder: { readonly owner: ProcessIdentity } | null = null;
}

export function createMemoryLock(
  place: MemoryLockPlace = new MemoryLockPlace(),
  { isAlive }: Pick<Processes, "isAlive"> = { isAlive: async () => false },
): Lock {
  let mine: MemoryLockPlace["holder"] = null;
  return {
    async take(owner) {
      for (;;) {
        const found = place.holder;
        const alive = found !== null && (await isAlive(found.owner));
        // Somebody was faster while we asked.
        if (place.holder !== found) continue;
        if (alive) return failed(sessionActive(found.owner.pid, `wait for it, or end process ${found.owner.pid}`));
        mine = { owner };
        place.holder = mine;
        return succeeded({ removedStale: found?.owner.pid ?? null });
      }
    },
    async release() {
      if (place.holder === mine) place.holder = null;
      mine = null;
    },
  };
}
