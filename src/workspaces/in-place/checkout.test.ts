// In place: what the user had is given back, what the agent did is kept, and nobody's branch moves but the mission's.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { commitAndMerge, commitOf, openSlot, plainGit, put, readOrNull } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";
import { type Checkout, makeCheckout } from "./checkout.fixture.ts";
import { stateOf } from "./checkout-state.fixture.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 120_000 });

let here: Checkout;
afterEach(() => here.dispose());

const files = { "src/one.txt": "one\n", "src/two.txt": "two\n", "tool.sh": "#!/bin/sh\n" };
const commitAll = (message: string): Promise<void> => here.commitInside(here.checkout, message);
const keptCommits = async (): Promise<readonly string[]> =>
  (await here.git("for-each-ref", "--format=%(contents:subject)", "refs/harness/kept")).split("\n");

test("A6, PR-3: a failed attempt gives back files, staged content, untracked files and modes as they were", async () => {
  here = await makeCheckout({ files, withChanges: true });
  await put(here.checkout, "src/one.txt", "my change\n");
  await put(here.checkout, "staged.txt", "staged, then changed\n");
  await here.git("add", "staged.txt");
  await put(here.checkout, "staged.txt", "as it is now\n");
  await put(here.checkout, "only-staged.txt", "only in the index\n");
  await here.git("add", "only-staged.txt");
  await rm(join(here.checkout, "only-staged.txt"));
  await put(here.checkout, "new/untracked.txt", "u\n");
  await chmod(join(here.checkout, "tool.sh"), 0o755);
  await symlink("src/one.txt", join(here.checkout, "link"));
  const before = await stateOf(here.checkout);
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "src/one.txt", "the agent's\n");
  await rm(join(opening.path, "src/two.txt"));
  await rm(join(opening.path, "link"));
  await put(opening.path, "link/now-a-directory.txt", "d\n");
  await put(opening.path, "ignored.txt", "ignored\n");
  await rm(join(opening.path, "new"), { recursive: true });
  await commitAll("the agent commits all");
  await put(opening.path, "after.txt", "after\n");
  const { archive } = value(await here.workspaces.archive(opening.end));
  expect(await stateOf(here.checkout)).toEqual({ ...before, files: { ...before.files, "ignored.txt": "ignored\n" } });
  expect(await here.read(archive, "src/one.txt")).toBe("the agent's\n");
  expect(await here.read(archive, "after.txt")).toBe("after\n");
  expect(await here.read(archive, "link/now-a-directory.txt")).toBe("d\n");
  expect(await keptCommits()).toContain("the agent commits all");
  expect(await here.git("show", ":only-staged.txt")).toBe("only in the index");
});

test("A1: a dirty checkout is refused by the names of up to ten files, what is only staged among them", async () => {
  here = await makeCheckout({ files });
  for (let i = 10; i < 21; i += 1) await put(here.checkout, `new-${i}.txt`, "n\n");
  await put(here.checkout, "a-staged.txt", "only in the index\n");
  await here.git("add", "a-staged.txt");
  await rm(join(here.checkout, "a-staged.txt"));
  const before = await stateOf(here.checkout);
  const opened = await here.workspaces.open({ slot: 0, task: "task-1", attempt: 1, fence: 1 });
  expect(opened).toMatchObject({ ok: false, failure: { kind: "config" } });
  expect(opened.ok ? "" : opened.failure.message).toMatch(/not committed: new-10\.txt, .*new-19\.txt and 2 more$/);
  expect(await stateOf(here.checkout)).toEqual(before);
});

test("A6: an agent that went to another branch is taken back from it; its branch stays where it was", async () => {
  here = await makeCheckout({ files });
  const before = await stateOf(here.checkout);
  const opening = await openSlot(here.workspaces, "task-1");
  await plainGit(opening.path, "switch", "-q", "-c", "other");
  await put(opening.path, "other.txt", "o\n");
  await commitAll("on the other branch");
  await put(opening.path, "src/one.txt", "dirty\n");
  const committed = await here.workspaces.commit(commitOf(opening));
  expect(committed).toMatchObject({
    ok: false,
    failure: { kind: "task_exec", message: expect.stringContaining("on other") },
  });
  const { archive } = value(await here.workspaces.archive(opening.end));
  expect(await stateOf(here.checkout)).toEqual(before);
  expect(await here.git("log", "--format=%s", "other")).toBe("on the other branch\nstart");
  expect(await here.read(archive, "src/one.txt")).toBe("dirty\n");
});

