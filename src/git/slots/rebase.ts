// Bringing a workspace onto the present head of the mission branch, its work in it, both sides where they do not go
// together. The work is kept as a commit and the workspace put away first, so a crash in between is gone on from that;
// what is on the new head takes its place by one rename.
import { longest, type Rebased } from "../../protocol/conflict.ts";
import type { CommitId } from "../../protocol/ids.ts";
import type { RebaseRequest } from "../../workspaces/workspace.ts";
import { commitsOn, mergeWithConflicts } from "../conflicts.ts";
import { kindOf } from "../files.ts";
import { gitBytes, shownPath } from "../git.ts";
import { keepWork, keptWork } from "../kept.ts";
import { madePathsIn } from "../made.ts";
import { markedFiles, sidesOf } from "../markers.ts";
import { refuse } from "../refusal.ts";
import { type Site, withScratch } from "../site.ts";
import { takeSnapshot } from "../snapshot.ts";
import { baseRefOf, missionHead, pin } from "../user-repository.ts";
import { groundOf } from "./ground.ts";
import { settleTie } from "./linked-remove.ts";
import { build } from "./open.ts";
import type { Place, PlaceKind } from "./place.ts";
import { putAway } from "./put-away.ts";
import { refuseTorn } from "./restart.ts";
import { readRecord, type Slot, type SlotRecord, slotAt, takeFence } from "./slot.ts";

export async function rebaseWorkspace(site: Site, request: RebaseRequest, kind: PlaceKind): Promise<Rebased> {
  const slot = slotAt(site, request.path);
  await takeFence(site, slot, request.fence);
  await settleTie(site, slot, request.fence);
  const present = await presentWork(slot, request);
  // Done before, and the answer was lost.
  if (present?.rebased?.from === request.base) return describe(site, present.rebased.kept, present.base);
  const kept =
    present === null ? await keptBefore(site, slot, request) : await putAside(site, slot, { request, present });
  const { commit: base, tree: baseTree } = await missionHead(site.user, site.branch);
  const rebased = await describe(site, kept, base);
  const { task, attempt, fence } = request;
  const pinned = pin(site.user, baseRefOf(site, task, attempt), base);
  const furnish = async (place: Place): Promise<string> => {
    // Made again, for its objects have to be in the agent's own repository; not by that one, which would read the
    // project's attributes: a merge driver or another size of markers would make another tree of it.
    const objects = { gitDir: site.ledger, objectsDir: place.objectsDir };
    const { tree } = await mergeWithConflicts(objects, sidesOf(kept, base));
    await gitBytes(place, ["read-tree", "--reset", "-u", tree]);
    return tree;
  };
  const from = { from: request.base, kept };
  const owned = { task, attempt, base, baseTree, rebased: from, seen: rebased.tree };
  await build(site, slot, { kind, fence, ...owned, pinned, furnish });
  return rebased;
}

async function presentWork(slot: Slot, { task, attempt }: RebaseRequest): Promise<SlotRecord | null> {
  const record = await readRecord(slot);
  const owned = record?.task === task && record.attempt === attempt;
  return owned && !record.free && (await kindOf(slot.work)) === "directory" ? record : null;
}

/** Kept as a commit, then put away to the last byte: ignored files, stashes and branches of the agent's too. */
async function putAside(
  site: Site,
  slot: Slot,
  { request, present }: { readonly request: RebaseRequest; readonly present: SlotRecord },
): Promise<CommitId> {
  const { base, task, attempt, fence } = request;
  const kept = await withScratch(site, [], async (scratch) => {
    const exempt = await madePathsIn(slot.work);
    const at = { ...slot, ...(await groundOf(site, slot, task)) };
    const { tree } = await takeSnapshot(site, at, { base, record: present, scratch, exempt });
    await refuseTorn(present, tree);
    return keepWork(site, scratch, { task, attempt, base, tree });
  });
  await putAway(site, slot, { owner: { task, attempt }, fence, why: "its work was in conflict" });
  return kept;
}

/** Where a crash left no workspace, or one that was put away; somebody else's is not touched. */
async function keptBefore(site: Site, slot: Slot, request: RebaseRequest): Promise<CommitId> {
  const nobodys = (await kindOf(slot.work)) === "missing" || (await readRecord(slot))?.free === true;
  const [newest] = nobodys ? await keptWork(site, request) : [];
  if (newest !== undefined) return newest.commit;
  return refuse({
    kind: "env_setup",
    message: `the workspace of ${request.task} at ${request.path} is gone`,
    remedy: "Its attempt has to start again.",
  });
}

async function describe(site: Site, kept: CommitId, base: CommitId): Promise<Rebased> {
  return withScratch(site, [], async ({ place }) => {
    const { tree, conflicts } = await mergeWithConflicts(place, sidesOf(kept, base));
    const named = conflicts.slice(0, longest.files);
    const marked = await markedFiles(place, { base, tree, kept }, named);
    const files = named.map((path) => ({ path: shownPath(path).slice(0, longest.path), marked: marked.has(path) }));
    const others = await commitsOn(place, { base: `${kept}^`, head: base }, conflicts);
    return { base, kept, tree, files, fileCount: conflicts.length, others: [...others] };
  });
}
