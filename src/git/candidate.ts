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
  /** On which commit; the mission branch's head if not given. */
  readonly onto?: CommitId;
}

export async function makeCandidate(site: Site, scratch: Scratch, work: WorkToCommit): Promise<Candidate> {
  const { base, tree, message } = work;
  const head = work.onto ?? (await missionHead(site.user, site.branch)).commit;
  const call = { ...scratch.place, identity: site.user.identity };
  const merged = head === base ? tree : await mergeTrees(call, { base, head, tree });
  const commit = await gitText({ ...call, input: message }, ["commit-tree", merged, "-p", head, "-F", "-"]);
  await hand(site, scratch, { commit, parent: head });
  return { commit, parent: head };
}

/**
 * Applies the change from base to tree onto head. The three are dressed as commits of their own, so that the merge
 * base is the attempt's base whatever happened to the branch meanwhile.
 */
export async function mergeTrees(call: GitCall, of: { base: CommitId; head: CommitId; tree: string }): Promise<string> {
  const dress = (tree: string, ...parent: readonly string[]): Promise<string> =>
    gitText({ ...call, input: "merge" }, ["commit-tree", tree, ...parent, "-F", "-"]);
  const base = await dress(`${of.base}^{tree}`);
  const [theirs, ours] = await Promise.all([dress(`${of.head}^{tree}`, "-p", base), dress(of.tree, "-p", base)]);
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", theirs, ours];
  const merged = await git(call, args);
  const [tree = "", ...files] = merged.stdout.toString("utf8").split("\0");
  if (merged.code === 0) return tree;
  if (merged.code !== 1) refuseGit(args, merged);
  return refuse({
    kind: "merge_conflict",
    message: `the work does not apply to the mission branch as it is now: ${shown(files.filter((file) => file !== ""))}`,
    remedy: "Do it again on the new head, or resolve it by hand.",
  });
}

export const shown = (paths: readonly string[]): string =>
  `${paths.slice(0, 10).join(", ")}${paths.length > 10 ? ` and ${paths.length - 10} more` : ""}`.slice(0, 2_000);

/** Fewer are written one by one and each synced; more stay together in the pack they came in. */
const unpackLimit = 20;

async function hand(site: Site, scratch: Scratch, candidate: Candidate): Promise<void> {
  await handOver(site, scratch, candidate);
  await setRef(site.user, candidateRefOf(candidate.commit), candidate.commit);
}

/** Brings a commit of the scratch's, all it holds beyond its parent's history, into the user's repository. */
export async function handOver(site: Site, scratch: Scratch, { commit, parent }: Candidate): Promise<void> {
  const revisions = { ...scratch.place, input: `${commit}\n^${parent}\n` };
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
