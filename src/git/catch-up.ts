// Keeps the mission branch current with the user's branch: a trial merge first, the branch moves only when it was judged.

import type { CommitId } from "../protocol/ids.ts";
import type { Trial, TrialRequest } from "../workspaces/branch-keeping.ts";
import type { Candidate } from "../workspaces/workspace.ts";
import { changedFiles } from "./accept/changed-files.ts";
import { refuseConversion } from "./accept/conversion.ts";
import { isAncestor } from "./accept/plan.ts";
import { shown } from "./candidate.ts";
import { mergeCommits } from "./conflicts.ts";
import { git, gitText, shownPath } from "./git.ts";
import { handOver } from "./hand-over.ts";
import { refuseCheckedOut } from "./merge.ts";
import { readReference, unclear } from "./reference.ts";
import { answer } from "./refusal.ts";
import { type Site, withScratch } from "./site.ts";
import { candidateRefOf, dropRef, missionHead, pin, swapHead } from "./user-repository.ts";
import { usersBranch } from "./users-branch.ts";

const heads = "refs/heads/";

export async function tryToMerge(site: Site, { branch, tried }: TrialRequest): Promise<Trial> {
  const followed = branch === null ? await usersBranch(site.user, site.branch) : `${heads}${branch}`;
  const theirs = followed === null ? null : await aheadOf(site, followed);
  if (followed === null || theirs === null || theirs === tried) return { end: "current" };
  const { commit: head } = await missionHead(site.user, site.branch);
  return withScratch(site, [], async (scratch) => {
    const call = { ...scratch.place, identity: site.user.identity };
    const merged = await answer(() => mergeCommits(call, head, theirs));
    if (!merged.ok) return { end: "conflict", theirs, why: merged.failure.message };
    const { tree, conflicts } = merged.value;
    if (conflicts.length > 0)
      return { end: "conflict", theirs, why: `both changed ${shown(conflicts.map(shownPath))}` };
    const input = `Catch up with ${followed.slice(heads.length)}\n\nHarness-Caught-Up: ${theirs}\n`;
    const parents = ["-p", head, "-p", theirs];
    const commit = await gitText({ ...call, input }, ["commit-tree", tree, ...parents, "-F", "-"]);
    const ref = candidateRefOf(commit);
    await handOver(site, scratch, { commit, known: [head, theirs], name: () => pin(site.user, ref, commit) });
    const target = { branch: site.branch, ref: followed, head, checkout: null };
    const changes = await changedFiles(site, head, commit);
    const driven = await answer(() => refuseConversion(site, scratch, { target, to: commit, changes, merged: true }));
    if (!driven.ok) {
      await dropRef(site.user, ref);
      return { end: "conflict", theirs, why: driven.failure.message };
    }
    return { end: "merged", theirs, candidate: { commit, parent: head } };
  });
}

/** The newest commit of a branch, if the mission branch does not have it. */
async function aheadOf(site: Site, ref: string): Promise<CommitId | null> {
  const { commonDir, known } = site.user;
  const mission = `${heads}${site.branch}`;
  const theirs = await readReference(commonDir, ref);
  const head = await readReference(commonDir, mission);
  // No such branch, or no mission branch yet: there is nothing to follow.
  if (theirs === null || head === null) return null;
  const clear = theirs !== unclear && head !== unclear ? { theirs, head } : null;
  if (clear !== null && clear.theirs === known.caughtUp?.theirs && clear.head === known.caughtUp.head) return null;
  const ids = [clear?.theirs ?? ref, "--not", clear?.head ?? mission];
  const ahead = await git({ gitDir: commonDir }, ["rev-list", "--max-count=1", ...ids, "--"]);
  const newest = ahead.stdout.toString("utf8").trim();
  if (ahead.code === 0 && newest === "" && clear !== null) known.caughtUp = clear;
  return ahead.code !== 0 || newest === "" ? null : newest;
}

/** False when others merged meanwhile: then it is tried again on their work. */
export async function catchUp(site: Site, candidate: Candidate): Promise<boolean> {
  const head = await missionHead(site.user, site.branch);
  if (await isAncestor(site, candidate.commit, head.commit)) return true;
  if (head.commit !== candidate.parent) return false;
  refuseCheckedOut(site, head);
  return swapHead(site.user, site.branch, candidate);
}
