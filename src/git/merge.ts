// Merging: one compare-and-swap of the mission branch. Before it, the branch itself is asked whether the task is in it;
// the swap succeeds only if the branch is still the one that was asked.
import type { CommitId } from "../protocol/ids.ts";
import type { Candidate, Merged, MergeRequest } from "../workspaces/workspace.ts";
import { git } from "./git.ts";
import { mergedCommit } from "./mission-log.ts";
import { refuse } from "./refusal.ts";
import type { Site } from "./site.ts";
import { type MissionHead, missionHead, swapHead, syncHead } from "./user-repository.ts";

export async function mergeCandidate(site: Site, request: MergeRequest): Promise<Merged> {
  const { candidate } = request;
  const head = await missionHead(site.user, site.branch);
  const merged = await alreadyMerged(site, request, head.commit);
  if (merged !== null) return mergedEarlier(site, merged);
  if (head.commit !== candidate.parent) return { merged: false };
  refuseCheckedOut(site, head);
  if (!(await isWhole(site, candidate))) return { merged: false };
  if (await swapHead(site.user, site.branch, { ...candidate, task: request.task }))
    return { merged: true, commit: candidate.commit };
  // Lost to somebody: perhaps to another process with this very task.
  const now = await missionHead(site.user, site.branch);
  const theirs = await alreadyMerged(site, request, now.commit);
  return theirs === null ? { merged: false } : mergedEarlier(site, theirs);
}

/** Whoever moved the branch may have ended before that was on the disk: it is not said before. */
export async function mergedEarlier(
  site: Site,
  commit: CommitId,
): Promise<{ readonly merged: true; readonly commit: CommitId }> {
  await syncHead(site.user, site.branch);
  return { merged: true, commit };
}

/** The commit by which the task, or this very candidate, came into the branch; null when it did not. */
export async function alreadyMerged(
  site: Site,
  { candidate, task }: Pick<MergeRequest, "candidate" | "task">,
  head: CommitId,
): Promise<CommitId | null> {
  const args = ["merge-base", "--is-ancestor", candidate.commit, head];
  const mayBeIn = head !== candidate.parent;
  if (mayBeIn && (await git({ gitDir: site.user.commonDir }, args)).code === 0) return candidate.commit;
  return mergedCommit(site, task, head);
}

export function refuseCheckedOut(site: Site, head: MissionHead): void {
  if (head.checkedOutAt === null) return;
  refuse({
    kind: "env_setup",
    message: `the mission branch ${site.branch} is checked out at ${head.checkedOutAt} and must not move there`,
    remedy: "Switch that checkout to another branch.",
  });
}

/**
 * Whether the candidate is one, with every object it brings. A collection of garbage that ran while it was handed over
 * may have taken some; then it has to be committed again, and the branch must not move to it.
 */
export async function isWhole(site: Site, { commit, parent }: Candidate): Promise<boolean> {
  const args = [
    "rev-list",
    "--parents",
    "--objects",
    "--no-object-names",
    "--end-of-options",
    commit,
    `^${parent}`,
    "--",
  ];
  const listed = await git({ gitDir: site.user.commonDir }, args);
  if (listed.code !== 0) return false;
  if (listed.stdout.toString("utf8").split("\n", 1)[0] !== `${commit} ${parent}`)
    refuse({ kind: "env_setup", message: `${commit} is no candidate on ${parent}`, remedy: "Commit the work again." });
  return true;
}
