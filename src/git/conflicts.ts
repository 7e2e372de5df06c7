// Merging without a work tree, and what can be said of the files that do not go together.
import { longest, type OtherCommit } from "../protocol/conflict.ts";
import { type CommitId, TaskId } from "../protocol/ids.ts";
import { type GitCall, git, gitText, refuseGit } from "./git.ts";

export interface TreesToMerge {
  /** Commits, or what names one. */
  readonly base: string;
  readonly head: CommitId;
  readonly tree: string;
}

export interface MergedTree {
  /** With both sides between markers in the files that do not go together. */
  readonly tree: string;
  /** Those files, byte by byte; where git put a side beside the other, the name it gave it too. */
  readonly conflicts: readonly string[];
}

/** The same trees give the same commits, and so the same labels beside the markers. */
const always = { identity: { name: "Harness", email: "harness@localhost" }, date: "@1 +0000" };

/**
 * Applies the change from base to tree onto head. The three are dressed as commits of their own, so that the merge
 * base is the attempt's base whatever happened to the branch meanwhile.
 */
export async function mergeWithConflicts(call: GitCall, of: TreesToMerge): Promise<MergedTree> {
  const dress = (tree: string, ...parent: readonly string[]): Promise<string> =>
    gitText({ ...call, ...always, input: "merge" }, ["commit-tree", tree, ...parent, "-F", "-"]);
  const base = await dress(`${of.base}^{tree}`);
  const [theirs, ours] = await Promise.all([dress(`${of.head}^{tree}`, "-p", base), dress(of.tree, "-p", base)]);
  return mergeCommits(call, theirs, ours);
}

/** As `git merge` would, without a work tree. */
export async function mergeCommits(call: GitCall, into: string, from: string): Promise<MergedTree> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", into, from];
  const merged = await git(call, args);
  if (merged.code !== 0 && merged.code !== 1) refuseGit(args, merged);
  const [tree = "", ...files] = merged.stdout.toString("latin1").split("\0");
  return { tree, conflicts: merged.code === 0 ? [] : [...new Set(files.filter((file) => file !== ""))] };
}

/** As many paths as a question is made with; more would say nothing new about who was there. */
const askedFor = 200;

/** Commits after `base` on the way to `head` that touched the files, newest first. */
export async function commitsOn(
  call: GitCall,
  { base, head }: Pick<TreesToMerge, "base" | "head">,
  paths: readonly string[],
): Promise<readonly OtherCommit[]> {
  const asked = paths.slice(0, askedFor).filter((path) => !path.includes("\n"));
  if (asked.length === 0) return [];
  const format = "--format=%H%x00%s%x00%(trailers:key=Harness-Task,valueonly,separator=%x2C)%x00%x00";
  const args = ["--literal-pathspecs", "rev-list", "--first-parent", "--encoding=UTF-8", "--no-commit-header"];
  const input = Buffer.from([head, `^${base}`, "--", ...asked, ""].join("\n"), "latin1");
  const listed = await gitText({ ...call, input }, [...args, `--max-count=${longest.others}`, format, "--stdin"]);
  return listed
    .split("\0\0")
    .map((entry) => entry.trim().split("\0"))
    .flatMap(([commit = "", subject = "", trailer = ""]) =>
      commit === ""
        ? []
        : [{ commit, subject: subject.slice(0, longest.subject), task: TaskId.safeParse(trailer.trim()).data ?? null }],
    );
}
