// The lock around a run: taken before its start, given back after its end, however that comes about.
import type { ProcessIdentity } from "../../protocol/agent.ts";
import { type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Ports } from "../ports.ts";

/** What a run tells about the lock it holds. */
export interface Hold {
  readonly owner: ProcessIdentity;
  readonly removedStale: number | null;
}

/** A kill leaves the lock to whoever comes next. */
export async function whileHolding<T>(
  { lock, processes }: Pick<Ports, "lock" | "processes">,
  live: (hold: Hold) => Promise<T>,
): Promise<Outcome<T>> {
  const owner = await processes.self();
  const taken = await lock.take(owner);
  if (!taken.ok) return taken;
  try {
    return succeeded(await live({ owner, ...taken.value }));
  } finally {
    await lock.release();
  }
}
