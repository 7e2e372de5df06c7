// Merging in place: the branch that is checked out moves by compare-and-swap; then the index follows, so that git finds
// the files as committed. No file is written.
import { join } from "node:path";
import { copyIndex } from "../../git/files.ts";
import { git, gitBytes, gitText } from "../../git/git.ts";
import { alreadyMerged, isWhole, mergedEarlier } from "../../git/merge.ts";
import { refuse } from "../../git/refusal.ts";
import { type Site, withScratch } from "../../git/site.ts";
import { keepCommit, moveBranch, readHead } from "../../git/user-repository.ts";
import type { Merged, MergeRequest } from "../workspace.ts";
import { branchHere, type Here, type HereRecord, operationHere, readHere } from "./here.ts";
import { freeIndex, replaceIndex } from "./users-index.ts";

export async function mergeHere(site: Site, here: Here, request: MergeRequest): Promise<Merged> {
  const { candidate, task } = request;
  const record = await readHere(here);
  const tip = await tipOf(site);
  const merged = await alreadyMerged(site, request, tip);
  if (merged !== null) {
    if (record !== null) await settleIndex(site, here, record);
    return mergedEarlier(site, merged);
  }
  if (record?.candidate?.commit !== candidate.commit || record.candidate.tip !== tip) return { merged: false };
  if (!(await isWhole(site, candidate))) return { merged: false };
  await refuseSwitched(site, here);
  await freeIndex(here);
  // The agent's own commits: the candidate holds what they did, this keeps how they did it.
  if (tip !== candidate.parent) await keepCommit(site.user, task, tip);
  await keepStaged(site, here, record);
  if (!(await moveBranch(site.user, site.branch, { from: tip, to: candidate.commit }))) {
    const theirs = await alreadyMerged(site, request, await tipOf(site));
    return theirs === null ? { merged: false } : mergedEarlier(site, theirs);
  }
  await settleIndex(site, here, record);
  return { merged: true, commit: candidate.commit };
}

async function tipOf(site: Site): Promise<string> {
  const head = await readHead(site.user, site.branch);
  if (head !== null) return head.commit;
  return refuse({
    kind: "env_setup",
    message: `the branch ${site.branch}, on which this mission works in place, is gone`,
    remedy: `Make it again where it was: git log --all shows its commits.`,
  });
}

async function refuseSwitched(site: Site, here: Here): Promise<void> {
  const [branch, operation] = [await branchHere(here), await operationHere(here)];
  if (branch === site.branch && operation === null) return;
  refuse({
    kind: "env_setup",
    message:
      branch === site.branch
        ? `a ${operation} is open in ${here.work}: ${site.branch} does not move under it`
        : `${here.work} was switched from ${site.branch} to ${branch ?? "no branch"} before the work was merged`,
    remedy:
      branch === site.branch ? "Conclude or abort it, then run again." : `git switch ${site.branch}, then run again`,
  });
}

/** Content that is only in the index: neither the candidate nor the base holds it. */
async function keepStaged(site: Site, here: Here, { task, base, candidate }: HereRecord): Promise<void> {
  await withScratch(site, [], async (scratch) => {
    const indexFile = join(scratch.directory, "staged");
    await copyIndex(here.theirIndex, indexFile);
    const call = { gitDir: site.ledger, objectsDir: site.user.objectsDir, identity: site.user.identity, durable: true };
    const tree = await gitText({ ...call, indexFile }, ["write-tree"]);
    const same = await Promise.all(
      [base, candidate?.commit ?? base].map((id) => gitText(call, ["rev-parse", "--verify", `${id}^{tree}`])),
    );
    if (same.includes(tree)) return;
    const input = "what was staged\n";
    await keepCommit(site.user, task, await gitText({ ...call, input }, ["commit-tree", tree, "-p", base, "-F", "-"]));
  });
}

/** Makes the index that of the merged candidate, with stamps of the files as they lie there. */
export async function settleIndex(site: Site, here: Here, { candidate }: HereRecord): Promise<void> {
  const head = await readHead(site.user, site.branch);
  // Somebody committed since, or is elsewhere: their index fits what they did.
  if (candidate === null || head?.commit !== candidate.commit || (await branchHere(here)) !== site.branch) return;
  await withScratch(site, [], async (scratch) => {
    const place = { ...scratch.place, workTree: here.work };
    const theirs = join(scratch.directory, "theirs");
    await copyIndex(here.theirIndex, theirs);
    const staged = await git({ ...scratch.place, indexFile: theirs }, ["write-tree"]);
    if (staged.code === 0 && staged.stdout.toString("utf8").trim() === head.tree) return;
    await gitBytes(place, ["read-tree", candidate.commit]);
    // Files that were changed since stay so, and are listed as changed.
    await git(place, ["update-index", "-q", "--refresh"]);
    await replaceIndex(here, scratch.place.indexFile);
  });
}