test("A6: a rebase left open is ended after all it knows is rescued; a stale index.lock is put aside", async () => {
  here = await makeCheckout({ files });
  await here.git("switch", "-q", "-c", "theirs");
  await put(here.checkout, "src/one.txt", "theirs\n");
  await commitAll("theirs");
  await here.git("switch", "-q", "main");
  const before = await stateOf(here.checkout);
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "src/one.txt", "mine\n");
  await commitAll("mine");
  await expect(plainGit(opening.path, "rebase", "theirs")).rejects.toThrow("could not apply");
  await writeFile(join(here.checkout, ".git/index.lock"), "of a git that was killed");
  expect(await here.workspaces.commit(commitOf(opening))).toMatchObject({ ok: false, failure: { kind: "task_exec" } });
  const { archive } = value(await here.workspaces.archive(opening.end));
  expect(await stateOf(here.checkout)).toEqual(before);
  expect(await here.git("status")).not.toContain("rebase");
  const kept = await here.restored(archive);
  expect((await readdir(join(kept, ".git/rebase-merge"))).includes("onto")).toBe(true);
  expect(await here.read(archive, "src/one.txt")).toContain("<<<<<<<");
  expect(await keptCommits()).toContain("mine");
});

test("a git at work in the checkout keeps its lock: roll back and merge wait for it", async () => {
  here = await makeCheckout({ files });
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  const candidate = value(await here.workspaces.commit(commitOf(opening)));
  await writeFile(join(here.checkout, ".git/index.lock"), "");
  const git = spawn("git", ["cat-file", "--batch"], { cwd: here.checkout, stdio: ["pipe", "pipe", "ignore"] });
  git.stdin.write("HEAD\n");
  await once(git.stdout, "data");
  const refusal = { ok: false, failure: { kind: "env_setup", message: expect.stringContaining("index.lock") } };
  const request = { candidate, task: "task-1", attempt: 1 };
  expect(await here.workspaces.merge(request)).toMatchObject(refusal);
  expect(await here.workspaces.archive(opening.end)).toMatchObject(refusal);
  git.stdin.end();
  await once(git, "close");
  expect(value(await here.workspaces.merge(request))).toMatchObject({ merged: true });
  expect(await here.git("status", "--porcelain")).toBe("");
});

test("V3: the agent's own commits become one; they stay under a reference of ours, and no file is written", async () => {
  here = await makeCheckout({ files });
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  await commitAll("first try");
  await put(opening.path, "a.txt", "b\n");
  await commitAll("second try");
  await put(opening.path, "left.txt", "l\n");
  const { candidate } = await commitAndMerge(here.workspaces, opening);
  value(await here.workspaces.close(opening.end));
  expect(candidate.parent).toBe(opening.base);
  expect(await here.git("log", "--format=%s")).toBe("task-1: work\nstart");
  expect(await here.git("status", "--porcelain")).toBe("");
  expect(await keptCommits()).toContain("second try");
});

test("a commit of the user's after the work was handed in stays: the work is judged again and goes on top", async () => {
  here = await makeCheckout({ files });
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  const first = value(await here.workspaces.commit(commitOf(opening)));
  await put(here.checkout, "users.txt", "u\n");
  await here.git("add", "users.txt");
  await here.git("commit", "-q", "-m", "the user's");
  const { task, attempt } = opening.end;
  expect(value(await here.workspaces.merge({ candidate: first, task, attempt }))).toEqual({ merged: false });
  expect((await commitAndMerge(here.workspaces, opening)).merged).toMatchObject({ merged: true });
  expect(await here.git("log", "--format=%s")).toBe("task-1: work\nthe user's\nstart");
  expect(await here.git("status", "--porcelain")).toBe("");
});

