// kill -9 before each step of what changes the user's checkout or repository: repeated, it comes to the same end.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listPutAway } from "../../src/git/rescue/shelf.ts";
import { makeCheckout } from "../../src/workspaces/in-place/checkout.fixture.ts";
import { filesOf, stateOf } from "../../src/workspaces/in-place/checkout-state.fixture.ts";
import { commitOf, makeRealGit, openSlot, plainGit, put, readOrNull } from "../../src/workspaces/real-git.fixture.ts";
import { value } from "../../src/workspaces/workspace.contract.ts";
import { createWorktreeWorkspaces } from "../../src/workspaces/worktree/worktree-workspaces.ts";
import { Deaths } from "./deaths.ts";

vi.setConfig({ testTimeout: 3_600_000 });

let deaths: Deaths;
beforeAll(async () => {
  deaths = await Deaths.prepare();
});
afterAll(() => deaths.dispose());

test("A6, PR-3: a roll back in place that is killed at any step is repeated; all the agent's work is rescued", async () => {
  const here = await makeCheckout({ files: { "src/one.txt": "one\n" }, withChanges: true });
  await put(here.checkout, "only-staged.txt", "only in the index\n");
  await here.git("add", "only-staged.txt");
  await rm(join(here.checkout, "only-staged.txt"));
  await put(here.checkout, "mine.txt", "mine\n");
  const before = await stateOf(here.checkout);
  const { end } = await openSlot(here.workspaces, "task-1");
  await put(here.checkout, "committed.txt", "c\n");
  await here.commitInside(here.checkout, "the agent's");
  await put(here.checkout, "src/one.txt", "changed\n");
  await rm(join(here.checkout, "mine.txt"));
  await put(here.checkout, "new.txt", "n\n");
  await plainGit(here.checkout, "switch", "-q", "-c", "elsewhere");
  const left = await filesOf(here.checkout);
  const options = { ...here.options, withChanges: true };
  const died = await deaths.each(
    here.directory,
    { variant: "in-place", options, verb: "archive", request: end },
    async () => {
      const { archive } = value(await here.secondProcess().archive(end));
      expect(await stateOf(here.checkout)).toEqual(before);
      expect(await filesOf(await here.restored(archive))).toEqual(left);
      expect(await here.git("log", "--format=%s", "elsewhere", "-1")).toBe("the agent's");
      expect(value(await here.secondProcess().archive(end))).toEqual({ archive });
    },
  );
  expect(died).toBeGreaterThan(8);
  await here.dispose();
});

test("V3, PR-5: a merge in place that is killed at any step merged once or not at all, and no file changed", async () => {
  const here = await makeCheckout({ files: { "src/one.txt": "one\n" } });
  const opening = await openSlot(here.workspaces, "task-1");
  await put(here.checkout, "committed.txt", "c\n");
  await here.commitInside(here.checkout, "the agent's");
  await put(here.checkout, "src/one.txt", "changed\n");
  const candidate = value(await here.workspaces.commit(commitOf(opening)));
  const files = await filesOf(here.checkout);
  const request = { candidate, task: "task-1", attempt: 1 };
  const options = { ...here.options, withChanges: false };
  const count = async () => (await here.log()).filter((subject) => subject === "task-1: work").length;
  const counts = new Set<number>();
  const died = await deaths.each(here.directory, { variant: "in-place", options, verb: "merge", request }, async () => {
    counts.add(await count());
    expect(await filesOf(here.checkout)).toEqual(files);
    expect(value(await here.secondProcess().merge(request))).toEqual({ merged: true, commit: candidate.commit });
    value(await here.secondProcess().close(opening.end));
    expect([await count(), await here.git("status", "--porcelain")]).toEqual([1, ""]);
    expect(await filesOf(here.checkout)).toEqual(files);
  });
  expect(died).toBeGreaterThan(8);
  expect([...counts].sort()).toEqual([0, 1]);
  await here.dispose();
});

