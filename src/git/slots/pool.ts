// The two ways to a clean checkout for a slot: the one that was given back there, brought to the new base – or one made
// from nothing. Both happen out of sight: whoever was replaced meanwhile moves nothing back (L3).
import { unlink } from "node:fs/promises";
import type { CommitId } from "../../protocol/ids.ts";
import { copyIndex, isMissing, kindOf } from "../files.ts";
import { forgetMade, isStillMade, madePathsIn } from "../made.ts";
import { type Recycling, recycle } from "../recycle.ts";
import { surely } from "../refusal.ts";
import type { Scratch, Site } from "../site.ts";
import { type Submodule, takeOutSubmodules } from "../submodules.ts";
import { throwAway } from "../trash.ts";
import { takeBack } from "./aside.ts";
import { branchOf } from "./ground.ts";
import type { Place, PlaceKind, PlaceOrder } from "./place.ts";
import { fenced, forget, hasCommittedIndex, readRecord, type Slot, takeOut } from "./slot.ts";

interface Wanted extends PlaceOrder {
  readonly scratch: Scratch;
}
interface Made {
  readonly place: Place;
  /** Those that our own index does without. */
  readonly submodules: readonly Submodule[];
}

/** The slot's workspace must be missing, or a clone that is nobody's. */
export async function makePlace(site: Site, slot: Slot, { make, again }: PlaceKind, wanted: Wanted): Promise<Made> {
  const { directory, fence } = wanted;
  if ((await fromPool(site, slot, wanted, again !== null)) && again !== null)
    return { place: again(directory), submodules: [] };
  await forget(slot);
  const place = await make(site, slot, wanted);
  await takeBack(site, slot, fence, directory);
  await copyIndex(place.indexFile, slot.index);
  const submodules = await takeOutSubmodules({ gitDir: site.ledger, indexFile: slot.index });
  if (submodules.length === 0) site.user.known.withoutSubmodules.add(wanted.base);
  return { place, submodules };
}

/** The index that knows the files best. When the slot's own candidate was the last to be merged, they should be there. */
async function knownBy(site: Site, slot: Slot, commit: CommitId): Promise<Pick<Recycling, "index" | "isThere">> {
  const record = await readRecord(slot);
  const isLast = record?.candidate?.commit === commit && record.candidate.tree === site.user.known.trees.get(commit);
  if (isLast && (await hasCommittedIndex(slot, record))) return { index: slot.committedIndex, isThere: true };
  const settled = (await kindOf(slot.settledIndex)) === "file";
  return { index: settled ? slot.settledIndex : slot.index, isThere: false };
}

/** False when there is none that serves; then nothing is left of it. */
async function fromPool(
  site: Site,
  slot: Slot,
  { directory: work, fence, base: commit, task, scratch }: Wanted,
  serves: boolean,
): Promise<boolean> {
  if ((await kindOf(slot.work)) === "missing") return false;
  await takeOut(site, slot, fence, { from: slot.work, to: work });
  const forgetAll = () => fenced(site, slot, fence, () => forgetMade(slot.work));
  if (!(await surely(isStillMade(slot.work, { at: work })))) await forgetAll();
  const kept = await madePathsIn(slot.work);
  const wanted = {
    directory: work,
    kept,
    commit,
    branch: branchOf(task),
    scratch,
    ...(await knownBy(site, slot, commit)),
  };
  if (!serves || !(await surely(recycle(site, wanted)))) {
    await forgetAll();
    await throwAway(site, work);
    return false;
  }
  // Of the old base; on the disk this is over when the new record is.
  await unlink(slot.settledIndex).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  await copyIndex(scratch.place.indexFile, slot.index);
  return true;
}