test("A6: commits that came after the work was handed in are never taken back", async () => {
  here = await makeCheckout({ files });
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  value(await here.workspaces.commit(commitOf(opening)));
  await put(here.checkout, "users.txt", "u\n");
  await here.git("add", "users.txt");
  await here.git("commit", "-q", "-m", "the user's");
  const theirs = await here.git("rev-parse", "HEAD");
  const { archive } = value(await here.workspaces.archive(opening.end));
  expect([await here.git("rev-parse", "main"), await here.git("status", "--porcelain")]).toEqual([theirs, ""]);
  expect([await here.read(archive, "a.txt"), await here.read(archive, "users.txt")]).toEqual(["a\n", "u\n"]);
  expect(value(await here.workspaces.open({ slot: 0, task: "task-1", attempt: 2, fence: 2 }))).toMatchObject({
    base: theirs,
  });
});

test("A6: nor is anything, if what the user had not committed at the start belongs to an older commit", async () => {
  here = await makeCheckout({ files, withChanges: true });
  await put(here.checkout, "mine.txt", "mine\n");
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  value(await here.workspaces.commit(commitOf(opening)));
  await here.git("commit", "-q", "--allow-empty", "-m", "the user's");
  const before = await stateOf(here.checkout);
  expect(await here.workspaces.archive(opening.end)).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
  expect(await stateOf(here.checkout)).toEqual(before);
});

test("a user who switched the branch is told so; switched back, the work merges", async () => {
  here = await makeCheckout({ files });
  await here.git("branch", "users");
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  const candidate = value(await here.workspaces.commit(commitOf(opening)));
  await here.git("switch", "-q", "users");
  const request = { candidate, task: "task-1", attempt: 1 };
  const refusal = { ok: false, failure: { message: expect.stringContaining("switched from main to users") } };
  expect(await here.workspaces.merge(request)).toMatchObject(refusal);
  expect(await here.workspaces.open({ slot: 0, task: "task-2", attempt: 1, fence: 2 })).toMatchObject({ ok: true });
});

test("PR-3: a task that is in the branch is never taken back, whatever is asked afterwards", async () => {
  here = await makeCheckout({ files });
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  await commitAndMerge(here.workspaces, opening);
  value(await here.workspaces.commit(commitOf(opening)));
  value(await here.workspaces.archive(opening.end));
  expect(await here.git("log", "--format=%s")).toBe("task-1: work\nstart");
  expect(await readOrNull(join(here.checkout, "a.txt"))).toBe("a\n");
});

test("A6: what cannot be rescued is not discarded: the checkout stays as the agent left it", async () => {
  here = await makeCheckout({ files });
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "src/one.txt", "the agent's\n");
  await put(opening.path, "huge.bin", "");
  await truncate(join(opening.path, "huge.bin"), 2 ** 31);
  const before = await stateOf(here.checkout, { without: ["huge.bin"] });
  expect(await here.workspaces.archive(opening.end)).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
  expect(await stateOf(here.checkout, { without: ["huge.bin"] })).toEqual(before);
  await rm(join(opening.path, "huge.bin"));
  value(await here.workspaces.archive(opening.end));
  expect(await readOrNull(join(here.checkout, "src/one.txt"))).toBe("one\n");
});

test("A6: views of ours that come and go in the checkout meanwhile are in nobody's way, and none is put away", async () => {
  here = await makeCheckout({ files });
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "src/one.txt", "the agent's\n");
  const flicker = `const fs = require("fs"); console.log();
    for (let i = 0; ; i += 1) { const file = "harness-tasks.json." + i; fs.writeFileSync(file, ""); fs.unlinkSync(file); }`;
  const writer = spawn(process.execPath, ["-e", flicker], { cwd: here.checkout, stdio: ["ignore", "pipe", "ignore"] });
  await once(writer.stdout, "data");
  const ended = once(writer, "exit");
  try {
    const { archive } = value(await here.workspaces.archive(opening.end));
    expect(await readOrNull(join(here.checkout, "src/one.txt"))).toBe("one\n");
    expect(await readdir(await here.restored(archive))).not.toContain("harness-tasks.json");
  } finally {
    writer.kill("SIGKILL");
    await ended;
  }
});

