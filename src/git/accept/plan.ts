// What accepting would make of the user's branch: a commit, made and checked before anything of the user's moves.
import type { CommitId, TaskId } from "../../protocol/ids.ts";
import { shown } from "../candidate.ts";
import { mergeCommits, mergeWithConflicts } from "../conflicts.ts";
import { type GitCall, git, gitText, shownPath } from "../git.ts";
import { handOver } from "../hand-over.ts";
import { missionLog, type TaskCommit, trailerOf } from "../mission-log.ts";
import { answer, refuse } from "../refusal.ts";
import type { Scratch, Site } from "../site.ts";
import { acceptRefOf, setRef, startRefsOf } from "../user-repository.ts";
import { mergeMessage, pickMessage, squashMessage } from "./message.ts";
import type { Target } from "./target.ts";

export type AcceptHow = "fast-forward" | "merge" | "squash" | "pick";

export interface Wish {
  readonly mission: string;
  /** Null: everything that was merged so far. */
  readonly tasks: readonly TaskId[] | null;
  readonly squash: boolean;
}

export interface AcceptPlan {
  readonly how: AcceptHow;
  readonly to: CommitId;
  readonly tasks: readonly TaskCommit[];
}

/** Work of the mission branch that the user's branch does not have yet, oldest first (V3: by ancestry or by trailer). */
export async function waitingWork(site: Site, head: CommitId, target: Target): Promise<Waiting> {
  const call = { gitDir: site.user.commonDir };
  const log = await missionLog(site, head);
  const apart = await gitText(call, ["rev-list", "--first-parent", head, "--not", target.head, "--"]);
  const missing = new Set(apart.split("\n"));
  const said = await gitText(call, [
    "rev-list",
    "--encoding=UTF-8",
    "--no-commit-header",
    "--format=%B%x00",
    "--fixed-strings",
    "--grep=Harness-Accept: ",
    target.head,
    "--not",
    `--glob=${startRefsOf(site.branch)}`,
    "--",
  ]);
  const accepted = new Set(said.split("\0").flatMap((message) => trailerOf(message, "Harness-Accept")));
  const tasks = log.filter(({ commit }) => missing.has(commit) && !accepted.has(commit));
  const earlier = log.slice(0, log.length - tasks.length);
  const isRest = earlier.every(({ commit }) => !missing.has(commit) || accepted.has(commit));
  const byTrailer = earlier.some(({ commit }) => missing.has(commit));
  return { tasks, since: isRest && byTrailer ? (tasks[0]?.parent ?? null) : null };
}

export interface Waiting {
  readonly tasks: readonly TaskCommit[];
  /** Everything of the mission branch up to here was taken over in other commits, which git does not know as the same. */
  readonly since: CommitId | null;
}

interface Sides {
  readonly head: CommitId;
  readonly target: Target;
  readonly waiting: readonly TaskCommit[];
  readonly since: CommitId | null;
}

/** Refused where it does not apply; what it answers is on the disk, and pinned by a reference of ours. */
export async function planAccept(site: Site, scratch: Scratch, wish: Wish, sides: Sides): Promise<AcceptPlan> {
  const { target, head } = sides;
  if (wish.tasks !== null) return planPicks(site, scratch, wish.mission, sides);
  const call = { ...scratch.place, identity: site.user.identity };
  const ahead = await isAncestor(site, target.head, head);
  if (ahead && !wish.squash) return { how: "fast-forward", to: head, tasks: sides.waiting };
  const tree = ahead ? `${head}^{tree}` : await mergedTree(call, site, sides);
  const about = { mission: wish.mission, branch: site.branch, head, tasks: sides.waiting };
  const [input, parents] = wish.squash ? [squashMessage(about), []] : [mergeMessage(about), ["-p", head]];
  const made = await gitText({ ...call, input }, ["commit-tree", tree, "-p", target.head, ...parents, "-F", "-"]);
  await keep(site, scratch, made, [target.head, head]);
  return { how: wish.squash ? "squash" : "merge", to: made, tasks: sides.waiting };
}

async function mergedTree(call: GitCall, site: Site, { target, head, since }: Sides): Promise<string> {
  const merged = await answer(() => mergeCommits(call, target.head, head));
  if (!merged.ok) {
    if (!merged.failure.message.includes("unrelated histories")) return refuse(merged.failure);
    return refuse({
      kind: "usage",
      message: `git finds no common commit of ${target.branch} and ${site.branch}`,
      remedy: "if this clone is shallow, deepen it (git fetch --unshallow), then: harness accept",
    });
  }
  const { tree, conflicts } = merged.value;
  if (conflicts.length === 0) return tree;
  const rest =
    since === null ? null : await mergeWithConflicts(call, { base: since, head: target.head, tree: `${head}^{tree}` });
  if (rest?.conflicts.length === 0) return rest.tree;
  return refuse({
    kind: "merge_conflict",
    message: `${target.branch} and ${site.branch} changed the same places: ${shown(conflicts.map(shownPath))}`,
    remedy: `nothing was changed; resolve it by hand, on ${target.branch}: git merge ${site.branch}`,
  });
}

/** Each task's own change, in the order of the mission, on top of the user's branch. */
async function planPicks(site: Site, scratch: Scratch, mission: string, sides: Sides): Promise<AcceptPlan> {
  const call = { ...scratch.place, identity: site.user.identity };
  const { target, waiting } = sides;
  let to = target.head;
  for (const { task, commit, parent, message } of waiting) {
    if (parent === to) {
      to = commit;
      continue;
    }
    const picked = await mergeWithConflicts(call, { base: parent, head: to, tree: `${commit}^{tree}` });
    if (picked.conflicts.length > 0)
      return refuse({
        kind: "merge_conflict",
        message: `${task} does not apply to ${target.branch} by itself: ${shown(picked.conflicts.map(shownPath))}`,
        remedy: "nothing was changed; name the tasks it builds on as well, or take all: harness accept",
      });
    const input = pickMessage(message, { mission, commit });
    to = await gitText({ ...call, input }, ["commit-tree", picked.tree, "-p", to, "-F", "-"]);
  }
  if (!waiting.some(({ commit }) => commit === to)) await keep(site, scratch, to, [target.head, sides.head]);
  return { how: "pick", to, tasks: waiting };
}

async function keep(site: Site, scratch: Scratch, commit: CommitId, known: readonly CommitId[]): Promise<void> {
  const name = () => setRef(site.user, acceptRefOf(site.branch), commit);
  await handOver(site, scratch, { commit, known, name });
}

export async function isAncestor(site: Site, of: CommitId, head: CommitId): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", of, head];
  return (await git({ gitDir: site.user.commonDir }, args)).code === 0;
}
