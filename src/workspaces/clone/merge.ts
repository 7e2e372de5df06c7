// Merging: one compare-and-swap of the mission branch. Before it, the branch itself is asked whether this attempt is in it.
import type { CommitId } from "../../protocol/ids.ts";
import type { Candidate, Merged, MergeRequest } from "../workspace.ts";
import { git, gitText } from "./git.ts";
import { refuse } from "./refusal.ts";
import type { Site } from "./site.ts";
import { type MissionHead, missionHead, startRefOf, swapHead } from "./user-repository.ts";

export async function mergeCandidate(site: Site, request: MergeRequest): Promise<Merged> {
  const { candidate } = request;
  const head = await missionHead(site.user, site.branch);
  const merged = await alreadyMerged(site, request, head.commit);
  if (merged !== null) return { merged: true, commit: merged };
  if (head.commit !== candidate.parent) return { merged: false };
  refuseCheckedOut(site, head);
  await refuseOtherParents(site, candidate);
  if (await swapHead(site.user, site.branch, candidate)) return { merged: true, commit: candidate.commit };
  // Lost to somebody: perhaps to another process with this very attempt.
  const now = await missionHead(site.user, site.branch);
  const theirs = await alreadyMerged(site, request, now.commit);
  return theirs === null ? { merged: false } : { merged: true, commit: theirs };
}

/** The most commits looked through when it is not known where the mission branch began. */
const searchLimit = 20_000;

async function alreadyMerged(site: Site, request: MergeRequest, head: CommitId): Promise<CommitId | null> {
  const { commit, parent } = request.candidate;
  const gitDir = site.user.commonDir;
  if (head !== parent && (await git({ gitDir }, ["merge-base", "--is-ancestor", commit, head])).code === 0)
    return commit;
  const start = await git({ gitDir }, [
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    startRefOf(site.branch),
  ]);
  const from = start.code === 0 ? [`^${start.stdout.toString("utf8").trim()}`] : [];
  const listed = await gitText({ gitDir }, [
    "rev-list",
    `--max-count=${searchLimit}`,
    "--first-parent",
    "--encoding=UTF-8",
    "--no-commit-header",
    "--format=%H%x00%B%x00%x00",
    "--fixed-strings",
    "--all-match",
    `--grep=Harness-Task: ${request.task}`,
    `--grep=Harness-Attempt: ${request.attempt}`,
    head,
    ...from,
    "--",
  ]);
  const found = listed.split("\0\0").map((entry) => entry.trim().split("\0"));
  return found.find(([, message = ""]) => isOf(request, message))?.[0] ?? null;
}

/** The search also finds `task-10` for `task-1`: only a whole trailer line counts. */
function isOf({ task, attempt }: MergeRequest, message: string): boolean {
  const trailers =
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1)
      ?.split("\n") ?? [];
  return trailers.includes(`Harness-Task: ${task}`) && trailers.includes(`Harness-Attempt: ${attempt}`);
}

function refuseCheckedOut(site: Site, head: MissionHead): void {
  if (head.checkedOutAt === null) return;
  refuse({
    kind: "env_setup",
    message: `the mission branch ${site.branch} is checked out at ${head.checkedOutAt} and must not move there`,
    remedy: "Switch that checkout to another branch.",
  });
}

async function refuseOtherParents(site: Site, { commit, parent }: Candidate): Promise<void> {
  const args = ["rev-list", "--parents", "--max-count=1", "--end-of-options", commit, "--"];
  const listed = await git({ gitDir: site.user.commonDir }, args);
  if (listed.code !== 0 || listed.stdout.toString("utf8").trim() !== `${commit} ${parent}`)
    refuse({ kind: "env_setup", message: `${commit} is no candidate on ${parent}`, remedy: "Commit the work again." });
}
