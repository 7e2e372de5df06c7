import { chmod, lstat, mkdir, readFile, readlink, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  commitAndMerge,
  commitOf,
  makeRealGit,
  type Opening,
  openSlot,
  plainGit,
  put,
  type RealGit,
} from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 30_000 });

let real: RealGit;
let opening: Opening;
beforeEach(async () => {
  real = await makeRealGit({
    files: { "src/one.txt": "one\n", "src/two.txt": "two\n", "forced/build/kept.txt": "kept\n" },
  });
  await real.git("add", "-f", "forced");
  await real.git("commit", "-q", "--amend", "--no-edit");
  opening = await openSlot(real.workspaces, "task-1");
});
afterEach(() => real.dispose());

const inside = (...args: readonly string[]): Promise<string> => plainGit(opening.path, ...args);
const inspect = async () => value(await real.workspaces.inspect(opening));
const closeAndCount = async () => {
  value(await real.workspaces.close(opening.end));
  return real.archives();
};

test("an agent finds a repository on a branch of its own, with history, identity, and no way to push", async () => {
  await real.git("config", "user.name", "Another");
  expect({
    branch: await inside("branch", "--show-current"),
    log: await inside("log", "--format=%s"),
    remotes: await inside("remote"),
    status: await inside("status", "--porcelain", "--ignored"),
    identity: await inside("config", "user.email"),
  }).toEqual({ branch: "harness/task-1", log: "start", remotes: "", status: "", identity: "user@example.org" });
});

test("PR-3: stashes, branches and configuration of an agent never reach the user; the stash survives the close", async () => {
  await put(opening.path, "stashed.txt", "s\n");
  await inside("stash", "-q", "--include-untracked");
  await inside("branch", "mine");
  await inside("config", "user.name", "Agent");
  await commitAndMerge(real.workspaces, opening);
  const users = [
    await real.git("stash", "list"),
    await real.git("branch", "--list", "mine"),
    await real.git("config", "user.name"),
  ];
  expect(users).toEqual(["", "", "A User"]);
  expect(await closeAndCount()).toBe(1);
});

test("one commit of the agent's with exactly the candidate's files needs no archive", async () => {
  await put(opening.path, "a.txt", "a\n");
  await real.commitInside(opening.path, "mine");
  await commitAndMerge(real.workspaces, opening);
  expect(await closeAndCount()).toBe(0);
});

test("PR-20: commits on a branch the agent left are kept by an archive", async () => {
  await inside("switch", "-q", "-c", "aside");
  await put(opening.path, "aside.txt", "a\n");
  await real.commitInside(opening.path, "aside");
  await inside("switch", "-q", "harness/task-1");
  expect(await inspect()).toMatchObject({ uncommitted: false, commits: false });
  await commitAndMerge(real.workspaces, opening);
  expect(await real.readAtHead("aside.txt")).toBe(null);
  expect(await closeAndCount()).toBe(1);
});

test("what is staged and merged needs no archive", async () => {
  await put(opening.path, "staged.txt", "staged\n");
  await unlink(join(opening.path, "src/two.txt"));
  await inside("add", "-A");
  await put(opening.path, "not-staged.txt", "n\n");
  await commitAndMerge(real.workspaces, opening);
  expect(await closeAndCount()).toBe(0);
});

test.each([
  ["removed", (file: string) => rm(file)],
  ["overwritten", (file: string) => writeFile(file, "another text\n")],
])("PR-3: content that is only in the agent's index, its file %s, is kept by an archive", async (_, change) => {
  await put(opening.path, "staged.txt", "only in the index\n");
  await inside("add", "staged.txt");
  await change(join(opening.path, "staged.txt"));
  await commitAndMerge(real.workspaces, opening);
  expect(await closeAndCount()).toBe(1);
});

test("a change of the same length in the same second as the checkout is seen", async () => {
  await writeFile(join(opening.path, "src/one.txt"), "ONE\n");
  expect(await inspect()).toMatchObject({ uncommitted: true });
  await commitAndMerge(real.workspaces, opening);
  expect(await real.readAtHead("src/one.txt")).toBe("ONE\n");
});

test("a candidate of many files arrives as one pack", async () => {
  const packs = async () => /packs: (\d+)/.exec(await real.git("count-objects", "-v"))?.[1];
  for (let i = 0; i < 40; i += 1) await put(opening.path, `many/${i}.txt`, `${i}\n`);
  await commitAndMerge(real.workspaces, opening);
  expect(await packs()).toBe("1");
  expect((await real.git("ls-tree", "-r", "--name-only", "harness/mission-x", "many/")).split("\n")).toHaveLength(40);
  expect(await real.git("fsck", "--no-dangling")).toBe("");
});

