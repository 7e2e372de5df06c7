// Keeps the mission branch current with the user's branch: a trial merge first, the branch moves only when it was judged.

import type { CommitId } from "../protocol/ids.ts";
import type { Trial, TrialRequest } from "../workspaces/branch-keeping.ts";
import type { Candidate } from "../workspaces/workspace.ts";
import { changedFiles } from "./accept/changed-files.ts";
import { refuseConversion } from "./accept/conversion.ts";
import { isAncestor } from "./accept/plan.ts";
import { handOver, shown } from "./candidate.ts";
import { mergeCommits } from "./conflicts.ts";
import { git, gitText, shownPath } from "./git.ts";
import { refuseCheckedOut } from "./merge.ts";
import { readReference, unclear } from "./reference.ts";
import { answer } from "./refusal.ts";
import { type Site, withScratch } from "./site.ts";
import { candidateRefOf, missionHead, pin, swapHead, userRefOf } from "./user-repository.ts";

export async function tryToMerge(site: Site, { branch, tried }: TrialRequest): Promise<Trial> {
  const ref = branch === null ? userRefOf(site.branch) : `refs/heads/${branch}`;
  const theirs = await aheadOf(site, ref);
  if (theirs === null || theirs === tried) return { end: "current" };
  const { commit: head } = await missionHead(site.user, site.branch);
  return withScratch(site, [], async (scratch) => {
    const call = { ...scratch.place, identity: site.user.identity };
    const merged = await answer(() => mergeCommits(call, head, theirs));
    if (!merged.ok) return { end: "conflict", theirs, why: merged.failure.message };
    const { tree, conflicts } = merged.value;
    if (conflicts.length > 0)
      return { end: "conflict", theirs, why: `both changed ${shown(conflicts.map(shownPath))}` };
    const input = `Catch up with ${await nameOf(site, ref)}\n\nHarness-Caught-Up: ${theirs}\n`;
    const parents = ["-p", head, "-p", theirs];
    const commit = await gitText({ ...call, input }, ["commit-tree", tree, ...parents, "-F", "-"]);
    await handOver(site, scratch, { commit, known: [head, theirs] });
    const target = { branch: site.branch, ref, head, checkout: null };
    const changes = await changedFiles(site, head, commit);
    const driven = await answer(() => refuseConversion(site, scratch, { target, to: commit, changes, merged: true }));
    if (!driven.ok) return { end: "conflict", theirs, why: driven.failure.message };
    await pin(site.user, candidateRefOf(commit), commit);
    return { end: "merged", theirs, candidate: { commit, parent: head } };
  });
}

/** The newest commit of a branch, if the mission branch does not have it. */
async function aheadOf(site: Site, ref: string): Promise<CommitId | null> {
  const { commonDir, known } = site.user;
  const mission = `refs/heads/${site.branch}`;
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

async function nameOf(site: Site, ref: string): Promise<string> {
  const found = await git({ gitDir: site.user.commonDir }, ["symbolic-ref", "--quiet", ref]);
  return (found.code === 0 ? found.stdout.toString("utf8").trim() : ref).replace(/^refs\/heads\//, "");
}
