// Whether the mission branch still holds what was merged into it. Whoever moves it back, or aside, takes finished tasks
// out of it that the journal counts as done: that is asked about, never guessed.
import { type CommitId, shortCommit } from "../protocol/ids.ts";
import { git, gitText } from "./git.ts";
import { refuse } from "./refusal.ts";

export interface Branch {
  readonly gitDir: string;
  readonly branch: string;
  /** How far it had come. */
  readonly merged: CommitId;
  /** The reference that says so. */
  readonly ref: string;
}

/** Asks git for the branch itself: it may have been moved on since it was read. */
export async function refuseMovedBack({ gitDir, branch, merged, ref }: Branch): Promise<void> {
  const name = `refs/heads/${branch}`;
  const isIn = async (of: string, head: string): Promise<boolean> =>
    (await git({ gitDir }, ["merge-base", "--is-ancestor", of, head])).code === 0;
  if (await isIn(merged, name)) return;
  const head = await gitText({ gitDir }, ["rev-parse", "--verify", "--end-of-options", name]);
  // Whoever rewrote its commits left their trailers.
  const kept = new Set((await tasksIn(gitDir, head, merged)).map(({ task }) => task));
  const lost = (await tasksIn(gitDir, merged, head)).filter(({ task }) => !kept.has(task));
  if (lost.length === 0) return;
  const aside = (await isIn(head, merged)) ? "" : `git branch NAME ${head} && `;
  const tasks = lost.map(({ task, commit }) => `${task} (${shortCommit(commit)})`).join(", ");
  refuse({
    kind: "env_setup",
    message: `the mission branch ${branch} was moved and lacks what was merged into it: ${tasks}`.slice(0, 2_000),
    remedy: `Bring it back: ${aside}git branch -f ${branch} ${merged} – or go on without: git update-ref ${ref} ${head}`,
  });
}

/** Oldest first: tasks whose commits the one has and the other has not. */
async function tasksIn(
  gitDir: string,
  head: CommitId,
  without: CommitId,
): Promise<readonly { readonly task: string; readonly commit: CommitId }[]> {
  const trailer = "%(trailers:key=Harness-Task,valueonly,separator=%x2C)";
  const range = ["--first-parent", "--reverse", "--no-commit-header", head, "--not", without, "--"];
  const listed = await gitText({ gitDir }, ["rev-list", `--format=%H ${trailer}`, ...range]);
  return listed.split("\n").flatMap((line) => {
    const [commit = "", task = ""] = line.split(" ");
    return task === "" ? [] : [{ task, commit }];
  });
}