test("A1: an opening in place that is killed at any step leaves the checkout alone, and is repeated", async () => {
  const here = await makeCheckout({ files: { "src/one.txt": "one\n" }, withChanges: true });
  await put(here.checkout, "mine.txt", "mine\n");
  const before = await stateOf(here.checkout);
  const request = { slot: 0, task: "task-1", attempt: 1, fence: 1 };
  const options = { ...here.options, withChanges: true };
  const died = await deaths.each(here.directory, { variant: "in-place", options, verb: "open", request }, async () => {
    expect(await stateOf(here.checkout)).toEqual(before);
    const opened = await openSlot(here.secondProcess(), "task-1");
    await put(here.checkout, "mine.txt", "the agent's\n");
    value(await here.secondProcess().archive(opened.end));
    expect(await stateOf(here.checkout)).toEqual(before);
  });
  expect(died).toBeGreaterThan(8);
  await here.dispose();
});

const ours = (kind: string): string => `refs/harness/${kind}`;
const linked = () => makeRealGit({ create: createWorktreeWorkspaces });

test("PR-20: an archive of a work tree that is killed at any step is repeated; git prunes nothing of it meanwhile", async () => {
  const real = await linked();
  const { path, end } = await openSlot(real.workspaces, "task-1");
  await put(path, "half.txt", "half\n");
  await real.commitInside(path, "half");
  await put(path, "staged.txt", "only in the index\n");
  await plainGit(path, "add", "staged.txt");
  await rm(join(path, "staged.txt"));
  const verb = { variant: "worktree", options: real.options, verb: "archive", request: end } as const;
  const died = await deaths.each(real.directory, verb, async () => {
    await real.git("worktree", "prune", "--expire=now");
    const { archive: name } = value(await real.secondProcess().archive(end));
    const archive = listPutAway(real.home).find((one) => one.name === name)?.where ?? "";
    expect(await readOrNull(join(archive, "half.txt"))).toBe("half\n");
    expect(await plainGit(archive, "log", "--format=%s")).toBe("half\nstart");
    expect(await plainGit(archive, "show", ":staged.txt")).toBe("only in the index");
    const next = await openSlot(real.secondProcess(), "task-1", { attempt: 2, fence: 2 });
    expect(await plainGit(next.path, "status", "--porcelain")).toBe("");
  });
  expect(died).toBeGreaterThan(5);
  await real.dispose();
});

test("PR-20: an opening or a close of a work tree that is killed at any step leaves nothing behind when repeated", async () => {
  const real = await linked();
  const request = { slot: 0, task: "task-1", attempt: 1, fence: 1 };
  const clean = async () => ({
    worktrees: (await real.git("worktree", "list")).split("\n").length,
    branches: await real.git("branch", "--list", "harness/task-*"),
    archives: await real.archives(),
    refs: await real.git("for-each-ref", "--format=%(refname)", ...["base", "candidates", "made"].map(ours)),
  });
  const openings = await deaths.each(
    real.directory,
    { variant: "worktree", options: real.options, verb: "open", request },
    async () => {
      const opening = await openSlot(real.secondProcess(), "task-1", { fence: 2 });
      expect(await plainGit(opening.path, "status", "--porcelain")).toBe("");
      const candidate = value(await real.secondProcess().commit(commitOf(opening)));
      value(await real.secondProcess().merge({ candidate, task: "task-1", attempt: 1 }));
      value(await real.secondProcess().close(opening.end));
      expect(await clean()).toEqual({ worktrees: 1, branches: "", archives: 0, refs: "" });
    },
  );
  const opening = await openSlot(real.secondProcess(), "task-2", { fence: 3 });
  const candidate = value(await real.secondProcess().commit(commitOf(opening)));
  value(await real.secondProcess().merge({ candidate, task: "task-2", attempt: 1 }));
  const closes = await deaths.each(
    real.directory,
    { variant: "worktree", options: real.options, verb: "close", request: opening.end },
    async () => {
      value(await real.secondProcess().close(opening.end));
      expect(await clean()).toEqual({ worktrees: 1, branches: "", archives: 0, refs: "" });
    },
  );
  expect([openings > 8, closes > 8]).toEqual([true, true]);
  await real.dispose();
});
