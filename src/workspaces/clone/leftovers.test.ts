import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { commitAndMerge, commitOf, makeRealGit, openSlot, put, type RealGit } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

let real: RealGit;
beforeEach(async () => {
  real = await makeRealGit();
});
afterEach(() => real.dispose());

const candidates = async (): Promise<string[]> =>
  (await real.git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/harness/candidates"))
    .split("\n")
    .filter(Boolean);
test("candidates that later ones replaced go at the end of the attempt; the last one stays for the next attempt", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const made: string[] = [];
  for (const text of ["one\n", "two\n", "three\n"]) {
    await put(opening.path, "a.txt", text);
    made.push(value(await real.workspaces.commit(commitOf(opening))).commit);
  }
  const other = await openSlot(real.workspaces, "task-11", { slot: 1 });
  made.push(value(await real.workspaces.commit(commitOf(other))).commit);
  expect(await candidates()).toEqual(made.toSorted());
  value(await real.workspaces.archive(opening.end));
  expect(await candidates()).toEqual(made.slice(2).toSorted());

  const second = await openSlot(real.workspaces, "task-1", { attempt: 2, fence: 2 });
  value(await real.workspaces.archive(second.end));
  expect(await candidates()).toEqual(made.slice(2).toSorted());

  const third = await openSlot(real.workspaces, "task-1", { attempt: 3, fence: 3 });
  await put(third.path, "a.txt", "four\n");
  await commitAndMerge(real.workspaces, third);
  value(await real.workspaces.close(third.end));
  expect(await candidates()).toEqual(made.slice(3));
});

test("PR-9: a candidate whose objects a collection of garbage took is not merged, and committing again mends it", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "deep/a.txt", "a\n");
  const candidate = value(await real.workspaces.commit(commitOf(opening)));
  const blob = await real.git("rev-parse", `${candidate.commit}:deep/a.txt`);
  // As if it had run between the objects and their reference.
  await real.git("update-ref", "-d", `refs/harness/candidates/${candidate.commit}`);
  await real.git("update-ref", "refs/harness/candidates/kept", candidate.commit);
  await unlink(join(real.checkout, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  expect(value(await real.workspaces.merge({ candidate, task: "task-1", attempt: 1 }))).toEqual({ merged: false });
  expect((await commitAndMerge(real.workspaces, opening)).merged).toMatchObject({ merged: true });
  expect(await real.readAtHead("deep/a.txt")).toBe("a\n");
});

test("PR-20: a lock that a git at work in the repository may have closed and still hold is left alone", async () => {
  const lock = join(real.checkout, ".git/packed-refs.lock");
  // Waits for questions; as long as it does, it might be any git that packs references.
  const atWork = spawn("git", ["cat-file", "--batch"], { cwd: real.checkout, stdio: ["pipe", "pipe", "ignore"] });
  const gone = once(atWork, "close");
  atWork.stdin.write("HEAD\n");
  await once(atWork.stdout, "data");
  await writeFile(lock, "");
  const open = () => real.workspaces.open({ slot: 0, task: "task-1", attempt: 1, fence: 1 });
  const close = () =>
    real.workspaces.close({ path: join(real.home, "lanes/0/work"), task: "task-1", attempt: 1, fence: 1 });
  value(await open());
  expect(await close()).toMatchObject({ ok: false, failure: { remedy: expect.stringContaining(lock) } });
  expect(await readFile(lock, "utf8")).toBe("");
  atWork.stdin.end();
  await gone;
  value(await open());
  value(await close());
  await expect(readFile(lock)).rejects.toThrow("ENOENT");
});
