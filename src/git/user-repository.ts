import { basename, dirname, join } from "node:path";
import type { CommitId, TaskId } from "../protocol/ids.ts";
import { kindOf, syncDirectory } from "./files.ts";
import { attemptGit, type GitResult, git, gitIn, gitText, type Identity, refuseGit } from "./git.ts";
import { type Known, knowNothing, noteMove } from "./known.ts";
import { refuseMovedBack } from "./moved-back.ts";
import { createReference, isOnNoCheckout, readReference, unclear } from "./reference.ts";
import { refuse } from "./refusal.ts";
import { lockInTheWay, removeIfStale } from "./stale-lock.ts";
import { readUserSettings } from "./user-settings.ts";
import { noteUsersBranch } from "./users-branch.ts";

export interface UserRepository {
  /** Of the checkout itself: in a linked work tree it differs from `commonDir`. */
  readonly gitDir: string;
  readonly commonDir: string;
  readonly objectsDir: string;
  readonly format: string;
  /** Who signs our commits. */
  readonly identity: Identity;
  /** What the user's git says about that, for clones: conditions in his configuration may not hold for their paths. */
  readonly ownIdentity: Partial<Identity>;
  /** Patterns of files the user ignores everywhere; need not be there. */
  readonly excludesFile: string;
  readonly known: Known;
}

export async function findRepository(directory: string): Promise<UserRepository> {
  if ((await kindOf(directory)) === "missing")
    refuse({ kind: "env_setup", message: `${directory} does not exist`, remedy: "Start in a git repository." });
  const questions = ["--absolute-git-dir", "--path-format=absolute", "--git-common-dir", "--show-object-format"];
  const found = await gitIn(directory, ["rev-parse", ...questions, "--is-bare-repository"]);
  const notGit = found.code === 128 && found.stderr.includes("not a git repository");
  if (notGit)
    refuse({
      kind: "env_setup",
      message: `${directory} is not in a git repository`,
      remedy: "Run `git init` there and commit once.",
    });
  if (found.code !== 0 && /repository extension|refstorage|repo version/i.test(found.stderr))
    refuse({
      kind: "env_setup",
      message: `this git cannot read the repository ${directory}: ${found.stderr.trim().replaceAll(/\s+/g, " ").slice(0, 500)}`,
      remedy: "Use a newer git.",
    });
  if (found.code !== 0) refuseGit(["rev-parse"], found);
  const [gitDir = "", commonDir = "", format = "sha1", bare] = found.stdout.toString("utf8").split("\n");
  if (bare === "true")
    refuse({
      kind: "env_setup",
      message: `${directory} is a bare git repository`,
      remedy: "Start from a checkout of it.",
    });
  if ([commonDir, directory].some((path) => path.includes("\n")))
    refuse({
      kind: "env_setup",
      message: "the repository's path holds a line break",
      remedy: "Move it to another path.",
    });
  const { identity: ownIdentity, excludesFile } = await readUserSettings(gitDir);
  const identity = { name: "Harness", email: "harness@localhost", ...ownIdentity };
  const objectsDir = join(commonDir, "objects");
  return { gitDir, commonDir, objectsDir, format, identity, ownIdentity, excludesFile, known: knowNothing() };
}

export interface MissionHead {
  readonly commit: CommitId;
  readonly tree: string;
  /** Where the mission branch is checked out, if anywhere. */
  readonly checkedOutAt: string | null;
}

const refOf = (branch: string): string => `refs/heads/${branch}`;
/** Holds the one reference to where the mission branch began: merged commits are looked for after it. */
export const startRefsOf = (branch: string): string => `refs/harness/start/${branch}`;
export const startRefOf = (branch: string): string => `${startRefsOf(branch)}/head`;
/** How far the mission branch has come: what was merged is kept, and known, whatever becomes of the branch. */
const mergedRefOf = (branch: string): string => `refs/harness/merged/${branch}`;
/** Holds what is about to be accepted. It moves and is never deleted: deleting locks more than one reference. */
export const acceptRefOf = (branch: string): string => `refs/harness/accept/${branch}`;
/** How the user's checkout was when an attempt began in it. */
export const hereRefOf = (owner: Owner, task: string, attempt: number): string =>
  `refs/harness/here/${nameOf(owner)}/${task}-${attempt}`;
export const baseRefOf = (owner: Owner, task: string, attempt: number): string =>
  `refs/harness/base/${nameOf(owner)}/${task}-${attempt}`;

/** Missions of one repository have tasks of the same names; each has a state home of its own. */
interface Owner {
  readonly home: string;
}
const nameOf = ({ home }: Owner): string => basename(home).replaceAll(/[^A-Za-z0-9_-]/g, "-");
export const candidateRefs = "refs/harness/candidates";
export const candidateRefOf = (commit: CommitId): string => `${candidateRefs}/${commit}`;
export const keptRefsOf = (task: string, attempt: number): string => `refs/harness/kept/${task}/${attempt}`;

