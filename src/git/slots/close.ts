// Giving a slot back. A workspace becomes free for the next one – a linked work tree is removed – only when the merged
// candidate holds every byte of it but what a set-up made; else it is put away.
import type { ArchiveRequest } from "../../workspaces/workspace.ts";
import { dropAttempt, dropCandidates } from "../attempt-refs.ts";
import { kindOf } from "../files.ts";
import { surely } from "../refusal.ts";
import { hasArchive, lastOf } from "../rescue/shelf.ts";
import type { Site } from "../site.ts";
import { emptyArchive } from "./archive.ts";
import { holdsOnlyMergedWork } from "./emptiness.ts";
import { isLeft, settleTie, takeAwayLinked, tipOf } from "./linked-remove.ts";
import { putAway } from "./put-away.ts";
import { forget, isReplaced, readRecord, refuseReplaced, type SlotRecord, slotAt, writeFenced } from "./slot.ts";
import { readTie } from "./tie.ts";

export async function archiveWorkspace(site: Site, request: ArchiveRequest): Promise<{ readonly archive: string }> {
  const slot = slotAt(site, request.path);
  const replaced = await isReplaced(slot, request.fence);
  if (!replaced) await settleTie(site, slot, request.fence);
  const record = await readRecord(slot);
  const present = (await kindOf(slot.work)) !== "missing" && record?.free !== true;
  // A workspace without a record belongs to whoever knows its path.
  const owns = !replaced && (record === null || isOwner(record, request));
  if (owns && present) {
    const why = "the attempt ended without a merge";
    const archive = await putAway(site, slot, { owner: request, fence: request.fence, why });
    // The last candidate is what the next attempt of a feature goes on with, this attempt's or an earlier one's.
    const last = record?.candidate?.commit;
    if (last !== undefined) await dropCandidates(site, request.task, last);
    return { archive };
  }
  if (owns && record !== null && !record.free) await forget(slot);
  const archived = lastOf(site.home, request);
  if (archived === null) await refuseReplaced(slot, request.fence);
  // Nothing of that attempt is anywhere: an empty archive says so, and says the same when asked again.
  return { archive: archived?.name ?? (await emptyArchive(site, request)) };
}

export async function closeWorkspace(site: Site, request: ArchiveRequest): Promise<null> {
  const slot = slotAt(site, request.path);
  const record = await readRecord(slot);
  if (record === null || record.free || !isOwner(record, request)) return null;
  if (await isReplaced(slot, request.fence)) return null;
  await settleTie(site, slot, request.fence);
  if ((await kindOf(slot.work)) === "missing") {
    // What is in an archive still needs them.
    if (!hasArchive(site.home, record)) await dropRefs(site, record);
    await forget(slot);
    return null;
  }
  const tie = await readTie(slot);
  const tip = tie === null ? null : await tipOf(site, slot, tie);
  const isLeftAlone = tie === null || (await isLeft(site, slot, tie));
  if (!isLeftAlone || !(await surely(holdsOnlyMergedWork(site, slot, record)))) {
    const why = "more was left than the merged candidate holds";
    await putAway(site, slot, { owner: record, fence: request.fence, why });
    await dropCandidates(site, record.task, null);
    return null;
  }
  if (tie === null) {
    const free = `${JSON.stringify({ ...record, free: true })}\n`;
    await writeFenced(site, slot, request.fence, slot.record, free);
  } else await takeAwayLinked(site, slot, { tie, tip, fence: request.fence });
  await dropRefs(site, record);
  if (tie !== null) await forget(slot);
  return null;
}

const dropRefs = (site: Site, { task, attempt }: SlotRecord): Promise<void> => dropAttempt(site, task, attempt);

const isOwner = (record: SlotRecord, { task, attempt }: ArchiveRequest): boolean =>
  record.task === task && record.attempt === attempt;
