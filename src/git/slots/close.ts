// Giving a slot back. A workspace becomes free for the next one only when the merged candidate holds every byte of it but
// what a set-up made; else it is put away.
import { join } from "node:path";
import type { ArchiveRequest } from "../../workspaces/workspace.ts";
import { readAgentRefs, withAgentObjects } from "../agent-git.ts";
import { kindOf } from "../files.ts";
import { git, gitPaths } from "../git.ts";
import { madePathsIn } from "../made.ts";
import { surely } from "../refusal.ts";
import { lastOf } from "../rescue/shelf.ts";
import { type Scratch, type Site, withScratch } from "../site.ts";
import { takeSnapshot } from "../snapshot.ts";
import { baseRefOf, dropCandidates, dropRef, missionHead } from "../user-repository.ts";
import { emptyArchive } from "./archive.ts";
import { putAway } from "./put-away.ts";
import {
  forget,
  isReplaced,
  readRecord,
  refuseReplaced,
  type Slot,
  type SlotRecord,
  slotAt,
  writeFenced,
} from "./slot.ts";

export async function archiveWorkspace(site: Site, request: ArchiveRequest): Promise<{ readonly archive: string }> {
  const slot = slotAt(site, request.path);
  const replaced = await isReplaced(slot, request.fence);
  const record = await readRecord(slot);
  const present = (await kindOf(slot.work)) !== "missing" && record?.free !== true;
  // A workspace without a record belongs to whoever knows its path.
  const owns = !replaced && (record === null || isOwner(record, request));
  if (owns && present) {
    const why = "the attempt ended without a merge";
    const archive = await putAway(site, slot, { owner: request, fence: request.fence, why });
    // The last candidate is what the next attempt of a feature goes on with, this attempt's or an earlier one's.
    const last = record?.candidate?.commit;
    if (last !== undefined) await dropCandidates(site.user, request.task, last);
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
  if ((await kindOf(slot.work)) === "missing") {
    await forget(slot);
    return null;
  }
  if (!(await surely(holdsOnlyMergedWork(site, slot, record)))) {
    const why = "more was left than the merged candidate holds";
    await putAway(site, slot, { owner: record, fence: request.fence, why });
    await dropCandidates(site.user, record.task, null);
    return null;
  }
  const free = `${JSON.stringify({ ...record, free: true })}\n`;
  await writeFenced(site, slot, request.fence, slot.record, free);
  await dropRef(site.user, baseRefOf(record.task, record.attempt));
  await dropCandidates(site.user, record.task, null);
  return null;
}

const isOwner = (record: SlotRecord, { task, attempt }: ArchiveRequest): boolean =>
  record.task === task && record.attempt === attempt;

async function holdsOnlyMergedWork(site: Site, slot: Slot, record: SlotRecord): Promise<boolean> {
  if ((await kindOf(slot.work)) !== "directory") return false;
  const exempt = await madePathsIn(slot.work);
  const tree = await withScratch(site, [], async (scratch) => {
    const seen = await takeSnapshot(site, slot, { base: record.base, record, scratch, exempt, leftovers: "look" });
    const rest = seen.nested.length > 0 || seen.leftovers;
    return rest || (await stagesMore(slot, { base: record.base, tree: seen.tree, scratch })) ? null : seen.tree;
  });
  if (tree === null) return false;
  if (tree !== record.baseTree && !(tree === record.candidate?.tree && (await isMerged(site, record)))) return false;
  return commitsAreIn(site, slot, { record, tree });
}

/** Whether the agent's index holds content of its own: neither the base's nor what the files have now. */
async function stagesMore(
  slot: Slot,
  { base, tree, scratch }: { readonly base: string; readonly tree: string; readonly scratch: Scratch },
): Promise<boolean> {
  const call = { ...scratch.place, indexFile: slot.theirIndex };
  if ((await kindOf(call.indexFile)) !== "file") return true;
  const against = async (treeish: string): Promise<string[]> => {
    const fields = await gitPaths(call, ["diff-index", "--cached", "--raw", "-z", "--no-renames", treeish, "--"]);
    return fields.flatMap((field, i) => {
      if (i % 2 === 1) return [];
      const [, , , staged, status] = field.split(" ");
      return status === "D" ? [] : [`${staged} ${fields[i + 1]}`];
    });
  };
  const changed = new Set(await against(base));
  if (changed.size === 0) return false;
  return (await against(tree)).some((entry) => changed.has(entry));
}

async function isMerged(site: Site, { candidate }: SlotRecord): Promise<boolean> {
  if (candidate === null) return false;
  const head = await missionHead(site.user, site.branch);
  if (head.commit === candidate.commit) return true;
  const args = ["merge-base", "--is-ancestor", candidate.commit, head.commit];
  return (await git({ gitDir: site.user.commonDir }, args)).code === 0;
}

/** Each reference, stashes and tags too, is at a commit of the user's, or at one commit on the base with this tree. */
async function commitsAreIn(
  site: Site,
  slot: Slot,
  { record, tree }: { readonly record: SlotRecord; readonly tree: string },
): Promise<boolean> {
  const { head, refs, complete } = await readAgentRefs(join(slot.work, ".git"));
  if (!complete || head === null) return false;
  const tips = new Set([head, ...refs.values()]);
  return withAgentObjects(site, slot.work, async (objects) => {
    for (const tip of tips) {
      if (await objects.isPartOf(tip, record.base)) continue;
      const facts = await objects.facts(tip);
      if (facts?.tree !== tree || facts.parents.join() !== record.base) return false;
    }
    return true;
  });
}
