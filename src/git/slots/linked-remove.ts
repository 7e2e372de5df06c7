// Takes away a linked work tree that was found empty of work: the directory, git's files for it, the branch – each only
// if we made it. What refuses to go stays; nothing is forced.
import { readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { processesInside } from "../../kit/processes-inside.ts";
import { treeOf } from "../checkout.ts";
import { isMissing, kindOf } from "../files.ts";
import { surely } from "../refusal.ts";
import { type Site, withScratch } from "../site.ts";
import { throwAway } from "../trash.ts";
import { dropBranch, keepCommit } from "../user-repository.ts";
import { setAside } from "./aside.ts";
import { gitSideHoldsOnly } from "./emptiness.ts";
import { groundOf } from "./ground.ts";
import { plainFiles, readLinkedRefs } from "./linked-head.ts";
import { finishMove, unlock } from "./linked-move.ts";
import { moveFenced, readRecord, type Slot } from "./slot.ts";
import { adminOf, readTie, type Tie, writeTie } from "./tie.ts";

/** Nobody locked it and nobody is in there; where that cannot be seen, somebody may be. */
export async function isLeft(site: Site, slot: Slot, tie: Tie): Promise<boolean> {
  if ((await kindOf(join(adminOf(site, tie), "locked"))) !== "missing") return false;
  return (await processesInside(slot.work))?.length === 0;
}

/** The branch as it is now; a later look at the work covers it, and it goes only if it is still there. */
export const tipOf = async (site: Site, slot: Slot, tie: Tie): Promise<string | null> =>
  (await readLinkedRefs(site, slot, tie)).refs.get(`refs/heads/${tie.branch}`) ?? null;

/** Nobody is in there, and nobody committed anything. */
export const isAtItsBase = async (site: Site, slot: Slot, tie: Tie): Promise<boolean> =>
  (await isLeft(site, slot, tie)) && (await tipOf(site, slot, tie)) === tie.base;

/** What a set-up made in it stays for the slot's next one. */
export async function takeAwayLinked(
  site: Site,
  slot: Slot,
  { tie, tip, fence }: { readonly tie: Tie; readonly tip: string | null; readonly fence: number },
): Promise<void> {
  await setAside(site, slot, fence);
  const removed = { ...tie, removing: { tip } };
  await writeTie(site, slot, fence, removed);
  await withScratch(site, [], async ({ directory }) => {
    const out = join(directory, "work");
    await moveFenced(site, slot, fence, { from: slot.work, to: out });
    await throwAway(site, out);
  });
  await clearAway(site, removed);
}

async function clearAway(site: Site, tie: Tie, files: readonly string[] = plainFiles): Promise<void> {
  const tip = tie.removing?.tip ?? null;
  // Somebody who moved it meanwhile keeps it.
  if (tip !== null) await dropBranch(site.user, tie.branch, tip);
  const admin = adminOf(site, tie);
  for (const file of files) await unlink(join(admin, file)).catch(passMissing);
  await removeEmpty(admin);
}

async function removeEmpty(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmpty(join(directory, entry.name));
  // With anything left in it, it stays.
  await rmdir(directory).catch(() => undefined);
}

function passMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

/** Finishes what a crash interrupted. Only for whoever has the slot's fence. */
export async function settleTie(site: Site, slot: Slot, fence: number): Promise<void> {
  const tie = await readTie(slot);
  if (tie === null) return;
  // Of a set-up that was cut short; a move that was is finished below.
  if (tie.moving === null) await unlock(adminOf(site, tie));
  if ((await kindOf(slot.work)) !== "missing") {
    if (tie.moving !== null) await finishMove(site, slot, tie);
    if (tie.moving !== null || tie.removing !== null)
      await writeTie(site, slot, fence, { ...tie, moving: null, removing: null });
  } else if (tie.moving !== null && (await kindOf(tie.moving.to)) !== "missing") await finishMove(site, slot, tie);
  else if (tie.removing !== null) await clearAway(site, tie);
  else await clearOrphan(site, slot, tie);
}

/** The directory never came to be, or somebody removed it: git's side goes too if it holds nothing else. */
async function clearOrphan(site: Site, slot: Slot, tie: Tie): Promise<void> {
  if ((await kindOf(adminOf(site, tie))) !== "directory") return;
  // The record is written before the directory appears: nobody has worked there, and a git of ours may have been killed.
  if ((await kindOf(slot.record)) === "missing")
    return clearAway(site, { ...tie, removing: { tip: tie.base } }, [...plainFiles, "index.lock"]);
  const record = await readRecord(slot);
  const ground = await groundOf(site, slot, tie.task);
  const tip = await tipOf(site, slot, tie);
  const { candidate = null, startTree } = record ?? {};
  const tree =
    candidate === null && startTree !== undefined ? startTree : await treeOf(site, candidate?.commit ?? tie.base);
  if (await surely(gitSideHoldsOnly(site, ground, { base: tie.base, tree }))) {
    await clearAway(site, { ...tie, removing: { tip } });
    return;
  }
  const { head, refs } = await ground.refs();
  for (const commit of new Set([...(head === null ? [] : [head]), ...refs.values()]))
    await keepCommit(site.user, tie.task, commit);
}
