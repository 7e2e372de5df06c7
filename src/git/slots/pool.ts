// The two ways to a clean checkout for a slot: the one that was given back there, brought to the new base – or one made
// from nothing. Both happen out of sight: whoever was replaced meanwhile moves nothing back (L3).
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import type { CommitId } from "../../protocol/ids.ts";
import { type CheckoutRequest, makeCheckout } from "../checkout.ts";
import { copyIndex, isMissing, kindOf } from "../files.ts";
import { forgetMade, isStillMade, madePathsIn } from "../made.ts";
import { recycle } from "../recycle.ts";
import { surely } from "../refusal.ts";
import type { Scratch, Site } from "../site.ts";
import { type Submodule, takeOutSubmodules } from "../submodules.ts";
import { throwAway } from "../trash.ts";
import { takeBack } from "./aside.ts";
import { fenced, forget, moveFenced, type Slot } from "./slot.ts";

interface Wanted {
  readonly commit: CommitId;
  readonly branch: string;
  readonly scratch: Scratch;
  /** Where the checkout is made. */
  readonly work: string;
}

/** False when there is none that serves; then nothing is left of it. Only for a workspace that is nobody's. */
export async function fromPool(site: Site, slot: Slot, fence: number, wanted: Wanted): Promise<boolean> {
  const { work, scratch } = wanted;
  if ((await kindOf(slot.work)) === "missing") return false;
  await moveFenced(site, slot, fence, { from: slot.work, to: work });
  const forgetAll = () => fenced(site, slot, fence, () => forgetMade(slot.work));
  if (!(await surely(isStillMade(slot.work, { at: work })))) await forgetAll();
  const kept = await madePathsIn(slot.work);
  const settled = (await kindOf(slot.settledIndex)) === "file";
  const index = settled ? slot.settledIndex : slot.index;
  const recycled = await surely(recycle(site, { ...wanted, directory: work, index, kept, compare: false }));
  if (!recycled) {
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

/** Answers the submodules that our own index does without. */
export async function fromNothing(
  site: Site,
  slot: Slot,
  fence: number,
  request: CheckoutRequest,
): Promise<Submodule[]> {
  await forget(slot);
  await makeCheckout(site, request);
  await takeBack(site, slot, fence, request.directory);
  await copyIndex(join(request.directory, ".git", "index"), slot.index);
  return takeOutSubmodules({ gitDir: site.ledger, indexFile: slot.index });
}
