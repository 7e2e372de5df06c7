// What a reference's file says is what git says, in every state a repository is found in; or git is asked.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createReference, isOnNoCheckout, namesBelow, readReference, sweepDrafts, unclear } from "./reference.ts";

let root: string;
let commits: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "reference-"));
  git("init", "-q", "--initial-branch=main");
  commits = ["one", "two"].map((message) => {
    git("-c", "user.name=U", "-c", "user.email=u@e", "commit", "-q", "--allow-empty", "-m", message);
    return git("rev-parse", "HEAD");
  });
});
afterEach(() => rmSync(root, { recursive: true }));

const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
const gitDir = (): string => join(root, ".git");
const asGit = (ref: string): string | null => {
  try {
    return git("rev-parse", "--verify", "--quiet", ref);
  } catch {
    return null;
  }
};

const states: readonly (readonly [string, () => void])[] = [
  ["of their own files", () => git("branch", "b", "HEAD~1")],
  ["packed", () => git("branch", "b", "HEAD~1") + git("pack-refs", "--all")],
  ["packed, then moved", () => git("branch", "b", "HEAD~1") + git("pack-refs", "--all") + git("branch", "-f", "b")],
  ["packed, then deleted", () => git("branch", "b") + git("pack-refs", "--all") + git("branch", "-D", "b")],
  [
    "packed beside longer and shorter names",
    () => {
      for (const name of ["bb", "a/b", "c"]) git("branch", name, "HEAD~1");
      git("pack-refs", "--all");
    },
  ],
  ["names of others", () => git("symbolic-ref", "refs/heads/b", "refs/heads/main")],
  [
    "names of names that are packed",
    () => {
      git("symbolic-ref", "refs/heads/b", "refs/heads/c");
      git("symbolic-ref", "refs/heads/c", "refs/heads/main");
      git("pack-refs", "--all");
    },
  ],
  ["names of nothing", () => git("symbolic-ref", "refs/heads/b", "refs/heads/none")],
  ["a prefix of others", () => git("branch", "b/c")],
];
test.each(states)("PR-20: references that are %s are read as git reads them", async (_, make) => {
  make();
  for (const ref of ["refs/heads/main", "refs/heads/b", "refs/heads/c", "refs/heads/none"])
    expect([ref, await readReference(gitDir(), ref)]).toEqual([ref, asGit(ref)]);
});

const oddities: readonly (readonly [string, () => void])[] = [
  ["a link", () => symlinkSync("main", join(gitDir(), "refs/heads/b"))],
  ["empty, as a power cut leaves it", () => writeFileSync(join(gitDir(), "refs/heads/b"), "")],
  ["not a commit", () => writeFileSync(join(gitDir(), "refs/heads/b"), "hello\n")],
  ["a name that leads out", () => writeFileSync(join(gitDir(), "refs/heads/b"), "ref: refs/../../../x\n")],
  ["a circle of names", () => writeFileSync(join(gitDir(), "refs/heads/b"), "ref: refs/heads/b\n")],
  ["in another format", () => mkdirSync(join(gitDir(), "reftable"))],
  ["packed in a list that cannot be read", () => symlinkSync("/dev/null", join(gitDir(), "packed-refs"))],
];
test.each(oddities)("PR-20: a reference that is %s is left to git", async (_, make) => {
  make();
  expect(await readReference(gitDir(), "refs/heads/b")).toBe(unclear);
});

test("PR-20: a branch is on no checkout unless the main one, or a linked one, has it", async () => {
  git("branch", "free");
  git("branch", "linked");
  git("worktree", "add", "-q", join(root, "other"), "linked");
  expect(await Promise.all(["main", "linked", "free"].map((name) => isOnNoCheckout(gitDir(), name)))).toEqual([
    false,
    false,
    true,
  ]);
  writeFileSync(join(gitDir(), "worktrees/other/HEAD"), "");
  expect(await isOnNoCheckout(gitDir(), "free")).toBe(false);
});

test("PR-20: names below a prefix are those of the files, and git's to tell once some are packed", async () => {
  const prefix = "refs/harness/candidates";
  expect(await namesBelow(gitDir(), prefix)).toEqual([]);
  for (const commit of commits) git("update-ref", `${prefix}/${commit}`, commit);
  expect((await namesBelow(gitDir(), prefix)).toString().split(",").sort()).toEqual(commits.toSorted());
  git("pack-refs", "--all");
  expect(await namesBelow(gitDir(), prefix)).toBe(unclear);
});

test("PR-20: a new reference is one as git makes it: whole, readable by all, with no trace of its making", async () => {
  const ref = "refs/harness/base/home/task-1-1";
  expect(await createReference(gitDir(), ref, commits[0] ?? "")).toBe(true);
  expect([asGit(ref), await readReference(gitDir(), ref)]).toEqual([commits[0], commits[0]]);
  expect(statSync(join(gitDir(), ref)).mode & 0o777).toBe(0o666 & ~process.umask());
  expect(readdirSync(gitDir()).filter((name) => name.startsWith("harness"))).toEqual([]);
  git("pack-refs", "--all");
  git("update-ref", "-d", ref);
  expect(asGit(ref)).toBe(null);
});

const taken: readonly (readonly [string, (ref: string) => void])[] = [
  ["is there", (ref) => git("update-ref", ref, "HEAD")],
  ["is there, packed", (ref) => git("update-ref", ref, "HEAD") + git("pack-refs", "--all")],
  ["is a prefix of others", (ref) => git("update-ref", `${ref}/more`, "HEAD")],
  ["is being changed by git", (ref) => makeFile(`${ref}.lock`)],
  ["is in another format", () => mkdirSync(join(gitDir(), "reftable"))],
];
test.each(taken)("PR-20: a reference that %s is left to git, and stays as it is", async (_, make) => {
  const ref = "refs/harness/base/home/task-1-1";
  make(ref);
  const before = git("for-each-ref");
  expect(await createReference(gitDir(), ref, commits[0] ?? "")).toBe(false);
  expect(git("for-each-ref")).toBe(before);
});

test("PR-20: what a killed process left of a reference it was making is removed, a new one is not", async () => {
  makeFile("harness-ref.old");
  const hourAgo = Date.now() / 1_000 - 3_600;
  utimesSync(join(gitDir(), "harness-ref.old"), hourAgo, hourAgo);
  makeFile("harness-ref.new");
  await sweepDrafts(gitDir());
  const left = readdirSync(gitDir()).filter((name) => name.startsWith("harness"));
  expect(left).toEqual(["harness-ref.new"]);
});

function makeFile(name: string): void {
  mkdirSync(dirname(join(gitDir(), name)), { recursive: true });
  writeFileSync(join(gitDir(), name), "");
}
