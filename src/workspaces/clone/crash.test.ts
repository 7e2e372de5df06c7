import { execFile } from "node:child_process";
import { cp, mkdir, readdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { commitAndMerge, commitOf, makeRealGit, openSlot, put, type RealGit, readOrNull } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 30_000 });

let real: RealGit;
beforeEach(async () => {
  real = await makeRealGit();
});
afterEach(() => real.dispose());

const lane = (name: string): string => join(real.home, "lanes/0", name);

test("PR-3: a crash of archive between record and rename loses nothing and is repeated", async () => {
  const { path, end } = await openSlot(real.workspaces, "task-1");
  await put(path, "work.txt", "w\n");
  await mkdir(join(real.home, "archive"));
  await cp(lane("work.json"), join(real.home, "archive/task-1-1-1.json"));
  const { archive } = value(await real.workspaces.archive(end));
  expect(archive).toBe("task-1/1");
  expect(await real.read(archive, "work.txt")).toBe("w\n");
});

test("PR-3: a crash of archive after the rename is repeated with the same answer, and the slot is free", async () => {
  const { path, end } = await openSlot(real.workspaces, "task-1");
  await put(path, "work.txt", "w\n");
  const record = await readOrNull(lane("work.json"));
  const first = value(await real.workspaces.archive(end));
  await writeFile(lane("work.json"), record ?? "");
  expect(value(await real.workspaces.archive(end))).toEqual(first);
  expect(await real.archives()).toBe(1);
  await writeFile(lane("work.json"), record ?? "");
  expect(await openSlot(real.workspaces, "task-1")).toMatchObject({ path });
  expect(await real.archives()).toBe(1);
});

test("a crash of open before its rename leaves no workspace; the repeat builds one", async () => {
  const { path } = await openSlot(real.workspaces, "task-1");
  await rm(lane("work"), { recursive: true });
  const again = await openSlot(real.workspaces, "task-1");
  expect(again.path).toBe(path);
  expect(await real.read(path, "readme.md")).toBe("hello\n");
  expect(await real.archives()).toBe(0);
});

test("PR-3: a workspace whose record is gone or damaged is archived, never taken for empty", async () => {
  const { path } = await openSlot(real.workspaces, "task-1");
  await put(path, "work.txt", "w\n");
  await writeFile(lane("work.json"), "{");
  await openSlot(real.workspaces, "task-2", { fence: 2 });
  expect(await real.read("unowned-0/0", "work.txt")).toBe("w\n");
});

test("V3, PR-5: a crash between the move of the branch and its record merges nothing twice", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  const candidate = value(await real.workspaces.commit(commitOf(opening)));
  await real.git("update-ref", "refs/heads/harness/mission-x", candidate.commit, candidate.parent);
  const merge = () => real.secondProcess().merge({ candidate, task: "task-1", attempt: 1 });
  const merged = { ok: true, value: { merged: true, commit: candidate.commit } };
  expect([await merge(), await merge()]).toEqual([merged, merged]);
  expect(await real.log()).toEqual(["task-1: work"]);
});

test("PR-5: a candidate of which only objects arrived is made again", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  const lost = value(await real.workspaces.commit(commitOf(opening)));
  await real.git("update-ref", "-d", `refs/harness/candidates/${lost.commit}`);
  const { merged } = await commitAndMerge(real.workspaces, opening);
  expect(merged).toMatchObject({ merged: true });
  expect(await real.log()).toEqual(["task-1: work"]);
});

test("PR-5: a lock left on the branch by a killed git goes, and the work is merged once", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const candidate = value(await real.workspaces.commit(commitOf(opening)));
  await writeFile(join(real.checkout, ".git/refs/heads/harness/mission-x.lock"), "");
  const merge = () => real.workspaces.merge({ candidate, task: "task-1", attempt: 1 });
  const merged = { ok: true, value: { merged: true, commit: candidate.commit } };
  expect([await merge(), await merge()]).toEqual([merged, merged]);
  expect(await real.log()).toEqual(["task-1: work"]);
});

test("a close that died after the workspace was out of sight ends well, and its remains go", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await commitAndMerge(real.workspaces, opening);
  await mkdir(join(real.home, "trash"));
  await rename(lane("work"), join(real.home, "trash/1-1"));
  expect(await real.workspaces.close(opening.end)).toEqual({ ok: true, value: null });
  const next = await openSlot(real.workspaces, "task-2", { fence: 2 });
  expect(await real.workspaces.close(next.end)).toEqual({ ok: true, value: null });
  await openSlot(real.workspaces, "task-3", { fence: 3 });
  // Nobody waits for the removal.
  await expect.poll(() => readdir(join(real.home, "trash"))).toEqual([]);
});