/** Commits of attempts that no branch holds any more; beside the numbers of attempts whose work was kept. */
const keptRefOf = (task: string, commit: CommitId): string => `refs/harness/kept/${task}/commits/${commit}`;
/** There as long as a branch is that we made for a task: others are never moved or removed. */
const madeRefOf = (branch: string): string => `refs/harness/made/${branch}`;

export const keepCommit = (repository: UserRepository, task: string, commit: CommitId): Promise<void> =>
  setRef(repository, keptRefOf(task, commit), commit);

/**
 * Makes a branch at `commit`, or moves one that we made before; what that one held is kept. False when it is somebody
 * else's, or checked out somewhere.
 */
export async function takeBranch(
  repository: UserRepository,
  branch: string,
  { task, commit }: { readonly task: string; readonly commit: CommitId },
): Promise<boolean> {
  const present = await readHead(repository, branch);
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", madeRefOf(branch)];
  const isOurs = (await git({ gitDir: repository.commonDir }, args)).code === 0;
  if (present !== null && (!isOurs || present.checkedOutAt !== null)) return false;
  const zero = "0".repeat(commit.length);
  const made = await updateRefs(repository, [
    ...(present === null ? [] : [`update ${keptRefOf(task, present.commit)} ${present.commit}`]),
    `update ${refOf(branch)} ${commit} ${present?.commit ?? zero}`,
    `update ${madeRefOf(branch)} ${commit}`,
  ]);
  return made.code === 0;
}

/** Only if we made it and it is where it was seen. */
export async function dropBranch(repository: UserRepository, branch: string, tip: CommitId): Promise<void> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", madeRefOf(branch)];
  const made = await git({ gitDir: repository.commonDir }, args);
  if (made.code !== 0) return;
  const dropped = await updateRefs(repository, [`delete ${refOf(branch)} ${tip}`, `delete ${madeRefOf(branch)}`]);
  // Somebody moved it: from now on it is theirs.
  if (dropped.code !== 0) await dropRef(repository, madeRefOf(branch));
}

/**
 * The mission branch's head; the branch is cut from the user's HEAD at first use. One that somebody deleted since is
 * brought back, for nothing else is there; one that was moved away from what was merged into it is refused.
 */
export async function missionHead(repository: UserRepository, branch: string): Promise<MissionHead> {
  const ref = mergedRefOf(branch);
  // Before the branch, which is moved first: it may be found too far, never too far back.
  const merged = await commitAt(repository, ref);
  const present = await readHead(repository, branch);
  if (present !== null) {
    if (merged !== null && merged !== present.commit)
      await refuseMovedBack({ gitDir: repository.commonDir, branch, merged, ref });
    return present;
  }
  if (merged !== null) return bringBack(repository, branch, merged);
  const commit = await usersHead(repository);
  const created = await updateRefs(repository, [
    ...(await noteUsersBranch(repository, branch, commit)),
    `create ${refOf(branch)} ${commit}`,
    `update ${startRefOf(branch)} ${commit}`,
  ]);
  const made = await readHead(repository, branch);
  if (made === null) refuseGit(["update-ref", refOf(branch)], created);
  return made;
}

async function usersHead(repository: UserRepository): Promise<CommitId> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"];
  const head = await git({ gitDir: repository.gitDir }, args);
  const commit = head.stdout.toString("utf8").trim();
  if (head.code === 0 && commit !== "") return commit;
  return refuse({
    kind: "env_setup",
    message: `the repository ${repository.gitDir} has no commits`,
    remedy: "Commit once, then start again.",
  });
}

/** Where the mission branch is, or would be cut: nothing is made. */
export async function nextBase(repository: UserRepository, branch: string): Promise<CommitId> {
  const present = (await readHead(repository, branch))?.commit ?? (await commitAt(repository, mergedRefOf(branch)));
  return present ?? usersHead(repository);
}

