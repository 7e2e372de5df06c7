// How a workspace with work in it leaves its slot: rescued, read back, then removed; or, when it cannot be rescued,
// renamed into the archive whole, which needs no room and reads nothing.
import { join } from "node:path";
import { type Failure, failed, type Outcome } from "../../protocol/failure.ts";
import { kindOf } from "../files.ts";
import { answer, refuse } from "../refusal.ts";
import { rescue } from "../rescue/keep.ts";
import { hasArchive } from "../rescue/shelf.ts";
import type { Site } from "../site.ts";
import { discard } from "../trash.ts";
import { baseRefOf, dropRef } from "../user-repository.ts";
import { moveToArchive } from "./archive.ts";
import { forget, moveFenced, type Owner, readRecord, refuseReplaced, type Slot } from "./slot.ts";
import { isForeign, readTie } from "./tie.ts";

export interface Leaving {
  readonly owner: Owner;
  readonly fence: number;
  readonly why: string;
}

/** Answers the name under which `harness rescue` has it. */
export async function putAway(site: Site, slot: Slot, { owner, fence, why }: Leaving): Promise<string> {
  await refuseReplaced(slot, fence);
  const tie = await readTie(slot);
  if (await isForeign(site, slot.work, tie)) refuse(foreign(slot));
  const rescued = tie === null ? await rescueSlot(site, slot, { owner, fence, why }) : failed(staysLinked);
  if (!rescued.ok) {
    const whole = rescued.failure.message;
    return moveToArchive(site, slot, owner, { fence, at: Date.now(), why, whole });
  }
  await discard(site, slot.work, (from, to) => moveFenced(site, slot, fence, { from, to }));
  await forget(slot);
  // The rescue needs nothing of the user's repository; a directory archived before it still may.
  if (!hasArchive(site.home, owner)) await dropRef(site.user, baseRefOf(owner.task, owner.attempt));
  return rescued.value;
}

/** git knows it, its branch and its index; all of that goes along when it is moved. */
const staysLinked: Failure = { kind: "env_setup", message: "it is a work tree of the repository" };

const foreign = (slot: Slot): Failure => ({
  kind: "env_setup",
  message: `${slot.work} is a git work tree that Harness did not make: it is neither moved nor removed`,
  remedy: `Move it away: git worktree move ${slot.work} DIRECTORY`,
});

async function rescueSlot(site: Site, slot: Slot, { owner, why }: Leaving): Promise<Outcome<string>> {
  const record = await readRecord(slot);
  const { task, attempt } = owner;
  if (record === null || record.task !== task || record.attempt !== attempt)
    return failed({ kind: "env_setup", message: "nobody knows what it started from" });
  if ((await kindOf(slot.work)) !== "directory") return failed({ kind: "env_setup", message: "it is no directory" });
  const gitDir = join(slot.work, ".git");
  const at = { ...slot, theirIndex: join(gitDir, "index") };
  const place = { at, gitDir, shared: false, indexIsOfBase: true, exempt: [] };
  return answer(() => rescue(site, { ...place, task, attempt, why, base: record.base }));
}
