// A rebase that dies between any two of its steps is repeated to the same end, and nothing of the work is lost (G5, V1).
import { cp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  commitAndMerge,
  commitOf,
  makeRealGit,
  type Opening,
  openSlot,
  put,
  type RealGit,
} from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

let real: RealGit;
let mine: Opening;
beforeEach(async () => {
  const attributes = "*.md conflict-marker-size=20\n*.txt merge=union\n";
  real = await makeRealGit({ files: { "picture.bin": Buffer.from([0, 1, 2]), ".gitattributes": attributes } });
  const theirs = await openSlot(real.workspaces, "task-1");
  mine = await openSlot(real.workspaces, "task-2", { slot: 1, fence: 2 });
  await put(theirs.path, "readme.md", "theirs\n");
  await put(mine.path, "readme.md", "mine\n");
  await commitAndMerge(real.workspaces, theirs);
});
afterEach(() => real.dispose());

const request = () => ({ ...mine.end, base: mine.base });
const rebase = async (fence = 3) => value(await real.secondProcess().rebase({ ...request(), fence }));
const kept = () => real.git("for-each-ref", "--format=%(objectname)", "refs/harness/kept/task-2/1/");
const lane = (name: string): string => join(real.home, "lanes/1", name);

const atWork = { free: false };
const putAway = { free: true };

test.each([
  ["before the workspace was put away", atWork],
  ["before the slot it was put away from was used", putAway],
])("G5, V1: dead after the work was kept, %s", async (_when, state) => {
  const before = join(real.directory, "before");
  await cp(lane("."), before, { recursive: true, preserveTimestamps: true });
  const first = await rebase();
  // As it was before: what was built is gone.
  await rm(lane("."), { recursive: true });
  await rename(before, lane("."));
  const record = JSON.parse(await readFile(lane("work.json"), "utf8"));
  await put(lane("."), "work.json", JSON.stringify({ ...record, ...state }));
  const again = await rebase(4);
  expect(again).toEqual(first);
  expect([await kept(), await real.archives()]).toEqual([first.kept, 1]);
});

test("G5, PR-4: a workspace that is somebody else's by now is left alone", async () => {
  await rebase();
  const record = JSON.parse(await readFile(lane("work.json"), "utf8"));
  await put(lane("."), "work.json", JSON.stringify({ ...record, task: "task-9" }));
  await put(mine.path, "readme.md", "another's\n");
  const outcome = await real.workspaces.rebase({ ...request(), fence: 4 });
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
  expect(await real.read(mine.path, "readme.md")).toBe("another's\n");
});

test("G5, V1: dead after the workspace was put away, before the new one was in its place", async () => {
  const first = await rebase();
  await rm(lane("work"), { recursive: true });
  expect(await rebase(4)).toEqual(first);
  await rm(lane("work"), { recursive: true });
  await rm(lane("work.json"));
  expect(await rebase(5)).toEqual(first);
  expect([await real.archives(), await real.read(mine.path, "readme.md")]).toEqual([
    1,
    expect.stringMatching(/^<<<<<<< .*\ntheirs\n=======\nmine\n>>>>>>> /),
  ]);
});

test("G5: the branch moved on between the crash and the repeat: the work is put onto what is there now", async () => {
  const first = await rebase();
  await rm(lane("work"), { recursive: true });
  const third = await openSlot(real.workspaces, "task-3", { slot: 2, fence: 6 });
  await put(third.path, "readme.md", "third\n");
  const { candidate } = await commitAndMerge(real.workspaces, third);
  const again = await rebase(7);
  expect(again).toMatchObject({ base: candidate.commit, kept: first.kept, fileCount: 1 });
  expect(again.others.map(({ task }) => task)).toEqual(["task-3", "task-1"]);
});

test("G5: a workspace of which nothing is left, and nothing was kept, is said to be gone", async () => {
  await rm(lane("work"), { recursive: true });
  const outcome = await real.workspaces.rebase(request());
  expect(outcome).toMatchObject({
    ok: false,
    failure: { kind: "env_setup", message: expect.stringContaining("gone") },
  });
});

test("V1, G5: after a restart of the machine what the rebase laid out is believed if it is whole, and only then", async () => {
  const { base, tree } = await rebase();
  const record = JSON.parse((await real.read(lane(""), "work.json")) ?? "{}");
  await put(lane(""), "work.json", JSON.stringify({ ...record, boot: "an earlier one" }));
  const seen = await real.workspaces.inspect({ path: mine.path, base });
  expect(seen).toEqual({ ok: true, value: { uncommitted: true, commits: false, tree } });
  await put(lane(""), "work.json", JSON.stringify({ ...record, boot: "an earlier one" }));
  await put(mine.path, "readme.md", "");
  const torn = await real.workspaces.inspect({ path: mine.path, base });
  expect(torn).toMatchObject({ ok: false, failure: { kind: "session_timeout" } });
});

test("G5: odd names, binary files and two kinds of entry under one name are named and kept", async () => {
  const other = await openSlot(real.workspaces, "task-4", { slot: 3, fence: 8 });
  const theirs = await openSlot(real.workspaces, "task-5", { slot: 4, fence: 9 });
  for (const [{ path }, byte] of [[other, 7] as const, [theirs, 8] as const]) {
    await put(path, "picture.bin", Buffer.from([0, byte]));
    await put(path, "ä ö\t.txt", `${byte}\n`);
  }
  await put(other.path, "thing", "a file\n");
  await mkdir(join(theirs.path, "thing"));
  await put(theirs.path, "thing/inside.txt", "a directory\n");
  await commitAndMerge(real.workspaces, theirs);
  const rebased = value(await real.workspaces.rebase({ ...other.end, base: other.base }));
  const marks = Object.fromEntries(rebased.files.map(({ path, marked }) => [path.replace(/~.*/, "~"), marked]));
  expect(marks).toEqual({ "picture.bin": false, "thing~": false, "ä ö\t.txt": true });
  const again = { ...commitOf(other), base: rebased.base, kept: rebased.kept };
  const outcome = await real.workspaces.commit(again);
  expect(outcome.ok ? "" : outcome.failure.message).toMatch(/^conflict markers are left in (?=.*thing~)(?=.*ä ö)/);
  const aside = rebased.files.find(({ path }) => path.startsWith("thing~"))?.path ?? "";
  await rename(join(other.path, aside), join(other.path, "thing/file.txt"));
  await put(other.path, "ä ö\t.txt", "7 and 8\n");
  expect(await real.workspaces.commit(again)).toMatchObject({ ok: true });
});
