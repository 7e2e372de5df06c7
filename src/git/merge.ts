// Merging: one compare-and-swap of the mission branch. Before it, the branch itself is asked whether the task is in it;
// the swap succeeds only if the branch is still the one that was asked.
import type { CommitId, TaskId } from "../protocol/ids.ts";
import type { Candidate, Merged, MergeRequest } from "../workspaces/workspace.ts";
import { git, gitText } from "./git.ts";
import { taskOf } from "./mission-log.ts";
import { refuse } from "./refusal.ts";
import type { Site } from "./site.ts";
import { type MissionHead, missionHead, startRefsOf, swapHead } from "./user-repository.ts";

export async function mergeCandidate(site: Site, request: MergeRequest): Promise<Merged> {
  const { candidate } = request;
  const head = await missionHead(site.user, site.branch);
  const merged = await alreadyMerged(site, request, head.commit);
  if (merged !== null) return { merged: true, commit: merged };
  if (head.commit !== candidate.parent) return { merged: false };
  refuseCheckedOut(site, head);
  if (!(await isWhole(site, candidate))) return { merged: false };
  if (await swapHead(site.user, site.branch, candidate)) return { merged: true, commit: candidate.commit };
  // Lost to somebody: perhaps to another process with this very task.
  const now = await missionHead(site.user, site.branch);
  const theirs = await alreadyMerged(site, request, now.commit);
  return theirs === null ? { merged: false } : { merged: true, commit: theirs };
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

/** The commit by which any attempt of the task came into the mission branch: only commits after its start can be one. */
export async function mergedCommit(site: Site, task: TaskId, head: CommitId): Promise<CommitId | null> {
  const listed = await gitText({ gitDir: site.user.commonDir }, [
    "rev-list",
    "--first-parent",
    "--encoding=UTF-8",
    "--no-commit-header",
    "--format=%H%x00%B%x00%x00",
    "--fixed-strings",
    `--grep=Harness-Task: ${task}`,
    head,
    "--not",
    `--glob=${startRefsOf(site.branch)}`,
    "--",
  ]);
  const found = listed.split("\0\0").map((entry) => entry.trim().split("\0"));
  // The search also finds `task-10` for `task-1`.
  return found.find(([, message = ""]) => taskOf(site, message) === task)?.[0] ?? null;
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
