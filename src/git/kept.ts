// Work put aside as a commit of its own in the user's repository, before anything happens to the workspace it is in.
import type { CommitId, TaskId } from "../protocol/ids.ts";
import { hand } from "./candidate.ts";
import { gitText } from "./git.ts";
import type { Scratch, Site } from "./site.ts";
import { keptRefsOf } from "./user-repository.ts";

export interface WorkToKeep {
  readonly task: TaskId;
  readonly attempt: number;
  readonly base: CommitId;
  /** In the scratch's objects. */
  readonly tree: string;
}

/** The same work is kept once, however often it is asked for. */
export async function keepWork(site: Site, scratch: Scratch, work: WorkToKeep): Promise<CommitId> {
  const found = (await keptWork(site, work)).find(({ tree }) => tree === work.tree);
  if (found !== undefined) return found.commit;
  const { task, attempt, base: parent, tree } = work;
  const message = `${task}: attempt ${attempt} before its conflict was repaired\n`;
  const call = { ...scratch.place, identity: site.user.identity, input: message };
  const commit = await gitText(call, ["commit-tree", tree, "-p", parent, "-F", "-"]);
  await hand(site, scratch, { commit, parent, ref: `${keptRefsOf(task, attempt)}/${commit}` });
  return commit;
}

/** What was kept of an attempt's work on that base, newest first. */
export async function keptWork(
  site: Site,
  { task, attempt, base }: Omit<WorkToKeep, "tree">,
): Promise<readonly { readonly commit: CommitId; readonly tree: string }[]> {
  const format = "--format=%(objectname) %(tree) %(parent)";
  const args = ["for-each-ref", "--sort=-committerdate", format, `${keptRefsOf(task, attempt)}/`];
  const listed = await gitText({ gitDir: site.user.commonDir }, args);
  return listed
    .split("\n")
    .map((line) => line.split(" "))
    .flatMap(([commit = "", tree = "", parent]) => (parent === base ? [{ commit, tree }] : []));
}
