// Finished work that nobody wants is taken back by one more commit: the mission branch only ever goes forward, and what
// was dropped stays in its history.
import type { CommitId } from "../protocol/ids.ts";
import type { Dropped, DropRequest } from "../workspaces/branch-keeping.ts";
import { isAncestor } from "./accept/plan.ts";
import { shown } from "./candidate.ts";
import { mergeCommits } from "./conflicts.ts";
import { gitText, shownPath } from "./git.ts";
import { handOver } from "./hand-over.ts";
import { refuseCheckedOut } from "./merge.ts";
import { refuse } from "./refusal.ts";
import { type Site, withScratch } from "./site.ts";
import { candidateRefOf, missionHead, pin, swapHead, syncHead } from "./user-repository.ts";

/** Others may merge meanwhile, one after the other. */
const maxTries = 20;

export async function dropWork(site: Site, request: DropRequest): Promise<Dropped> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const head = await missionHead(site.user, site.branch);
    const before = await droppedBy(site, request.commit, head.commit);
    if (before !== null) {
      // Whoever dropped it may have ended before that was on the disk.
      await syncHead(site.user, site.branch);
      return { commit: before };
    }
    if (!(await isAncestor(site, request.commit, head.commit)))
      refuse({ kind: "usage", message: `${request.commit} is not in ${site.branch}`, remedy: "harness tasks" });
    refuseCheckedOut(site, head);
    const commit = await undoneOn(site, request, head.commit);
    if (await swapHead(site.user, site.branch, { commit, parent: head.commit })) return { commit };
  }
  return refuse({
    kind: "env_setup",
    message: `${site.branch} moved each of ${maxTries} times that this was tried`,
    remedy: "harness stop, then again",
  });
}

/** The commit that took this one back, if there is one. */
async function droppedBy(site: Site, commit: CommitId, head: CommitId): Promise<CommitId | null> {
  const named = `--grep=^Harness-Dropped: ${commit}$`;
  const args = ["rev-list", "--first-parent", "--max-count=1", named, head, "--not", commit, "--"];
  return (await gitText({ gitDir: site.user.commonDir }, args)) || null;
}

/** The head without the changes of one commit: a merge of what undoes that commit, of which it is the base. */
function undoneOn(site: Site, { commit, message }: DropRequest, head: CommitId): Promise<CommitId> {
  return withScratch(site, [], async (scratch) => {
    const call = { ...scratch.place, identity: site.user.identity };
    const tree = `${commit}~1^{tree}`;
    const undone = await gitText({ ...call, input: "Undone\n" }, ["commit-tree", tree, "-p", commit, "-F", "-"]);
    const merged = await mergeCommits(call, head, undone);
    if (merged.conflicts.length > 0)
      refuse({
        kind: "merge_conflict",
        message: `later work builds on it: ${shown(merged.conflicts.map(shownPath))}`,
        remedy: "drop that first, or take it out by hand after harness accept",
      });
    const input = `${message.trimEnd()}\n\nHarness-Dropped: ${commit}\n`;
    const made = await gitText({ ...call, input }, ["commit-tree", merged.tree, "-p", head, "-F", "-"]);
    const ref = candidateRefOf(made);
    await handOver(site, scratch, { commit: made, known: [head], name: () => pin(site.user, ref, made) });
    return made;
  });
}
