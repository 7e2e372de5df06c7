import { chown, mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { describeRepository, uncommittedFiles } from "../../git/describe.ts";
import { commitAndMerge, makeRealGit, openSlot, plainGit, put, type RealGit, readOrNull } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";
import type { Workspaces } from "../workspace.ts";
import { createCloneWorkspaces } from "./clone-workspaces.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

let real: RealGit;
beforeEach(async () => {
  real = await makeRealGit({ files: { "src/one.txt": "one\n", "docs/two.txt": "two\n" } });
});
afterEach(() => real.dispose());

const workspacesAt = (repository: string): Workspaces =>
  createCloneWorkspaces({ ...real.options, repository, home: join(real.directory, "odd-home") });

/** A task from open to close; answers the files of the mission branch. */
async function oneTask(repository: string, workspaces = workspacesAt(repository)): Promise<string[]> {
  const opening = await openSlot(workspaces, "task-1");
  await put(opening.path, "work.txt", "work\n");
  const { candidate, merged } = await commitAndMerge(workspaces, opening);
  expect(merged).toEqual({ merged: true, commit: candidate.commit });
  const { path } = value(await workspaces.proof({ slot: 0, commit: candidate.commit }));
  expect(await readOrNull(join(path, "work.txt"))).toBe("work\n");
  value(await workspaces.close(opening.end));
  const listed = await plainGit(repository, "ls-tree", "-r", "-z", "--name-only", "harness/mission-x");
  return listed.split("\0").filter(Boolean);
}
const allFiles = [".gitignore", "docs/two.txt", "readme.md", "src/one.txt", "work.txt"];
const refused = (message: string, remedy: string) => ({
  ok: false,
  failure: {
    kind: "env_setup",
    message: expect.stringContaining(message),
    remedy: expect.stringContaining(remedy),
  },
});
const first = { slot: 0, task: "task-1", attempt: 1, fence: 1 };

test("a sparse checkout of the user's: agents get every file, and his stays sparse", async () => {
  await real.git("sparse-checkout", "set", "src");
  const sparse = await real.git("sparse-checkout", "list");
  expect(await oneTask(real.checkout)).toEqual(allFiles);
  expect(value(await uncommittedFiles(real.checkout))).toEqual([]);
  expect([await real.git("sparse-checkout", "list"), await readOrNull(join(real.checkout, "docs/two.txt"))]).toEqual([
    sparse,
    null,
  ]);
});

test("pointers of large files stay pointers, byte for byte, although their filter is required", async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
  await put(real.checkout, ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  await put(real.checkout, "large.bin", pointer);
  await real.git("add", ".");
  await real.git("commit", "-q", "-m", "large");
  await real.git("config", "filter.lfs.process", "git-lfs filter-process");
  await real.git("config", "filter.lfs.required", "true");
  const opening = await openSlot(real.workspaces, "task-1");
  expect(await readOrNull(join(opening.path, "large.bin"))).toBe(pointer);
  await put(opening.path, "second.bin", pointer.replace("12345", "678"));
  const { candidate } = await commitAndMerge(real.workspaces, opening);
  expect(await real.readAtHead("second.bin")).toBe(pointer.replace("12345", "678"));
  expect(await real.git("diff", "--name-only", "main", candidate.commit)).toBe("second.bin");
});

test("a repository that borrows objects itself, by a relative path, works", async () => {
  const borrower = join(real.directory, "borrower");
  await plainGit(real.directory, "clone", "-q", "--shared", real.checkout, borrower);
  await put(borrower, ".git/objects/info/alternates", "../../../project/.git/objects\n");
  expect(await oneTask(borrower)).toEqual(allFiles);
});

test("a partial clone works as far as its objects reach; beyond, the refusal says how to fetch them", async () => {
  await real.git("config", "uploadpack.allowFilter", "true");
  const [whole, hollow] = [join(real.directory, "whole"), join(real.directory, "hollow")];
  const from = ["clone", "-q", "--filter=blob:none", `file://${real.checkout}`];
  await plainGit(real.directory, ...from, whole);
  expect(await oneTask(whole)).toEqual(allFiles);

  await plainGit(real.directory, ...from, "--no-checkout", hollow);
  const workspaces = createCloneWorkspaces({ ...real.options, repository: hollow, home: join(real.directory, "h2") });
  const outcome = await workspaces.open(first);
  expect(outcome).toMatchObject(refused("is a partial clone", "--refetch"));
  const remedy = outcome.ok ? "" : (outcome.failure.remedy ?? "");
  const command = /`git (.+)`/.exec(remedy)?.[1]?.split(" ") ?? [];
  await plainGit(hollow, ...command);
  expect(await oneTask(hollow, workspaces)).toEqual(allFiles);
});

test("a state root in a work tree that is linked, inside the main one, works and leaves both alone", async () => {
  const linked = join(real.checkout, "trees/linked");
  await put(real.checkout, ".git/info/exclude", "/trees/\n");
  await real.git("worktree", "add", "-q", "-b", "side", linked);
  await put(linked, "only-here.txt", "x\n");
  await plainGit(linked, "add", ".");
  await plainGit(linked, "commit", "-q", "-m", "side");
  expect(value(await describeRepository(linked))).toEqual({ toplevel: linked, prefix: "" });
  const before = await real.git("rev-parse", "main", "side", "HEAD");
  expect(await oneTask(linked)).toEqual([...allFiles.slice(0, 2), "only-here.txt", ...allFiles.slice(2)]);
  expect(await real.git("rev-parse", "main", "side", "HEAD")).toBe(before);
  expect([await real.git("status", "--porcelain"), await plainGit(linked, "status", "--porcelain")]).toEqual(["", ""]);
});

test("names that differ only in case, and names that do so only in their letters' composition, stay apart", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const names = ["Readme.md", "README.MD", "caf\u00e9.txt", "cafe\u0301.txt"];
  for (const name of names) await put(opening.path, name, `${name}\n`);
  await commitAndMerge(real.workspaces, opening);
  expect(await Promise.all(names.map((name) => real.readAtHead(name)))).toEqual(names.map((name) => `${name}\n`));
});

