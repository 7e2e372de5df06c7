// How work leaves a slot: rescued, read back, then the workspace is free for the next one; or, when it cannot be
// rescued, renamed into the archive whole, which needs no room and reads nothing.
import { join } from "node:path";
import { type Failure, failed, type Outcome } from "../../protocol/failure.ts";
import { kindOf } from "../files.ts";
import { madePathsIn } from "../made.ts";
import { answer } from "../refusal.ts";
import { rescue } from "../rescue/keep.ts";
import { hasArchive } from "../rescue/shelf.ts";
import type { Site } from "../site.ts";
import { baseRefOf, dropRef } from "../user-repository.ts";
import { moveToArchive } from "./archive.ts";
import { type Owner, readRecord, refuseReplaced, type Slot, writeFenced } from "./slot.ts";
import { readTie, refuseForeign } from "./tie.ts";

export interface Leaving {
  readonly owner: Owner;
  readonly fence: number;
  readonly why: string;
}

/** Answers the name under which `harness rescue` has it. */
export async function putAway(site: Site, slot: Slot, { owner, fence, why }: Leaving): Promise<string> {
  await refuseReplaced(slot, fence);
  await refuseForeign(site, slot);
  const isLinked = (await readTie(slot)) !== null;
  const rescued = isLinked ? failed(staysLinked) : await rescueSlot(site, slot, { owner, fence, why });
  if (!rescued.ok) {
    const whole = rescued.failure.message;
    return moveToArchive(site, slot, owner, { fence, at: Date.now(), why, whole });
  }
  // From here on the next one may bring it to another base, whatever is in it.
  const free = `${JSON.stringify({ ...(await readRecord(slot)), free: true })}\n`;
  await writeFenced(site, slot, fence, slot.record, free);
  // The rescue needs nothing of the user's repository; a directory archived before it still may.
  if (!hasArchive(site.home, owner)) await dropRef(site.user, baseRefOf(site, owner.task, owner.attempt));
  return rescued.value;
}

/** git knows it, its branch and its index; all of that goes along when it is moved. */
const staysLinked: Failure = { kind: "env_setup", message: "it is a work tree of the repository" };

async function rescueSlot(site: Site, slot: Slot, { owner, why }: Leaving): Promise<Outcome<string>> {
  const record = await readRecord(slot);
  const { task, attempt } = owner;
  if (record === null || record.task !== task || record.attempt !== attempt)
    return failed({ kind: "env_setup", message: "nobody knows what it started from" });
  if ((await kindOf(slot.work)) !== "directory") return failed({ kind: "env_setup", message: "it is no directory" });
  const exempt = await madePathsIn(slot.work);
  const gitDir = join(slot.work, ".git");
  const at = { ...slot, theirIndex: join(gitDir, "index") };
  const place = { at, gitDir, shared: false, indexIsOfBase: true, exempt };
  return answer(() => rescue(site, { ...place, task, attempt, why, base: record.base }));
}