test("a proof that was left half made, full of rubbish or replaced by a link is made anew, and the link's target stays", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  const candidate = value(await real.workspaces.commit(commitOf(opening)));
  const proof = async () => {
    const { path } = value(await real.workspaces.proof({ slot: 0, commit: candidate.commit }));
    return [await readdir(path), await real.read(path, "a.txt")];
  };
  const whole = [[".git", ".gitignore", "a.txt", "readme.md"], "a\n"];
  expect(await proof()).toEqual(whole);
  await rm(join(lane("proof"), "a.txt"));
  await put(lane("proof"), "build/deep/rubbish.o", "o\n");
  await put(lane("proof"), "nested/.git/HEAD", "ref: refs/heads/main\n");
  await writeFile(`${lane("proof.index")}.lock`, "");
  expect(await proof()).toEqual(whole);
  await rm(lane("proof.index"));
  expect(await proof()).toEqual(whole);
  await rm(lane("proof"), { recursive: true });
  await put(real.directory, "precious/file.txt", "precious\n");
  await symlink(join(real.directory, "precious"), lane("proof"));
  expect(await proof()).toEqual(whole);
  expect(await readOrNull(join(real.directory, "precious/file.txt"))).toBe("precious\n");
});

test("a proof sees a file that was changed without a change of size or modification time", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const candidate = value(await real.workspaces.commit(commitOf(opening)));
  const { path } = value(await real.workspaces.proof({ slot: 0, commit: candidate.commit }));
  const old = new Date(1_000_000_000_000);
  await utimes(join(path, "readme.md"), old, old);
  value(await real.workspaces.proof({ slot: 0, commit: candidate.commit }));
  await put(path, "readme.md", "HELLO\n");
  await utimes(join(path, "readme.md"), old, old);
  value(await real.workspaces.proof({ slot: 0, commit: candidate.commit }));
  expect(await real.read(path, "readme.md")).toBe("hello\n");
});

test("scratch space of a process that is gone is swept; that of a living one stays", async () => {
  await openSlot(real.workspaces, "task-1");
  const { pid } = await promisify(execFile)(process.execPath, ["-p", "process.pid"]).then(({ stdout }) => ({
    pid: stdout.trim(),
  }));
  await put(join(real.home, "tmp"), `${pid}-dead/objects/x`, "x");
  await put(join(real.home, "tmp"), `${process.pid}-alive/objects/x`, "x");
  await openSlot(real.workspaces, "task-2", { slot: 1, fence: 2 });
  expect(await readdir(join(real.home, "tmp"))).toEqual([`${process.pid}-alive`]);
});

test("two processes that use a home for the first time at the same moment agree", async () => {
  const opened = await Promise.all(
    [0, 1, 2, 3].map((slot) => real.secondProcess().open({ slot, task: `task-${slot}`, attempt: 1, fence: slot + 1 })),
  );
  const bases = new Set(opened.map(value).map((place) => (place.merged ? "merged" : place.base)));
  expect([...bases]).toEqual([await real.git("rev-parse", "main")]);
});

/** As after a restart of the machine: the record is of another boot. */
async function restart(): Promise<void> {
  const record = JSON.parse((await readOrNull(lane("work.json"))) ?? "{}");
  await writeFile(lane("work.json"), JSON.stringify({ ...record, boot: "an earlier one" }));
}

const torn = {
  kind: "session_timeout",
  message: "the machine was restarted during task-1: its workspace is not as it was last seen",
  remedy: "Nothing: what is left of it is archived, and the task is tried again.",
};

test("V1, PR-9: files that a power cut emptied are not taken for work, neither by a look nor by a commit", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "work.txt", "w\n");
  await put(opening.path, "readme.md", "");
  await restart();
  expect(await real.workspaces.inspect(opening)).toEqual({ ok: false, failure: torn });
  expect(await real.workspaces.commit(commitOf(opening))).toEqual({ ok: false, failure: torn });
  const { archive } = value(await real.workspaces.archive(opening.end));
  expect(await real.read(archive, "work.txt")).toBe("w\n");
});

test("V1: after a restart a workspace that is as it was last seen is gone on with, and believed from then on", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "work.txt", "w\n");
  const before = value(await real.workspaces.inspect(opening));
  await restart();
  expect(value(await real.workspaces.inspect(opening))).toEqual(before);
  await put(opening.path, "more.txt", "m\n");
  expect(value(await real.workspaces.inspect(opening)).uncommitted).toBe(true);
  expect((await commitAndMerge(real.workspaces, opening)).merged.merged).toBe(true);
});

test("V1: after a restart a workspace in which nothing was done shows no work, and is not handed out again", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await restart();
  expect(value(await real.workspaces.inspect(opening))).toMatchObject({ uncommitted: false, commits: false });
  await restart();
  await openSlot(real.workspaces, "task-1", { fence: 2 });
  expect(await real.archives()).toBe(1);
});