test("a repository at a very long path works", async () => {
  const deep = join(real.directory, ...Array.from({ length: 12 }, (_, i) => `${i}${"long".repeat(50)}`));
  await mkdir(deep, { recursive: true });
  const moved = join(deep, "project");
  await rename(real.checkout, moved);
  expect(moved.length).toBeGreaterThan(2_400);
  expect(await oneTask(moved)).toEqual(allFiles);
});

test("a path with a line break is refused with the way out", async () => {
  const broken = join(real.directory, "line\nbreak");
  await rename(real.checkout, broken);
  expect(await workspacesAt(broken).open(first)).toMatchObject(refused("holds a line break", "Move it"));
});

test.runIf(process.getuid?.() === 0)("a repository of another owner works: nothing of it is run", async () => {
  await chown(real.checkout, 65_534, 65_534);
  await chown(join(real.checkout, ".git"), 65_534, 65_534);
  expect(value(await describeRepository(real.checkout))).toEqual({ toplevel: real.checkout, prefix: "" });
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  expect((await commitAndMerge(real.workspaces, opening)).merged).toMatchObject({ merged: true });
});

test("references in a format this git does not know are refused by name", async () => {
  await real.git("config", "core.repositoryFormatVersion", "1");
  await real.git("config", "extensions.refStorage", "a-later-one");
  const outcome = await real.workspaces.open(first);
  expect(outcome).toMatchObject({ ok: false, failure: { message: expect.stringMatching(/refstorage/i) } });
  expect(outcome).toMatchObject(refused("git", "newer"));
});

test("a repository that was moved is found again: workspaces, proofs and archives read its objects from the new place", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const kept = await openSlot(real.workspaces, "task-2", { slot: 1 });
  // Too much to be rescued: archived whole, as a clone.
  await put(kept.path, "build/large", Buffer.alloc(65 * 2 ** 20, 1));
  value(await real.workspaces.archive(kept.end));
  const archive = join(real.home, "archive/task-2-1-1");
  await put(opening.path, "a.txt", "a\n");
  const moved = join(real.directory, "moved");
  await rename(real.checkout, moved);
  const workspaces = createCloneWorkspaces({ ...real.options, repository: moved });
  expect(value(await workspaces.inspect(opening))).toMatchObject({ uncommitted: true, commits: false });
  for (const place of [opening.path, archive]) {
    expect(await plainGit(place, "log", "--format=%s")).toBe("start");
    expect(await readFile(join(place, ".git/objects/info/alternates"), "utf8")).toBe(`${moved}/.git/objects\n`);
  }
  expect((await commitAndMerge(workspaces, opening)).merged).toMatchObject({ merged: true });
});
