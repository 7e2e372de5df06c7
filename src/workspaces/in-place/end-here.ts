// The end of an attempt in place: rolled back, or – after a merge – left exactly as it lies there.
import { atWorkRefOf } from "../../git/at-work.ts";
import { dropCandidates } from "../../git/attempt-refs.ts";
import { git } from "../../git/git.ts";
import { mergedCommit } from "../../git/mission-log.ts";
import { lastOf } from "../../git/rescue/shelf.ts";
import type { Site } from "../../git/site.ts";
import { emptyArchive } from "../../git/slots/archive.ts";
import { isReplaced, refuseReplaced } from "../../git/slots/slot.ts";
import { baseRefOf, dropRef, hereRefOf, readHead } from "../../git/user-repository.ts";
import type { ArchiveRequest } from "../workspace.ts";
import { forgetHere, type Here, type HereRecord, readHere, refuseOtherPath } from "./here.ts";
import { settleIndex } from "./merge-here.ts";
import { isIn, rollBack } from "./roll-back.ts";

export async function archiveHere(
  site: Site,
  here: Here,
  request: ArchiveRequest,
): Promise<{ readonly archive: string }> {
  refuseOtherPath(here, request.path);
  const { fence } = request;
  const record = await readHere(here);
  const owns = record !== null && isOwner(record, request) && !(await isReplaced(here.slot, fence));
  // What is in the branch is never taken back.
  if (owns && (await isMerged(site, record))) await finish(site, here, record);
  else if (owns) {
    const archive = await rollBack(site, here, record, { fence, why: "the attempt ended without a merge" });
    // The last candidate is what the next attempt of a feature goes on with.
    if (record.candidate !== null) await dropCandidates(site, record.task, record.candidate.commit);
    return { archive };
  }
  const archived = lastOf(site.home, request);
  if (archived !== null) return { archive: archived.name };
  await refuseReplaced(here.slot, fence);
  // Nothing of that attempt is anywhere: an empty archive says so, and says the same when asked again.
  await emptyArchive(site, request);
  return { archive: lastOf(site.home, request)?.name ?? "" };
}

/** What is in the checkout stays; only our notes about it go. */
export async function closeHere(site: Site, here: Here, request: ArchiveRequest): Promise<null> {
  refuseOtherPath(here, request.path);
  const record = await readHere(here);
  if (record === null || !isOwner(record, request) || (await isReplaced(here.slot, request.fence))) return null;
  if (await isMerged(site, record)) await finish(site, here, record);
  return null;
}

/** By the branch itself: an answer may have been lost, and a later candidate made of what is merged already. */
export async function isMerged(site: Site, { branch, task, candidate, rolling }: HereRecord): Promise<boolean> {
  const head = rolling === null ? await readHead(site.user, branch) : null;
  if (head === null) return false;
  if ((await mergedCommit(site, task, head.commit)) !== null) return true;
  return candidate !== null && (await isIn(site, candidate.commit, head.commit));
}

/** For a record whose candidate is in the branch. */
export async function finish(site: Site, here: Here, record: HereRecord): Promise<void> {
  await settleIndex(site, here, record);
  const { task, attempt } = record;
  await forgetHere(here);
  await dropRef(site.user, atWorkRefOf(site, here.gitDir));
  await dropRef(site.user, baseRefOf(site, task, attempt));
  await dropCandidates(site, task, null);
  if (!(await stagedMore(site, record))) await dropRef(site.user, hereRefOf(site, task, attempt));
}

/** Whether the user had something staged that was nowhere else: its reference stays. */
async function stagedMore(site: Site, { start, base }: HereRecord): Promise<boolean> {
  const trees = [`${start}^{tree}`, `${start}^2^{tree}`, `${base}^{tree}`];
  const found = await git({ gitDir: site.user.commonDir }, ["rev-parse", "--end-of-options", ...trees]);
  const [files, staged, first] = found.stdout.toString("utf8").split("\n").slice(-4);
  return found.code !== 0 || (staged !== files && staged !== first);
}

const isOwner = (record: HereRecord, { task, attempt }: ArchiveRequest): boolean =>
  record.task === task && record.attempt === attempt;