test("a detached head with commits, and packed references, are understood", async () => {
  await inside("checkout", "-q", "--detach");
  await put(opening.path, "a.txt", "a\n");
  await real.commitInside(opening.path, "detached");
  await inside("pack-refs", "--all");
  expect(await inspect()).toMatchObject({ uncommitted: false, commits: true });
});

test("a head moved behind the base has no commits, but its files count as work", async () => {
  const other = await makeRealGit();
  await put(other.checkout, "newer.txt", "n\n");
  await other.git("add", "-A");
  await other.git("commit", "-q", "-m", "newer");
  const late = await openSlot(other.workspaces, "task-1");
  await plainGit(late.path, "checkout", "-q", "HEAD~1");
  expect(value(await other.workspaces.inspect(late))).toMatchObject({ uncommitted: true, commits: false });
  await other.dispose();
});

test("PR-3: an open rebase with an unmerged index and a stale lock neither stops a look nor is disturbed by it", async () => {
  await put(opening.path, "src/one.txt", "mine\n");
  await real.commitInside(opening.path, "mine");
  await inside("switch", "-q", "-c", "other", opening.base);
  await put(opening.path, "src/one.txt", "theirs\n");
  await real.commitInside(opening.path, "theirs");
  await expect(inside("rebase", "harness/task-1")).rejects.toThrow("could not apply");
  await put(opening.path, "untracked.txt", "u\n");
  await writeFile(join(opening.path, ".git/index.lock"), "");
  const index = await readFile(join(opening.path, ".git/index"));
  expect(await inspect()).toMatchObject({ uncommitted: true, commits: true });
  const { merged } = await commitAndMerge(real.workspaces, opening);
  expect(merged).toMatchObject({ merged: true });
  expect(await real.readAtHead("src/one.txt")).toContain("<<<<<<<");
  expect(await real.readAtHead("untracked.txt")).toBe("u\n");
  expect((await readFile(join(opening.path, ".git/index"))).equals(index)).toBe(true);
  expect(await inside("status")).toContain("rebase in progress");
  expect(await closeAndCount()).toBe(1);
});

test("a .git that was removed, replaced by a link or filled with rubbish hides no work", async () => {
  await put(opening.path, "a.txt", "a\n");
  const { tree } = await inspect();
  const gitDir = join(opening.path, ".git");
  await writeFile(join(gitDir, "HEAD"), "\0".repeat(10_000));
  expect(await inspect()).toEqual({ uncommitted: true, commits: false, tree });
  await writeFile(join(gitDir, "index"), "not an index");
  expect(await inspect()).toEqual({ uncommitted: true, commits: false, tree });
  await rm(gitDir, { recursive: true });
  expect(await inspect()).toEqual({ uncommitted: true, commits: false, tree });
  await symlink(join(real.checkout, ".git"), gitDir);
  expect(await inspect()).toEqual({ uncommitted: true, commits: false, tree });
  await commitAndMerge(real.workspaces, opening);
  expect(await real.readAtHead("a.txt")).toBe("a\n");
  expect(await closeAndCount()).toBe(1);
});

test("PR-3: bytes, modes and links reach the branch exactly, whatever .gitattributes and file names say", async () => {
  await put(
    opening.path,
    ".gitattributes",
    "* text=auto eol=lf\n*.id ident\n*.utf16 working-tree-encoding=UTF-16\n*.x filter=none\n",
  );
  await put(opening.path, "crlf.txt", "a\r\nb\r\n");
  await put(opening.path, "a.id", "$Id: kept$\r\n");
  await put(opening.path, "not really.utf16", "plain\n");
  await put(opening.path, "b.x", "x\n");
  await put(opening.path, "empty", "");
  await put(opening.path, "nul.bin", Buffer.from([0, 255, 13, 10, 0]));
  await put(opening.path, "tool.sh", "#!/bin/sh\n");
  await chmod(join(opening.path, "tool.sh"), 0o755);
  await symlink("../outside", join(opening.path, "link"));
  await put(opening.path, "-dash.txt", "d\n");
  await put(opening.path, ":(glob)*.txt", "p\n");
  await put(opening.path, "line\nbreak", "l\n");
  const latin1 = Buffer.concat([Buffer.from(`${opening.path}/`), Buffer.from([0x66, 0xfc, 0x72])]);
  await writeFile(latin1, "latin-1 name\n");
  const { candidate } = await commitAndMerge(real.workspaces, opening);
  const { path } = value(await real.workspaces.proof({ slot: 0, commit: candidate.commit }));
  const same = async (file: string) =>
    (await readFile(join(path, file))).equals(await readFile(join(opening.path, file)));
  const files = [
    "crlf.txt",
    "a.id",
    "not really.utf16",
    "b.x",
    "empty",
    "nul.bin",
    "-dash.txt",
    ":(glob)*.txt",
    "line\nbreak",
  ];
  expect(await Promise.all(files.map(same))).toEqual(files.map(() => true));
  expect((await lstat(join(path, "tool.sh"))).mode & 0o777).toBe(0o755);
  expect(await readlink(join(path, "link"))).toBe("../outside");
  expect(await readFile(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0x66, 0xfc, 0x72])]), "utf8")).toBe(
    "latin-1 name\n",
  );
  expect(await closeAndCount()).toBe(0);
});

