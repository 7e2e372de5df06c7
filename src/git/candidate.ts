// A candidate: work since its base as one commit on the mission branch's present head. It is made in scratch space,
// checked on its way into the user's repository, and reachable there by a reference of its own.
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { CommitId } from "../protocol/ids.ts";
import type { Candidate } from "../workspaces/workspace.ts";
import { type GitCall, git, gitText, refuseGit } from "./git.ts";
import { refuse } from "./refusal.ts";
import type { Scratch, Site } from "./site.ts";
import { candidateRefOf, missionHead, setRef } from "./user-repository.ts";

export interface WorkToCommit {
  readonly base: CommitId;
  /** The whole tree as it stands, in the scratch's objects. */
  readonly tree: string;
  readonly message: string;
}

export async function makeCandidate(site: Site, scratch: Scratch, work: WorkToCommit): Promise<Candidate> {
  const { base, tree, message } = work;
  const { commit: head } = await missionHead(site.user, site.branch);
  const call = { ...scratch.place, identity: site.user.identity };
  const merged = head === base ? tree : await mergeTrees(call, { base, head, tree });
  const commit = await gitText({ ...call, input: message }, ["commit-tree", merged, "-p", head, "-F", "-"]);
  await hand(site, scratch, { commit, parent: head });
  return { commit, parent: head };
}

interface Change {
  readonly base: CommitId;
  readonly head: CommitId;
  readonly tree: string;
}

/** Applies the change from base to tree onto head, or refuses. */
export async function mergeTrees(call: GitCall, change: Change): Promise<string> {
  const merged = await applyChange(call, change);
  if (merged.clean) return merged.tree;
  return refuse({
    kind: "merge_conflict",
    message: `the work does not apply to the mission branch as it is now: ${shown(merged.files)}`,
    remedy: "Do it again on the new head, or resolve it by hand.",
  });
}

/** The three are dressed as commits of their own, so that the merge base is `base` whatever the branch's history is. */
export async function applyChange(call: GitCall, of: Change): Promise<MergedTrees> {
  const dress = (tree: string, ...parent: readonly string[]): Promise<string> =>
    gitText({ ...call, input: "merge" }, ["commit-tree", tree, ...parent, "-F", "-"]);
  const base = await dress(`${of.base}^{tree}`);
  const [theirs, ours] = await Promise.all([dress(`${of.head}^{tree}`, "-p", base), dress(of.tree, "-p", base)]);
  return mergeCommits(call, theirs, ours);
}

export type MergedTrees =
  | { readonly clean: true; readonly tree: string }
  | { readonly clean: false; readonly files: readonly string[] };

/** As `git merge` would, without a work tree. */
export async function mergeCommits(call: GitCall, into: string, from: string): Promise<MergedTrees> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", into, from];
  const merged = await git(call, args);
  const [tree = "", ...files] = merged.stdout.toString("utf8").split("\0");
  if (merged.code === 0) return { clean: true, tree };
  if (merged.code !== 1) refuseGit(args, merged);
  return { clean: false, files: files.filter((file) => file !== "") };
}

export const shown = (paths: readonly string[]): string =>
  `${paths.slice(0, 10).join(", ")}${paths.length > 10 ? ` and ${paths.length - 10} more` : ""}`.slice(0, 2_000);

/** Fewer are written one by one and each synced; more stay together in the pack they came in. */
const unpackLimit = 20;

async function hand(site: Site, scratch: Scratch, { commit, parent }: Candidate): Promise<void> {
  await handOver(site, scratch, { commit, known: [parent] });
  await setRef(site.user, candidateRefOf(commit), commit);
}

/** A commit of the scratch, with all it needs beyond `known`, comes into the user's repository: checked, and on the disk. */
export async function handOver(
  site: Site,
  scratch: Scratch,
  { commit, known }: { readonly commit: CommitId; readonly known: readonly CommitId[] },
): Promise<void> {
  const revisions = { ...scratch.place, input: [commit, ...known.map((id) => `^${id}`), ""].join("\n") };
  const name = await gitText(revisions, ["pack-objects", "--revs", "-q", join(scratch.directory, "candidate")]);
  const pack = join(scratch.directory, `candidate-${name}.pack`);
  const few = (await objectsIn(pack)) < unpackLimit;
  // Both check each object as `transfer.fsckObjects` does, and that nothing they point to is missing.
  const args = few ? ["unpack-objects", "-q", "--strict"] : ["index-pack", "--stdin", "--strict"];
  const taken = await git({ gitDir: site.user.commonDir, inputFile: pack, durable: true }, args);
  if (taken.code !== 0 && taken.stderr.includes("fsck error"))
    refuse({
      kind: "task_exec",
      message: `git finds the work malformed: ${taken.stderr.split("\n", 1)[0] ?? ""}`.slice(0, 1_000),
      evidence: taken.stderr.slice(0, 4_000),
    });
  if (taken.code !== 0) refuseGit(args, taken);
}

async function objectsIn(pack: string): Promise<number> {
  const file = await open(pack, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0);
    return buffer.readUInt32BE(8);
  } finally {
    await file.close();
  }
}
