// The lock that everybody can see (rule L1): a directory in the temp folder, published populated by one rename.
//
// The journal is the truth about runs. This lock tells seed-style scripts that a run is on, and is honoured when one of
// them, or any other live process, holds it.
import { lstatSync, renameSync } from "node:fs";
import type { ProcessIdentity } from "../../protocol/agent.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { lockReclaimed, sessionActive } from "../../protocol/lock.ts";
import type { Store } from "../../stores/store.ts";
import type { Lock } from "../ports.ts";
import { codeOf } from "../views/durable-file.ts";
import { type FoundLock, look } from "./look.ts";
import { folderOf, lockPath, newNonce } from "./names.ts";
import { type Rename, replace, withdraw } from "./replace.ts";

/** How a holder is judged; kit/process-identity.ts knows. */
export interface Lookout {
  isAlive(identity: ProcessIdentity): Promise<boolean>;
  isAliveSince(pid: number, atMs: number): Promise<boolean>;
}

export interface VisibleLockParts {
  /** Real path of the state root. */
  readonly root: string;
  readonly store: Pick<Store, "exclusively">;
  readonly lookout: Lookout;
  readonly base?: string;
  readonly rename?: Rename;
}

/** How often what was judged may change under us before we leave it to the others. */
const tries = 5;

export function createVisibleLock({ root, store, lookout, base, rename = renameSync }: VisibleLockParts): Lock {
  const path = lockPath(root, base);
  let held: string | null = null;

  async function take(owner: ProcessIdentity): ReturnType<Lock["take"]> {
    for (let tried = 0; tried < tries; tried += 1) {
      const found = look(path);
      if (found.kind === "other") return failed(noLock(path));
      // A judgement holds for as long as the lock stays what it is: the dead stay dead.
      const refused = found.kind === "lock" ? await refusalBy(found, owner) : null;
      if (refused !== null) return failed(refused);
      const mine = { ...owner, nonce: newNonce() };
      const replaced = await store.exclusively(() => replace({ path, judged: found, mine, rename }));
      if (replaced === "changed") continue;
      if (!replaced.ok) return replaced;
      held = mine.nonce;
      return succeeded({ removedStale: found.kind === "lock" ? (found.owner?.pid ?? found.pid) : null });
    }
    return failed(lockReclaimed);
  }

  /** Null when nobody holds it. A script that came between may have written its pid into a lock of ours: both count. */
  async function refusalBy({ owner, pid, pidAtMs }: FoundLock, self: ProcessIdentity): Promise<Failure | null> {
    if (owner !== null && owner.host !== self.host) return sessionActive(owner.pid, elsewhere(owner, path));
    if (owner !== null && (await lookout.isAlive(owner))) return sessionActive(owner.pid, wait(owner.pid));
    const isNamed = pid !== null && pid !== owner?.pid;
    return isNamed && (await lookout.isAliveSince(pid, pidAtMs)) ? sessionActive(pid, wait(pid)) : null;
  }

  return {
    take: (owner) => asOutcome(path, () => take(owner)),
    async release() {
      const nonce = held;
      held = null;
      if (nonce === null) return;
      try {
        withdraw(path, nonce, rename);
      } catch (error) {
        // What cannot be removed names a process that is about to end: whoever comes next finds it stale.
        if (codeOf(error) === "") throw error;
      }
    },
  };
}

const wait = (pid: number): string => `wait for it, or end process ${pid}`;

/** Nothing can be seen of another machine's or container's processes: only a person knows. */
const elsewhere = ({ pid, host }: ProcessIdentity, path: string): string =>
  `wait for it, or end process ${pid} on ${host}; if it is gone: rm -r ${path}`;

const noLock = (path: string): Failure => ({
  kind: "env_setup",
  message: `the lock ${path} cannot be taken: something lies there that is no directory`,
  remedy: `see what it is, then: rm ${path}`,
});

/** What the system refuses is said with its cause; a folder of another user in /tmp is the likely one. */
async function asOutcome<T>(path: string, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    // The system's own codes; Node's begin with ERR_ and mean a bug.
    if (!/^E(?!RR_)[A-Z0-9]+$/.test(code)) throw error;
    return failed({ kind: "env_setup", message: `the lock ${path} cannot be taken: ${code}`, remedy: remedy(path) });
  }
}

function remedy(path: string): string {
  const uid = userOf(path);
  if (uid === null || uid === process.getuid?.()) return `see that ${folderOf(path)} can be written to`;
  return `it belongs to user ${uid}; as that user or as root: rm -r ${path}`;
}

function userOf(path: string): number | null {
  try {
    return lstatSync(path).uid;
  } catch {
    // Nothing is there, or nothing can be: then it is the folder that is in the way.
    return null;
  }
}
