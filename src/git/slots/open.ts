// Opening: the workspace is built out of sight and appears by one rename, after the record that says whose it is.
import { join } from "node:path";
import { createFolderDurably } from "../../kit/durable-folder.ts";
import { currentBoot } from "../../kit/process-identity.ts";
import type { CommitId } from "../../protocol/ids.ts";
import type { Candidate, Opened, OpenRequest } from "../../workspaces/workspace.ts";
import { mergeTrees } from "../candidate.ts";
import { hashOfFile, kindOf } from "../files.ts";
import { gitBytes } from "../git.ts";
import { isStillMade, madePathsIn, readMade } from "../made.ts";
import { mergedEarlier } from "../merge.ts";
import { mergedCommit } from "../mission-log.ts";
import { answer, refuse, surely } from "../refusal.ts";
import { rootIn } from "../root-in.ts";
import { type Site, sweepScratch, withScratch } from "../site.ts";
import { takeSnapshot } from "../snapshot.ts";
import { baseRefOf, missionHead, pin } from "../user-repository.ts";
import { groundOf } from "./ground.ts";
import { isAtItsBase, settleTie, takeAwayLinked } from "./linked-remove.ts";
import type { Place, PlaceKind } from "./place.ts";
import { makePlace } from "./pool.ts";
import { putAway } from "./put-away.ts";
import {
  announceRecord,
  moveFenced,
  readRecord,
  refuseReplaced,
  type Slot,
  type SlotRecord,
  slotOf,
  takeFence,
} from "./slot.ts";
import { readTie, refuseForeign } from "./tie.ts";

export async function openWorkspace(site: Site, request: OpenRequest, kind: PlaceKind): Promise<Opened> {
  const slot = slotOf(site, request.slot);
  createFolderDurably(slot.directory, 0o700);
  const { commit: base, tree: baseTree } = await missionHead(site.user, site.branch);
  const merged = await mergedCommit(site, request.task, base);
  if (merged !== null) return mergedEarlier(site, merged);
  await takeFence(site, slot, request.fence);
  await settleTie(site, slot, request.fence);
  if ((await kindOf(slot.work)) !== "missing") {
    const record = await readRecord(slot);
    if (
      record !== null &&
      !record.free &&
      isFor(record, request, base) &&
      (await surely(isUntouched(site, slot, record)))
    )
      return { merged: false, path: await rootIn(site, slot.work), base };
    await refuseReplaced(slot, request.fence);
    await clear(site, slot, record, request.fence);
  }
  await sweepScratch(site);
  const { task, attempt, fence, resume = null } = request;
  const pinned = pin(site.user, baseRefOf(site, task, attempt), base);
  const furnish = async (place: Place) => (resume === null ? baseTree : goOn(site, place, resume, { base, baseTree }));
  await build(site, slot, { kind, task, attempt, fence, base, baseTree, seen: null, pinned, furnish });
  return { merged: false, path: await rootIn(site, slot.work), base };
}

const isFor = (record: SlotRecord, { task, attempt }: OpenRequest, base: CommitId): boolean =>
  record.task === task && record.attempt === attempt && record.base === base;

/** What is somebody's is put away; a clone that is nobody's stays, for it may serve again. */
async function clear(site: Site, slot: Slot, record: SlotRecord | null, fence: number): Promise<void> {
  await refuseForeign(site, slot);
  const owner = record ?? { task: `unowned-${slot.number}`, attempt: 0 };
  const why = "it was left in its slot";
  const tie = await readTie(slot);
  const nobodys = (await isNobodys(slot, record)) && (tie === null || (await isAtItsBase(site, slot, tie)));
  if (!nobodys) await putAway(site, slot, { owner, fence, why });
  else if (tie !== null) await takeAwayLinked(site, slot, { tie, tip: tie.base, fence });
}

/** Given back, or not yet given to anybody: a set-up did not end well in it. */
const isNobodys = async (slot: Slot, record: SlotRecord | null): Promise<boolean> =>
  record !== null && (record.free || (await readMade(slot.work))?.state === "making");

export interface Building extends Pick<SlotRecord, "task" | "attempt" | "base" | "baseTree" | "rebased" | "seen"> {
  readonly kind: PlaceKind;
  readonly fence: number;
  readonly pinned: Promise<void>;
  /** Puts work into the fresh checkout, uncommitted; answers the tree that is there then. */
  readonly furnish: (place: Place) => Promise<string>;
}

/** A checkout of the base with work in it, made out of sight. */
export async function build(site: Site, slot: Slot, building: Building): Promise<void> {
  const { kind, fence, pinned, furnish, ...owned } = building;
  const { task, base, rebased, ...about } = owned;
  // Awaited before the workspace appears; until then a rejection must not count as unhandled.
  pinned.catch(() => undefined);
  await withScratch(site, [], async (scratch) => {
    const work = join(scratch.directory, "work");
    const { place, submodules } = await makePlace(site, slot, kind, { directory: work, base, task, fence, scratch });
    const startTree = await furnish(place);
    const freshIndex = await hashOfFile(place.indexFile);
    await pinned;
    // A run that took long may have been replaced meanwhile; the rename would fail on the other's workspace as well.
    await refuseReplaced(slot, fence);
    const found = {
      startTree,
      freshIndex,
      submodules: [...submodules],
      candidate: null,
      boot: await currentBoot(),
      free: false,
    };
    await announceRecord(slot, { v: 1, task, base, ...about, ...found, ...(rebased !== undefined && { rebased }) });
    await moveFenced(site, slot, fence, { from: work, to: slot.work });
  });
}

/** Puts what an earlier attempt did into the fresh checkout. */
async function goOn(
  site: Site,
  place: Place,
  { commit, parent }: Candidate,
  { base, baseTree }: Pick<SlotRecord, "base" | "baseTree">,
): Promise<string> {
  const call = { ...place, identity: site.user.identity };
  const applied = await answer(() => mergeTrees(call, { base: parent, head: base, tree: `${commit}^{tree}` }));
  // It does not fit what others did meanwhile: the attempt starts from the base, as any other.
  if (!applied.ok && applied.failure.kind === "merge_conflict") return baseTree;
  if (!applied.ok) return refuse(applied.failure);
  await gitBytes(place, ["read-tree", "--reset", "-u", applied.value]);
  return applied.value;
}

/** Nothing was done here, not even looked at with git: files, references and index are as they were made. */
async function isUntouched(site: Site, slot: Slot, record: SlotRecord): Promise<boolean> {
  if ((await kindOf(slot.work)) !== "directory" || record.boot !== (await currentBoot())) return false;
  const ground = await groundOf(site, slot, record.task);
  const refs = await ground.refs();
  const onlyOurs = refs.complete && refs.refs.size === 1 && refs.head === record.base;
  if (!onlyOurs || refs.headText !== `ref: refs/heads/${ground.branch}`) return false;
  const index = ground.theirIndex;
  if ((await kindOf(index)) !== "file" || (await hashOfFile(index)) !== record.freshIndex) return false;
  if ((await readMade(slot.work)) !== null && !(await isStillMade(slot.work, { added: "look" }))) return false;
  const exempt = await madePathsIn(slot.work);
  const { tree, nested, leftovers } = await withScratch(site, [], (scratch) =>
    takeSnapshot(site, { ...slot, ...ground }, { base: record.base, record, scratch, exempt, leftovers: "look" }),
  );
  return tree === (record.startTree ?? record.baseTree) && nested.length === 0 && !leftovers;
}
