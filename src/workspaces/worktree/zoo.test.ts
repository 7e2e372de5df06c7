// What people lose work by, elsewhere (PR-20): each kept, and each still a work tree that git knows.
import { spawn } from "node:child_process";
import { chmod, lstat, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { listPutAway } from "../../git/rescue/shelf.ts";
import {
  commitAndMerge,
  makeRealGit,
  type Opening,
  openSlot,
  plainGit,
  put,
  type RealGit,
  readOrNull,
} from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";
import { createWorktreeWorkspaces } from "./worktree-workspaces.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

let real: RealGit;
beforeEach(async () => {
  real = await makeRealGit({ create: createWorktreeWorkspaces });
});
afterEach(() => real.dispose());

const archiveOf = async (opening: Opening): Promise<string> => {
  value(await real.workspaces.close(opening.end));
  return whereIs(value(await real.workspaces.archive(opening.end)).archive);
};
/** The directory that was kept whole under a name. */
const whereIs = (name: string): string => {
  const of = listPutAway(real.home).find((one) => one.name === name);
  if (of === undefined) throw new Error(`nothing was put away as ${name}`);
  return of.where;
};
/** Everything that nothing refers to goes; work trees whose directory git does not find go too. */
const collectGarbage = async (): Promise<void> => {
  await real.git("reflog", "expire", "--expire=now", "--all");
  await real.git("worktree", "prune", "--expire=now");
  await real.git("gc", "-q", "--prune=now");
};
const worktrees = async (): Promise<readonly string[]> =>
  (await real.git("worktree", "list", "--porcelain"))
    .split("\n")
    .filter((line) => line.startsWith("worktree "))
    .map((line) => line.slice("worktree ".length));

test("an agent finds itself on a branch of the user's repository; afterwards neither it nor the work tree is left", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const seen = {
    branch: await plainGit(opening.path, "branch", "--show-current"),
    status: await plainGit(opening.path, "status", "--porcelain", "--ignored"),
    listed: await worktrees(),
    users: await real.git("branch", "--format=%(refname:short)"),
  };
  expect(seen).toEqual({
    branch: "harness/task-1",
    status: "",
    listed: [real.checkout, opening.path],
    users: "harness/mission-x\nharness/task-1\nmain",
  });
  await put(opening.path, "a.txt", "a\n");
  await commitAndMerge(real.workspaces, opening);
  value(await real.workspaces.close(opening.end));
  expect(await real.archives()).toBe(0);
  expect(await real.git("for-each-ref", "--format=%(refname)")).toBe(
    [
      "refs/harness/merged/harness/mission-x",
      "refs/harness/start/harness/mission-x/head",
      "refs/harness/user/harness/mission-x/refs/heads/main",
      "refs/heads/harness/mission-x",
      "refs/heads/main",
    ].join("\n"),
  );
  expect([await worktrees(), await real.git("status", "--porcelain")]).toEqual([[real.checkout], ""]);
});

test("PR-20: unpushed commits, squashed into the candidate, outlive the close and a collection of garbage", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  for (const content of ["first\n", "second\n"]) {
    await put(opening.path, "a.txt", content);
    await real.commitInside(opening.path, content.trim());
  }
  await commitAndMerge(real.workspaces, opening);
  const archive = await archiveOf(opening);
  await collectGarbage();
  expect(await plainGit(archive, "log", "--format=%s")).toBe("second\nfirst\nstart");
  expect(await plainGit(archive, "status", "--porcelain")).toBe("");
  expect(await worktrees()).toEqual([real.checkout, archive]);
  expect(await real.git("fsck", "--no-dangling")).toBe("");
});

test("PR-20: a commit that the agent took back is kept, for the work tree's log still names it", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "gone.txt", "gone\n");
  await real.commitInside(opening.path, "taken back");
  const commit = await plainGit(opening.path, "rev-parse", "HEAD");
  await plainGit(opening.path, "reset", "-q", "--hard", "HEAD~1");
  await commitAndMerge(real.workspaces, opening);
  const archive = await archiveOf(opening);
  expect(await plainGit(archive, "show", `${commit}:gone.txt`)).toBe("gone");
});

test("PR-20: an ignored .env is archived", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "build/.env", "TOKEN=1\n");
  await commitAndMerge(real.workspaces, opening);
  expect(await readOrNull(join(await archiveOf(opening), "build/.env"))).toBe("TOKEN=1\n");
});

test("PR-20: with a live process inside it is archived, and the process goes on where it was", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const child = spawn("sh", ["-c", "read go; cat readme.md"], { cwd: opening.path, stdio: ["pipe", "pipe", "ignore"] });
  await commitAndMerge(real.workspaces, opening);
  await archiveOf(opening);
  child.stdin.end("go\n");
  const said = await text(child.stdout);
  expect([said, await real.archives()]).toEqual(["hello\n", 1]);
});

test("PR-20: a locked work tree is archived and stays locked", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await real.git("worktree", "lock", "--reason", "mine", opening.path);
  await commitAndMerge(real.workspaces, opening);
  const archive = await archiveOf(opening);
  const listed = await real.git("worktree", "list", "--porcelain");
  expect(listed).toContain(`worktree ${archive}\n`);
  expect(listed).toContain("locked mine");
});

test("PR-20: a foreign work tree in our directory is neither moved nor removed", async () => {
  const place = join(real.home, "lanes/0/work");
  await real.git("worktree", "add", "-q", "-b", "theirs", place);
  await put(place, "theirs.txt", "t\n");
  const refusal = { ok: false, failure: { kind: "env_setup", message: expect.stringContaining("did not make") } };
  const request = { slot: 0, task: "task-1", attempt: 1, fence: 1 };
  expect(await real.workspaces.open(request)).toMatchObject(refusal);
  expect(await plainGit(place, "status", "--porcelain")).toBe("?? theirs.txt");
  expect(await worktrees()).toEqual([real.checkout, place]);
});

