// Who may still be at work, and who is gone (rules L1, L2): by process where one can be looked at, by lease otherwise.
import type { ReadonlyRun, ReadonlyState } from "../core/state.ts";
import type { ProcessIdentity } from "../protocol/agent.ts";
import { isOutsideRun, type RunId } from "../protocol/ids.ts";
import type { Gone } from "../protocol/input.ts";
import type { Lease, Surroundings } from "../stores/store.ts";
import type { Clock } from "./clock.ts";
import type { Processes } from "./ports.ts";

/** A lease from now on, for as long as asked. */
export const leaseFor = (
  run: RunId,
  { host, bootId }: ProcessIdentity,
  seconds: number,
  clock: Clock,
  storeTime: number,
): Lease => ({
  run,
  host,
  bootId,
  until: clock.monotonic() + seconds * 1_000,
  expiresAt: storeTime + seconds * 1_000,
});

/**
 * On the host that took it the monotonic clock decides, and a reboot ends it; elsewhere the store's clock does.
 * No step of a wall clock on one host can end a lease early or keep it for ever.
 */
export function hasLapsed(lease: Lease, here: ProcessIdentity, clock: Clock, storeTime: number): boolean {
  if (lease.host !== here.host) return storeTime > lease.expiresAt;
  return lease.bootId !== here.bootId || clock.monotonic() > lease.until;
}

/** Runs that have not ended although their process has. Death is for good, so this may be asked before a transaction. */
export async function deadRuns(state: ReadonlyState, processes: Processes): Promise<ReadonlySet<RunId>> {
  const dead = new Set<RunId>();
  const here = await processes.self();
  for (const run of state.runs.values()) {
    if (isOutsideRun(run.id) || run.owner.host !== here.host) continue;
    if (!(await processes.isAlive(run.owner))) dead.add(run.id);
  }
  return dead;
}

/** Must be asked inside the transaction that acts on it: until then a lease may be renewed. */
export function goneRuns(
  state: ReadonlyState,
  dead: ReadonlySet<RunId>,
  { leases, now }: Surroundings,
  here: ProcessIdentity,
  clock: Clock,
): readonly Gone[] {
  const held = new Map(leases.map((lease) => [lease.run, lease]));
  const howGone = ({ id, owner }: ReadonlyRun): Gone["how"] | null => {
    if (dead.has(id)) return "lost";
    const lease = held.get(id);
    if (lease !== undefined) return hasLapsed(lease, here, clock, now) ? "lapsed" : null;
    // Without a lease only its process could vouch for it, and that of another host cannot be seen.
    if (isOutsideRun(id)) return "lapsed";
    return owner.host === here.host ? null : "lost";
  };
  return [...state.runs.values()].flatMap((run) => {
    const how = howGone(run);
    return how === null ? [] : [{ run: run.id, how }];
  });
}
