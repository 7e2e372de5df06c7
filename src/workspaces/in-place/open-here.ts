// Opening in place. Whatever an earlier attempt left is rolled back first, so an attempt always begins with the checkout
// as the user had it.
import { readFile } from "node:fs/promises";
import { kindOf } from "../../git/files.ts";
import { mergedEarlier } from "../../git/merge.ts";
import { mergedCommit } from "../../git/mission-log.ts";
import { refuse, surely } from "../../git/refusal.ts";
import { rootIn } from "../../git/root-in.ts";
import { type Site, sweepScratch, withScratch } from "../../git/site.ts";
import { takeFence } from "../../git/slots/slot.ts";
import { takeSnapshot } from "../../git/snapshot.ts";
import { type MissionHead, noteStart, readHead } from "../../git/user-repository.ts";
import { createFolderDurably } from "../../kit/durable-folder.ts";
import { currentBoot } from "../../kit/process-identity.ts";
import type { CommitId } from "../../protocol/ids.ts";
import type { Opened, OpenRequest } from "../workspace.ts";
import { finish, isMerged } from "./end-here.ts";
import { branchHere, type Here, type HereRecord, operationHere, readHere } from "./here.ts";
import { rollBack } from "./roll-back.ts";
import { begin } from "./start-state.ts";

export async function openHere(
  site: Site,
  here: Here,
  request: OpenRequest & { readonly withChanges: boolean },
): Promise<Opened> {
  createFolderDurably(here.slot.directory, 0o700);
  const seen = await headOf(site);
  await noteStart(site.user, site.branch, seen.commit);
  const merged = await mergedCommit(site, request.task, seen.commit);
  if (merged !== null) return mergedEarlier(site, merged);
  const record = await readHere(here);
  // A lane may be retired, but only what is free, or the same task's, is given to another.
  if (request.slot !== 0 && record !== null && record.task !== request.task) refuseLane();
  await takeFence(site, here.slot, request.fence);
  if (record !== null) {
    if (isFor(record, request, seen.commit) && (await surely(isUntouched(site, here, record))))
      return { merged: false, path: await rootIn(site, here.work), base: record.base };
    await settle(site, here, record, request.fence);
  }
  await sweepScratch(site);
  const head = await headOf(site);
  await begin(site, here, { ...request, head });
  return { merged: false, path: await rootIn(site, here.work), base: head.commit };
}

export async function headOf(site: Site): Promise<MissionHead> {
  const head = await readHead(site.user, site.branch);
  if (head !== null) return head;
  return refuse({
    kind: "config",
    message: `the branch ${site.branch}, on which this mission works in place, is gone`,
    remedy: "Make it again where it was: `git log --all` shows its commits.",
  });
}

function refuseLane(): never {
  return refuse({
    kind: "config",
    message: "in place there is one lane: two agents must not work in one checkout",
    remedy: "Run with --lanes 1, or work in clones: --workspace clone",
  });
}

/** An earlier attempt that was merged is left as it is; any other is taken back. */
async function settle(site: Site, here: Here, record: HereRecord, fence: number): Promise<void> {
  if (await isMerged(site, record)) await finish(site, here, record);
  else await rollBack(site, here, record, { fence, why: "it was left in the checkout" });
}

const isFor = (record: HereRecord, { task, attempt }: OpenRequest, base: CommitId): boolean =>
  record.task === task && record.attempt === attempt && record.base === base && record.rolling === null;

async function isUntouched(site: Site, here: Here, record: HereRecord): Promise<boolean> {
  if (record.boot !== (await currentBoot()) || record.candidate !== null) return false;
  if ((await branchHere(here)) !== record.branch || (await operationHere(here)) !== null) return false;
  if ((await kindOf(here.theirIndex)) !== "file") return false;
  if (!(await readFile(here.theirIndex)).equals(await readFile(here.startIndex))) return false;
  const { start, submodules, handedTree } = record;
  const { tree, nested } = await withScratch(site, [], (scratch) =>
    takeSnapshot(site, here, { base: start, record: { base: start, submodules }, scratch, exempt: [] }),
  );
  return tree === handedTree && nested.length === 0;
}