async function commitAt({ commonDir }: UserRepository, ref: string): Promise<CommitId | null> {
  const seen = await readReference(commonDir, ref);
  if (seen !== unclear) return seen;
  const asked = await git({ gitDir: commonDir }, ["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
  return asked.code === 0 ? asked.stdout.toString("utf8").trim() : null;
}

async function bringBack(repository: UserRepository, branch: string, merged: CommitId): Promise<MissionHead> {
  const created = await updateRefs(repository, [`create ${refOf(branch)} ${merged}`]);
  // Somebody else may have been first.
  return (await readHead(repository, branch)) ?? refuseGit(["update-ref", refOf(branch)], created);
}

/** Notes where a branch of the user's was when the mission first worked on it; later calls change nothing. */
export async function noteStart(repository: UserRepository, branch: string, commit: CommitId): Promise<void> {
  const ref = startRefOf(branch);
  const noted = await updateRefs(repository, [`create ${ref} ${commit}`]);
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", ref];
  if (noted.code !== 0 && (await git({ gitDir: repository.commonDir }, args)).code !== 0)
    refuseGit(["update-ref", ref], noted);
}

/** Moves a branch by compare-and-swap, or makes one that is gone; false when it is elsewhere. */
export async function moveBranch(
  repository: UserRepository,
  branch: string,
  { from, to }: { readonly from: CommitId | null; readonly to: CommitId },
): Promise<boolean> {
  const moved = await updateRefs(repository, [`update ${refOf(branch)} ${to} ${from ?? "0".repeat(to.length)}`]);
  if (moved.code === 0) return true;
  if (((await readHead(repository, branch))?.commit ?? null) === from) refuseGit(["update-ref", refOf(branch)], moved);
  return false;
}

/** A branch's head; null when there is no such branch. */
export async function readHead(repository: UserRepository, branch: string): Promise<MissionHead | null> {
  const { commonDir, known } = repository;
  const seen = await readReference(commonDir, refOf(branch));
  if (seen === null) return null;
  const tree = seen === unclear ? undefined : known.trees.get(seen);
  if (seen !== unclear && tree !== undefined && (await isOnNoCheckout(commonDir, branch)))
    return { commit: seen, tree, checkedOutAt: null };
  const asked = await askForHead(repository, branch);
  if (asked !== null) known.trees.set(asked.commit, asked.tree);
  return asked;
}

async function askForHead(repository: UserRepository, branch: string): Promise<MissionHead | null> {
  const format = "--format=%(refname)%00%(objectname)%00%(tree)%00%(worktreepath)";
  const listed = await gitText({ gitDir: repository.commonDir }, ["for-each-ref", format, refOf(branch)]);
  const fields = listed.split("\n").map((line) => line.split("\0"));
  const [, commit, tree, path] = fields.find(([name]) => name === refOf(branch)) ?? [];
  return commit === undefined || tree === undefined ? null : { commit, tree, checkedOutAt: path || null };
}

/** Moves the mission branch from `parent` to `commit` and lets the candidate's own reference go; false when it lost. */
export async function swapHead(
  repository: UserRepository,
  branch: string,
  {
    commit,
    parent,
    task = null,
  }: { readonly commit: CommitId; readonly parent: CommitId; readonly task?: TaskId | null },
): Promise<boolean> {
  const moved = await updateRefs(repository, [
    `update ${refOf(branch)} ${commit} ${parent}`,
    `update ${mergedRefOf(branch)} ${commit}`,
    `delete ${candidateRefOf(commit)}`,
  ]);
  if (moved.code === 0) {
    noteMove(repository.known, { from: parent, to: commit, task });
    return true;
  }
  if ((await readHead(repository, branch))?.commit === parent) refuseGit(["update-ref", refOf(branch)], moved);
  return false;
}

/** That the branch is where it is, whoever moved it, outlasts a power cut from now on. */
export const syncHead = (repository: UserRepository, branch: string): Promise<void> =>
  syncRefs(repository, [refOf(branch), mergedRefOf(branch)]);

export async function setRef(repository: UserRepository, ref: string, commit: CommitId): Promise<void> {
  const set = await updateRefs(repository, [`update ${ref} ${commit}`]);
  if (set.code !== 0) refuseGit(["update-ref", ref], set);
}

/** The same for a name that nobody else uses. A new one takes no process. */
export async function pin(repository: UserRepository, ref: string, commit: CommitId): Promise<void> {
  if (!(await createReference(repository.commonDir, ref, commit))) await setRef(repository, ref, commit);
}

export async function dropRef(repository: UserRepository, ref: string): Promise<void> {
  const dropped = await updateRefs(repository, [`delete ${ref}`]);
  if (dropped.code !== 0) refuseGit(["update-ref", ref], dropped);
}

/** `reason` goes into the reflogs of the branches that move; without one none is written. */
export async function updateRefs(
  repository: UserRepository,
  changes: readonly string[],
  { gitDir = repository.commonDir, reason }: { readonly gitDir?: string; readonly reason?: string } = {},
): Promise<GitResult> {
  const call = { gitDir, identity: repository.identity, durable: true };
  const input = ["start", ...changes, "commit", ""].join("\n");
  const [logged, why] =
    reason === undefined
      ? [[], []]
      : [
          ["-c", "core.logAllRefUpdates=true"],
          ["-m", reason],
        ];
  const change = () => attemptGit({ ...call, input }, [...logged, "update-ref", ...why, "--stdin"]);
  let result = await change();
  // A killed git can have left one for each reference it was changing, and one for the packed ones.
  for (let left = changes.length + 1; result.code !== 0 && left > 0; left -= 1) {
    const lock = lockInTheWay(result.stderr, repository.commonDir);
    if (lock === null || !(await removeIfStale(lock, repository.commonDir))) break;
    result = await change();
  }
  if (result.code === 0)
    await syncRefs(
      repository,
      changes.map((change) => change.split(" ")[1] ?? ""),
    );
  return result;
}

/** git syncs a reference, not the directories that name it: after a power cut the file would not be found. */
export async function syncRefs(repository: UserRepository, refs: readonly string[]): Promise<void> {
  const directories = new Set<string>();
  for (const ref of refs)
    for (let directory = dirname(ref); directory !== "."; directory = dirname(directory)) directories.add(directory);
  for (const directory of directories) {
    const path = join(repository.commonDir, directory);
    // git removes a directory with its last reference.
    if ((await kindOf(path)) === "directory") await syncDirectory(path);
  }
}
