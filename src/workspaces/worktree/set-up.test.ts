// A set-up cleans a workspace where nobody finds it; git must not take a work tree for gone meanwhile (PR-20).
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { succeeded } from "../../protocol/failure.ts";
import { commitAndMerge, commitOf, makeRealGit, openSlot, plainGit, put, type RealGit } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";
import type { Workspaces } from "../workspace.ts";
import { createWorktreeWorkspaces } from "./worktree-workspaces.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

let real: RealGit;
beforeEach(async () => {
  real = await makeRealGit({ create: createWorktreeWorkspaces });
});
afterEach(() => real.dispose());

const prepare = async (workspaces: Workspaces, path: string, salt: string) =>
  value(
    await workspaces.prepare({ path, fence: 1, inputs: [], salt }, async () => {
      await put(path, "build/made.txt", `${salt}\n`);
      return succeeded(null);
    }),
  );
const admins = (): Promise<string[]> => readdir(join(real.checkout, ".git/worktrees")).catch(() => []);

test("PR-20: git prunes nothing while a work tree is cleaned out of sight", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await prepare(real.workspaces, opening.path, "one");
  let pruned = 0;
  const exclusively = async <T>(work: () => T): Promise<T> => {
    const done = work();
    if (existsSync(opening.path)) return done;
    pruned += 1;
    execFileSync("git", ["worktree", "prune", "--expire=now"], { cwd: real.checkout });
    return done;
  };
  const pruning = createWorktreeWorkspaces({ ...real.options, exclusively });
  expect(await prepare(pruning, opening.path, "two")).toEqual({ made: true });
  const [admin = ""] = await admins();
  expect([pruned, await readdir(join(real.checkout, ".git/worktrees", admin))]).toEqual([
    1,
    expect.not.arrayContaining(["locked"]),
  ]);
  await put(opening.path, "work.txt", "w\n");
  expect((await commitAndMerge(real.workspaces, opening)).merged.merged).toBe(true);
  value(await real.workspaces.close(opening.end));
  expect([await admins(), await real.archives()]).toEqual([[], 0]);
});

test("PR-20: a set-up that died while the work tree was out of sight leaves nothing behind", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const [admin = ""] = await admins();
  await writeFile(join(real.checkout, ".git/worktrees", admin, "locked"), "harness: being moved\n");
  await rm(opening.path, { recursive: true });
  const again = await openSlot(real.workspaces, "task-1", { fence: 2 });
  expect(await plainGit(again.path, "branch", "--show-current")).toBe("harness/task-1");
  expect(await admins()).toHaveLength(1);
  expect(await admins()).not.toContain(admin);
});

test("A1: what failed in the middle of a set-up is nobody's work: it is made anew, and nothing is put away", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const make = async () => {
    await put(opening.path, "half.txt", "half\n");
    return { ok: false, failure: { kind: "env_setup", message: "no" } } as const;
  };
  const request = { path: opening.path, fence: 1, inputs: [], salt: "s" };
  expect(await real.workspaces.prepare(request, make)).toMatchObject({ ok: false });
  const next = await openSlot(real.workspaces, "task-2", { fence: 2 });
  expect(await plainGit(next.path, "status", "--porcelain", "--ignored")).toBe("");
  expect([await admins(), await real.archives()]).toEqual([[expect.any(String)], 0]);
  expect(await real.git("branch", "--list", "harness/task-*", "--format=%(refname:short)")).toBe("harness/task-2");
});

test("PR-20: an opening whose git was killed leaves nothing behind", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const [admin = ""] = await admins();
  const at = join(real.checkout, ".git/worktrees", admin);
  await rename(join(at, "index"), join(at, "index.lock"));
  await rm(opening.path, { recursive: true });
  await rm(`${opening.path}.json`);
  const again = await openSlot(real.workspaces, "task-1", { fence: 2 });
  expect(await plainGit(again.path, "branch", "--show-current")).toBe("harness/task-1");
  expect([await admins(), await real.archives()]).toEqual([[expect.not.stringMatching(admin)], 0]);
});

test("PR-20: an opening with earlier work that died before it appeared leaves nothing behind", async () => {
  const first = await openSlot(real.workspaces, "task-1");
  await put(first.path, "work.txt", "w\n");
  const resume = value(await real.workspaces.commit(commitOf(first)));
  value(await real.workspaces.archive(first.end));
  const before = await admins();
  const request = { slot: 0, task: "task-1", attempt: 2, fence: 2, resume };
  value(await real.workspaces.open(request));
  await rm(first.path, { recursive: true });
  value(await real.workspaces.open({ ...request, fence: 3 }));
  expect(await plainGit(first.path, "status", "--porcelain")).toBe("A  work.txt");
  expect(await plainGit(first.path, "branch", "--show-current")).toBe("harness/task-1");
  expect(await admins()).toHaveLength(before.length + 1);
});
