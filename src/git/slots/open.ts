// Opening: the workspace is built out of sight and appears by one rename, after the record that says whose it is.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolderDurably } from "../../kit/durable-folder.ts";
import { currentBoot } from "../../kit/process-identity.ts";
import type { CommitId } from "../../protocol/ids.ts";
import type { Candidate, Opened, OpenRequest } from "../../workspaces/workspace.ts";
import { mergeTrees } from "../candidate.ts";
import { copyIndex, kindOf } from "../files.ts";
import { type GitCall, gitBytes } from "../git.ts";
import { mergedCommit } from "../merge.ts";
import { answer, refuse, surely } from "../refusal.ts";
import { rootIn } from "../root-in.ts";
import { type Site, sweepScratch, withScratch } from "../site.ts";
import { takeSnapshot } from "../snapshot.ts";
import { takeOutSubmodules } from "../submodules.ts";
import { baseRefOf, missionHead, setRef } from "../user-repository.ts";
import { groundOf } from "./ground.ts";
import { settleTie } from "./linked-remove.ts";
import { putAway } from "./put-away.ts";
import {
  forget,
  moveFenced,
  readRecord,
  refuseReplaced,
  type Slot,
  type SlotRecord,
  slotOf,
  takeFence,
  writeRecord,
} from "./slot.ts";

/** What is made of git in a directory out of sight; answers where its index is, and how git may change its files. */
export type MakePlace = (
  site: Site,
  slot: Slot,
  order: PlaceOrder,
) => Promise<GitCall & { readonly indexFile: string }>;
export interface PlaceOrder {
  readonly directory: string;
  readonly base: CommitId;
  readonly task: string;
  readonly fence: number;
}

export async function openWorkspace(site: Site, request: OpenRequest, make: MakePlace): Promise<Opened> {
  const slot = slotOf(site, request.slot);
  createFolderDurably(slot.directory, 0o700);
  const { commit: base, tree: baseTree } = await missionHead(site.user, site.branch);
  const merged = await mergedCommit(site, request.task, base);
  if (merged !== null) return { merged: true, commit: merged };
  await takeFence(site, slot, request.fence);
  await settleTie(site, slot);
  if ((await kindOf(slot.work)) !== "missing") {
    const record = await readRecord(slot);
    if (record !== null && isFor(record, request, base) && (await surely(isUntouched(site, slot, record))))
      return { merged: false, path: await rootIn(site, slot.work), base };
    await refuseReplaced(slot, request.fence);
    const owner = record ?? { task: `unowned-${request.slot}`, attempt: 0 };
    await putAway(site, slot, { owner, fence: request.fence, why: "it was left in its slot" });
  }
  await sweepScratch(site);
  await forget(slot);
  await setRef(site.user, baseRefOf(request.task, request.attempt), base);
  await build(site, slot, { ...request, base, baseTree }, make);
  return { merged: false, path: await rootIn(site, slot.work), base };
}

const isFor = (record: SlotRecord, { task, attempt }: OpenRequest, base: CommitId): boolean =>
  record.task === task && record.attempt === attempt && record.base === base;

async function build(
  site: Site,
  slot: Slot,
  { task, attempt, fence, base, baseTree, resume = null }: OpenRequest & Pick<SlotRecord, "base" | "baseTree">,
  make: MakePlace,
): Promise<void> {
  await withScratch(site, [], async ({ directory }) => {
    const work = join(directory, "work");
    const place = await make(site, slot, { directory: work, base, task, fence });
    await copyIndex(place.indexFile, slot.index);
    const submodules = await takeOutSubmodules({ gitDir: site.ledger, indexFile: slot.index });
    const startTree = resume === null ? baseTree : await goOn(site, place, resume, { base, baseTree });
    const freshIndex = await hashOf(place.indexFile);
    // A run that took long may have been replaced meanwhile; the rename would fail on the other's workspace as well.
    await refuseReplaced(slot, fence);
    const found = { candidate: null, boot: await currentBoot(), seen: null };
    await writeRecord(slot, { v: 1, task, attempt, base, baseTree, startTree, freshIndex, submodules, ...found });
    await moveFenced(site, slot, fence, { from: work, to: slot.work });
  });
}

/** Puts what an earlier attempt did into the fresh checkout, uncommitted; answers the tree that is there then. */
async function goOn(
  site: Site,
  place: GitCall,
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
  if ((await kindOf(index)) !== "file" || (await hashOf(index)) !== record.freshIndex) return false;
  const { tree, nested, leftovers } = await withScratch(site, [], (scratch) =>
    takeSnapshot(site, { ...slot, ...ground }, { base: record.base, record, scratch, leftovers: "look" }),
  );
  return tree === (record.startTree ?? record.baseTree) && nested.length === 0 && !leftovers;
}

const hashOf = async (path: string): Promise<string> =>
  createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