test("files that turned into directories, directories into links, and removed files are taken as they are", async () => {
  await unlink(join(opening.path, "src/one.txt"));
  await put(opening.path, "src/one.txt/inner.txt", "inner\n");
  await rm(join(opening.path, "forced"), { recursive: true });
  await symlink("src", join(opening.path, "forced"));
  await commitAndMerge(real.workspaces, opening);
  const listed = await real.git("ls-tree", "-r", "--name-only", "harness/mission-x");
  expect(listed.split("\n")).toEqual([".gitignore", "forced", "readme.md", "src/one.txt/inner.txt", "src/two.txt"]);
});

test("ignored files the base tracks, or the agent added by force, are work; others are not", async () => {
  await put(opening.path, "forced/build/kept.txt", "changed\n");
  await put(opening.path, "build/added.txt", "by force\n");
  await put(opening.path, "build/not.txt", "not\n");
  await inside("add", "-f", "build/added.txt");
  await commitAndMerge(real.workspaces, opening);
  const files = ["forced/build/kept.txt", "build/added.txt", "build/not.txt"];
  expect(await Promise.all(files.map((file) => real.readAtHead(file)))).toEqual(["changed\n", "by force\n", null]);
});

test("PR-3: a repository inside the workspace is refused by name rather than stored as a pointer", async () => {
  await plainGit(opening.path, "init", "-q", "vendored");
  await put(opening.path, "vendored/lib.txt", "lib\n");
  await put(opening.path, "a.txt", "a\n");
  expect(await inspect()).toMatchObject({ uncommitted: true });
  const outcome = await real.workspaces.commit(commitOf(opening));
  expect(outcome).toMatchObject({
    ok: false,
    failure: { kind: "task_exec", message: expect.stringContaining("vendored") },
  });
  await rm(join(opening.path, "vendored/.git"), { recursive: true });
  await commitAndMerge(real.workspaces, opening);
  expect(await real.readAtHead("vendored/lib.txt")).toBe("lib\n");
});

test("PR-20: an ignored repository inside the workspace does not stop a candidate and is archived at close", async () => {
  await mkdir(join(opening.path, "build"));
  await plainGit(join(opening.path, "build"), "init", "-q", "dependency");
  await put(opening.path, "build/dependency/file.txt", "f\n");
  expect((await commitAndMerge(real.workspaces, opening)).merged).toMatchObject({ merged: true });
  expect(await closeAndCount()).toBe(1);
});

test("a file git cannot store fails the attempt, not the environment, and neither close nor open stumbles over it", async () => {
  await put(opening.path, "git~1", "an alias of .git on other systems\n");
  const outcome = await real.workspaces.commit(commitOf(opening));
  const message = expect.stringContaining("git~1");
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "task_exec", message } });
  await openSlot(real.workspaces, "task-1");
  expect(await real.archives()).toBe(1);
  await put(opening.path, "git~1", "again\n");
  expect(await closeAndCount()).toBe(2);
});

test("PR-3: a workspace replaced by a link is archived as the link it is", async () => {
  const elsewhere = join(real.directory, "elsewhere");
  await rename(opening.path, elsewhere);
  await symlink(elsewhere, opening.path);
  expect(await real.workspaces.inspect(opening)).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
  await openSlot(real.workspaces, "task-1");
  expect(await readlink(join(real.home, "archive/task-1-1-1"))).toBe(elsewhere);
});