test("PR-20: a foreign work tree put in the place of ours is left alone, by archive, close and open", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const aside = join(real.directory, "aside");
  await real.git("worktree", "move", opening.path, aside);
  await real.git("worktree", "add", "-q", "-b", "theirs", opening.path);
  await put(opening.path, "theirs.txt", "t\n");
  const refusal = { ok: false, failure: { message: expect.stringContaining("did not make") } };
  expect(await real.workspaces.archive(opening.end)).toMatchObject(refusal);
  expect(await real.workspaces.close(opening.end)).toMatchObject(refusal);
  expect(await real.workspaces.open({ slot: 0, task: "task-1", attempt: 2, fence: 2 })).toMatchObject(refusal);
  expect(await readOrNull(join(opening.path, "theirs.txt"))).toBe("t\n");
  expect(await worktrees()).toEqual([real.checkout, aside, opening.path]);
});

test("PR-20: a work tree that the agent made inside goes into the archive with ours, and git finds it there", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await plainGit(opening.path, "worktree", "add", "-q", "--detach", "inner");
  await put(opening.path, "inner/only-here.txt", "i\n");
  await real.commitInside(join(opening.path, "inner"), "inner");
  value(await real.workspaces.archive(opening.end));
  const archive = whereIs(value(await real.workspaces.archive(opening.end)).archive);
  await collectGarbage();
  expect(await plainGit(join(archive, "inner"), "log", "--format=%s")).toBe("inner\nstart");
});

test("PR-20: a branch of the user's with our name is not moved: the agent gets another", async () => {
  await real.git("branch", "harness/task-1");
  const before = await real.git("rev-parse", "harness/task-1");
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  await real.commitInside(opening.path, "mine");
  expect(await plainGit(opening.path, "branch", "--show-current")).toBe("harness/task-1.2");
  await commitAndMerge(real.workspaces, opening);
  value(await real.workspaces.close(opening.end));
  expect(await real.git("branch", "--list", "harness/task-*", "--format=%(refname:short)")).toBe("harness/task-1");
  expect(await real.git("rev-parse", "harness/task-1")).toBe(before);
});

test("PR-20: a branch that somebody committed to after the attempt is not removed with it", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await commitAndMerge(real.workspaces, opening);
  await plainGit(opening.path, "switch", "-q", "--detach");
  const aside = join(real.directory, "aside");
  await real.git("worktree", "add", "-q", aside, "harness/task-1");
  await put(aside, "late.txt", "l\n");
  await real.commitInside(aside, "late");
  await archiveOf(opening);
  expect(await real.git("show", "harness/task-1:late.txt")).toBe("l");
});

test("PR-3: the next attempt begins at the head on the same branch; what the first committed is in its archive", async () => {
  const first = await openSlot(real.workspaces, "task-1");
  await put(first.path, "half.txt", "half\n");
  await real.commitInside(first.path, "half");
  const archive = whereIs(value(await real.workspaces.archive(first.end)).archive);
  const second = await openSlot(real.workspaces, "task-1", { attempt: 2, fence: 2 });
  await collectGarbage();
  expect(await plainGit(second.path, "log", "--format=%s")).toBe("start");
  expect(await plainGit(second.path, "branch", "--show-current")).toBe("harness/task-1");
  expect(await plainGit(archive, "log", "--format=%s")).toBe("half\nstart");
});

test("PR-3: what the agent staged survives the removal of its directory", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "staged.txt", "only in the index\n");
  await plainGit(opening.path, "add", "staged.txt");
  const admin = await plainGit(opening.path, "rev-parse", "--absolute-git-dir");
  await rename(opening.path, join(real.directory, "lost"));
  await openSlot(real.workspaces, "task-1", { fence: 2 });
  expect(await plainGit(real.checkout, `--git-dir=${admin}`, "show", ":staged.txt")).toBe("only in the index");
});

test("PR-12: no hook and no filter of the repository runs when a work tree is made, judged, archived or removed", async () => {
  const canary = join(real.directory, "canary");
  const shout = `echo ran >> '${canary}'`;
  for (const hook of ["post-checkout", "reference-transaction", "post-index-change", "pre-commit", "post-commit"]) {
    await put(real.checkout, `.git/hooks/${hook}`, `#!/bin/sh\n${shout}\n`);
    await chmod(join(real.checkout, ".git/hooks", hook), 0o755);
  }
  await writeFile(join(real.checkout, ".gitattributes"), "*.md filter=shout\n");
  await plainGit(real.checkout, "-c", "core.hooksPath=/dev/null", "add", "-A");
  await plainGit(real.checkout, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "attributes");
  for (const way of ["clean", "smudge", "process"])
    await real.git("config", `filter.shout.${way}`, `sh -c "${shout.replaceAll("'", "")}; cat"`);
  await real.git("config", "core.fsmonitor", `sh -c "${shout}"`);
  const first = await openSlot(real.workspaces, "task-1");
  await put(first.path, "readme.md", "changed\n");
  await commitAndMerge(real.workspaces, first);
  value(await real.workspaces.close(first.end));
  const second = await openSlot(real.workspaces, "task-2", { fence: 2 });
  value(await real.workspaces.archive(second.end));
  expect(await readOrNull(canary)).toBe(null);
  await plainGit(real.checkout, "status");
  expect(await readFile(canary, "utf8")).toContain("ran");
  expect((await lstat(canary)).isFile()).toBe(true);
});
