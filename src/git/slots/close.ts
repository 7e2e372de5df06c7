// Giving a slot back. A workspace is removed only when the merged candidate holds every byte of it; else it is put away.
import type { ArchiveRequest } from "../../workspaces/workspace.ts";
import { kindOf } from "../files.ts";
import { surely } from "../refusal.ts";
import { lastOf } from "../rescue/shelf.ts";
import type { Site } from "../site.ts";
import { discard } from "../trash.ts";
import { baseRefOf, dropRef } from "../user-repository.ts";
import { emptyArchive } from "./archive.ts";
import { holdsOnlyMergedWork } from "./emptiness.ts";
import { isLeft, removeLinked, settleTie, tipOf } from "./linked-remove.ts";
import { putAway } from "./put-away.ts";
import { forget, isReplaced, moveFenced, readRecord, refuseReplaced, type SlotRecord, slotAt } from "./slot.ts";
import { readTie } from "./tie.ts";

export async function archiveWorkspace(site: Site, request: ArchiveRequest): Promise<{ readonly archive: string }> {
  const slot = slotAt(site, request.path);
  const replaced = await isReplaced(slot, request.fence);
  if (!replaced) await settleTie(site, slot);
  const record = await readRecord(slot);
  const present = (await kindOf(slot.work)) !== "missing";
  // A workspace without a record belongs to whoever knows its path.
  const owns = !replaced && (record === null || isOwner(record, request));
  const why = "the attempt ended without a merge";
  if (owns && present) return { archive: await putAway(site, slot, { owner: request, fence: request.fence, why }) };
  if (owns && record !== null) await forget(slot);
  const archived = lastOf(site.home, request);
  if (archived === null) await refuseReplaced(slot, request.fence);
  // Nothing of that attempt is anywhere: an empty archive says so, and says the same when asked again.
  return { archive: archived?.name ?? (await emptyArchive(site, request)) };
}

export async function closeWorkspace(site: Site, request: ArchiveRequest): Promise<null> {
  const slot = slotAt(site, request.path);
  const record = await readRecord(slot);
  if (record === null || !isOwner(record, request) || (await isReplaced(slot, request.fence))) return null;
  await settleTie(site, slot);
  if ((await kindOf(slot.work)) === "missing") {
    await forget(slot);
    return null;
  }
  const tie = await readTie(slot);
  const tip = tie === null ? null : await tipOf(site, slot, tie);
  const isEmpty =
    (tie === null || (await isLeft(site, slot, tie))) && (await surely(holdsOnlyMergedWork(site, slot, record)));
  if (!isEmpty) {
    const why = "more was left than the merged candidate holds";
    await putAway(site, slot, { owner: record, fence: request.fence, why });
    return null;
  }
  const takeAway = (): Promise<void> =>
    discard(site, slot.work, (from, to) => moveFenced(site, slot, request.fence, { from, to }));
  if (tie === null) await takeAway();
  else await removeLinked(site, slot, { tie, tip }, takeAway);
  await forget(slot);
  await dropRef(site.user, baseRefOf(record.task, record.attempt));
  return null;
}

const isOwner = (record: SlotRecord, { task, attempt }: ArchiveRequest): boolean =>
  record.task === task && record.attempt === attempt;
