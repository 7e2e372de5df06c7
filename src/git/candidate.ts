// A candidate: work since its base as one commit on the mission branch's present head. It is made in scratch space,
// checked on its way into the user's repository, and reachable there by a reference of its own.
import type { CommitId } from "../protocol/ids.ts";
import type { Candidate } from "../workspaces/workspace.ts";
import { commitsOn, mergeWithConflicts, type TreesToMerge } from "./conflicts.ts";
import { type GitCall, gitText, shownPath } from "./git.ts";
import { handOver } from "./hand-over.ts";
import { trailerOf } from "./mission-log.ts";
import { refuse } from "./refusal.ts";
import type { Scratch, Site } from "./site.ts";
import { candidateRefOf, missionHead, pin } from "./user-repository.ts";

export interface WorkToCommit {
  readonly base: CommitId;
  /** The whole tree as it stands, in the scratch's objects. */
  readonly tree: string;
  readonly message: string;
  /** On which commit; the mission branch's head if not given. */
  readonly onto?: CommitId;
}

export async function makeCandidate(site: Site, scratch: Scratch, work: WorkToCommit): Promise<Candidate> {
  const { base, tree, message } = work;
  const head = work.onto ?? (await missionHead(site.user, site.branch)).commit;
  const call = { ...scratch.place, identity: site.user.identity };
  const merged = head === base ? tree : await mergeTrees(call, { base, head, tree });
  const commit = await gitText({ ...call, input: message }, ["commit-tree", merged, "-p", head, "-F", "-"]);
  site.user.known.trees.set(commit, merged);
  const [task] = trailerOf(message, "Harness-Task");
  if (task !== undefined) site.user.known.candidates.set(commit, task);
  await hand(site, scratch, { commit, parent: head, ref: candidateRefOf(commit) });
  return { commit, parent: head };
}

/** The change from base to tree on head; what does not apply is refused, with what others did to the same files. */
export async function mergeTrees(call: GitCall, of: TreesToMerge): Promise<string> {
  const { tree, conflicts } = await mergeWithConflicts(call, of);
  if (conflicts.length === 0) return tree;
  const others = await commitsOn(call, of, conflicts);
  return refuse({
    kind: "merge_conflict",
    message: `the work does not apply to the mission branch as it is now: ${shown(conflicts.map(shownPath))}`,
    remedy: "Do it again on the new head, or resolve it by hand.",
    ...(others.length > 0 && {
      evidence: others.map(({ subject, commit }) => `${subject} (${commit.slice(0, 7)})`).join("\n"),
    }),
  });
}

export const shown = (paths: readonly string[]): string =>
  `${paths.slice(0, 10).join(", ")}${paths.length > 10 ? ` and ${paths.length - 10} more` : ""}`.slice(0, 2_000);

/** Brings a commit made in scratch space, whose parent is known there, into the user's repository under a reference. */
export const hand = (
  site: Site,
  scratch: Scratch,
  { commit, parent, ref }: Candidate & { readonly ref: string },
): Promise<void> => handOver(site, scratch, { commit, known: [parent], name: () => pin(site.user, ref, commit) });