test("A6: files that only a changed .gitignore hides, and repositories inside, are rescued and taken away", async () => {
  here = await makeCheckout({ files });
  await put(here.checkout, "build/big.o", "mine, ignored before\n");
  const before = await stateOf(here.checkout);
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, ".gitignore", "*.log\nbuild/\n");
  await put(opening.path, "hidden.log", "hidden\n");
  await mkdir(join(opening.path, "vendored"));
  await plainGit(join(opening.path, "vendored"), "init", "-q");
  await put(opening.path, "vendored/lib.txt", "lib\n");
  const { archive } = value(await here.workspaces.archive(opening.end));
  expect(await stateOf(here.checkout)).toEqual(before);
  expect(await here.read(archive, "vendored/lib.txt")).toBe("lib\n");
  const all = await Promise.all((await here.putAway()).map((name) => here.read(name, "hidden.log")));
  expect(all).toContain("hidden\n");
});

test("what git converts on checkout is refused: in place bytes are committed as they lie there", async () => {
  here = await makeCheckout({ files: { ".gitattributes": "*.crlf text eol=crlf\n", "a.crlf": "a\n" } });
  await rm(join(here.checkout, "a.crlf"));
  await here.git("checkout", "-q", "--", "a.crlf");
  expect(await readFile(join(here.checkout, "a.crlf"), "utf8")).toBe("a\r\n");
  const opened = await here.workspaces.open({ slot: 0, task: "task-1", attempt: 1, fence: 1 });
  expect(opened).toMatchObject({ ok: false, failure: { kind: "config", message: expect.stringContaining("a.crlf") } });
});

test("an open merge, a detached head, another lane: each refused with what to do, nothing is touched", async () => {
  here = await makeCheckout({ files, withChanges: true });
  const request = { slot: 0, task: "task-1", attempt: 1, fence: 1 };
  await writeFile(join(here.checkout, ".git/MERGE_HEAD"), `${await here.git("rev-parse", "HEAD")}\n`);
  const merge = { ok: false, failure: { kind: "config", message: expect.stringContaining("merge is open") } };
  expect(await here.workspaces.open(request)).toMatchObject(merge);
  await rm(join(here.checkout, ".git/MERGE_HEAD"));
  await here.git("switch", "-q", "--detach");
  const detached = { ok: false, failure: { kind: "config", message: expect.stringContaining("on no branch") } };
  expect(await here.workspaces.open(request)).toMatchObject(detached);
  await here.git("switch", "-q", "main");
  value(await here.workspaces.open(request));
  const second = { ...request, slot: 1, task: "task-2", fence: 2 };
  const lane = { ok: false, failure: { kind: "config", message: expect.stringContaining("one lane") } };
  expect(await here.workspaces.open(second)).toMatchObject(lane);
});

test("A6: a change made in the second in which the index was written is still seen by git after a roll back", async () => {
  here = await makeCheckout({ files, withChanges: true });
  // Of the same length, in the same moment as the index: only by being no younger does the index say that it may differ.
  const moment = new Date(Math.floor(Date.now() / 1000) * 1000 - 5_000);
  await utimes(join(here.checkout, "src/one.txt"), moment, moment);
  await here.git("update-index", "--refresh");
  await put(here.checkout, "src/one.txt", "ONE\n");
  await utimes(join(here.checkout, "src/one.txt"), moment, moment);
  await utimes(join(here.checkout, ".git/index"), moment, moment);
  const seen = await here.git("-c", "core.trustctime=false", "diff", "--name-only");
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "new.txt", "n\n");
  await plainGit(opening.path, "add", "-A");
  value(await here.workspaces.archive(opening.end));
  expect([seen, await here.git("-c", "core.trustctime=false", "diff", "--name-only")]).toEqual([
    "src/one.txt",
    "src/one.txt",
  ]);
});
