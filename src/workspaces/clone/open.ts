// Opening: the workspace is built out of sight and appears by one rename, after the record that says whose it is.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../kit/make-folder.ts";
import type { CommitId } from "../../protocol/ids.ts";
import type { Opened, OpenRequest } from "../workspace.ts";
import { readAgentRefs } from "./agent-git.ts";
import { makeCheckout } from "./checkout.ts";
import { copyIndex, kindOf, moveDurably } from "./files.ts";
import { mergedCommit } from "./merge.ts";
import { surely } from "./refusal.ts";
import { type Site, sweepScratch, withScratch } from "./site.ts";
import {
  forget,
  moveToArchive,
  readRecord,
  refuseReplaced,
  rootIn,
  type Slot,
  type SlotRecord,
  slotOf,
  takeFence,
  writeRecord,
} from "./slot.ts";
import { takeSnapshot } from "./snapshot.ts";
import { takeOutSubmodules } from "./submodules.ts";
import { baseRefOf, missionHead, setRef } from "./user-repository.ts";

/** The branch an agent finds itself on. */
const branchOf = (task: string): string => `harness/${task}`;

export async function openWorkspace(site: Site, request: OpenRequest): Promise<Opened> {
  const slot = slotOf(site, request.slot);
  await makeFolder(slot.directory, 0o700);
  const { commit: base, tree: baseTree } = await missionHead(site.user, site.branch);
  const merged = await mergedCommit(site, request.task, base);
  if (merged !== null) return { merged: true, commit: merged };
  await takeFence(slot, request.fence);
  if ((await kindOf(slot.work)) !== "missing") {
    const record = await readRecord(slot);
    if (record !== null && isFor(record, request, base) && (await surely(isUntouched(site, slot, record))))
      return { merged: false, path: await rootIn(site, slot.work), base };
    await refuseReplaced(slot, request.fence);
    await moveToArchive(site, slot, record ?? { task: `unowned-${request.slot}`, attempt: 0 });
  }
  await sweepScratch(site);
  await forget(slot);
  await setRef(site.user, baseRefOf(request.task, request.attempt), base);
  await build(site, slot, { ...request, base, baseTree });
  return { merged: false, path: await rootIn(site, slot.work), base };
}

const isFor = (record: SlotRecord, { task, attempt }: OpenRequest, base: CommitId): boolean =>
  record.task === task && record.attempt === attempt && record.base === base;

async function build(
  site: Site,
  slot: Slot,
  { task, attempt, fence, base, baseTree }: OpenRequest & Pick<SlotRecord, "base" | "baseTree">,
): Promise<void> {
  await withScratch(site, [], async ({ directory }) => {
    const work = join(directory, "work");
    await makeCheckout(site, { directory: work, commit: base, branch: branchOf(task) });
    await copyIndex(join(work, ".git", "index"), slot.index);
    const submodules = await takeOutSubmodules({ gitDir: site.ledger, indexFile: slot.index });
    const freshIndex = await hashOf(join(work, ".git", "index"));
    // A run that took long may have been replaced meanwhile; the rename would fail on the other's workspace as well.
    await refuseReplaced(slot, fence);
    await writeRecord(slot, { v: 1, task, attempt, base, baseTree, freshIndex, submodules, candidate: null });
    await moveDurably(work, slot.work);
  });
}

/** Nothing was done here, not even looked at with git: files, references and index are as they were made. */
async function isUntouched(site: Site, slot: Slot, record: SlotRecord): Promise<boolean> {
  if ((await kindOf(slot.work)) !== "directory") return false;
  const gitDir = join(slot.work, ".git");
  const refs = await readAgentRefs(gitDir);
  const branch = `refs/heads/${branchOf(record.task)}`;
  const onlyOurs = refs.complete && refs.refs.size === 1 && refs.head === record.base;
  if (!onlyOurs || refs.headText !== `ref: ${branch}`) return false;
  const index = join(gitDir, "index");
  if ((await kindOf(index)) !== "file" || (await hashOf(index)) !== record.freshIndex) return false;
  const { tree, nested, leftovers } = await withScratch(site, [], (scratch) =>
    takeSnapshot(site, slot, { base: record.base, record, scratch, leftovers: "look" }),
  );
  return tree === record.baseTree && nested.length === 0 && !leftovers;
}

const hashOf = async (path: string): Promise<string> =>
  createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
