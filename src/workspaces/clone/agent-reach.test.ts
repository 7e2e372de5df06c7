import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  commitAndMerge,
  makeRealGit,
  type Opening,
  openSlot,
  plainGit,
  put,
  type RealGit,
} from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";
import { everyFile } from "./whole-checkout.fixture.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

let real: RealGit;
let opening: Opening;
beforeEach(async () => {
  real = await makeRealGit();
  // Things that an agent could destroy: a stash, a branch, work in progress.
  await put(real.checkout, "readme.md", "stashed\n");
  await real.git("stash", "-q");
  await real.git("branch", "precious");
  await put(real.checkout, "readme.md", "half an edit\n");
  opening = await openSlot(real.workspaces, "task-1");
});
afterEach(() => real.dispose());

const references = (): Promise<string> => real.git("for-each-ref", "--format=%(refname) %(objectname)");
const inside = (...args: readonly string[]): Promise<string> => plainGit(opening.path, ...args).catch(String);

const habits: Record<string, () => Promise<unknown>> = {
  "stashes and drops": async () => {
    await put(opening.path, "readme.md", "mine\n");
    await inside("stash");
    await inside("stash", "clear");
  },
  "configures git": async () => {
    await inside("config", "--local", "user.name", "Agent");
    await inside("config", "--local", "core.hooksPath", "/tmp");
    await inside("config", "--local", "remote.origin.url", real.checkout);
  },
  "forces branches": async () => {
    await inside("branch", "-f", "main", "HEAD");
    await inside("branch", "-f", "precious", "HEAD");
    await inside("branch", "-D", "main", "precious");
  },
  "collects garbage": async () => {
    await inside("reflog", "expire", "--expire=now", "--all");
    await inside("gc", "--quiet", "--prune=now");
    await inside("repack", "-a", "-d");
    await inside("prune", "--expire=now");
  },
  "deletes references": async () => {
    for (const ref of ["refs/heads/main", "refs/heads/precious", "refs/stash", "refs/heads/harness/mission-x"])
      await inside("update-ref", "-d", ref);
    await inside("update-ref", "-d", "HEAD");
  },
  "adds a work tree and prunes": async () => {
    await inside("worktree", "add", "-q", join(real.directory, "elsewhere"));
    await inside("worktree", "prune");
  },
  "pushes without an address": async () => {
    await put(opening.path, "pushed.txt", "p\n");
    await real.commitInside(opening.path, "pushed");
    await inside("push", "--force", "--all");
    await inside("push", "--force", "origin", "HEAD:main");
    await inside("push", "--mirror");
  },
  "resets and cleans": async () => {
    await inside("reset", "--hard", "HEAD");
    await inside("clean", "-ffdx");
    await inside("checkout", "--orphan", "nothing");
    await inside("rm", "-r", "-f", ".");
  },
  "deletes its .git": () => rm(join(opening.path, ".git"), { recursive: true }),
  "replaces its .git by a link to the user's": async () => {
    await rm(join(opening.path, ".git"), { recursive: true });
    await symlink(join(real.checkout, ".git"), join(opening.path, ".git"));
  },
  "writes a .git that leads to the user's": async () => {
    await rm(join(opening.path, ".git"), { recursive: true });
    await writeFile(join(opening.path, ".git"), `gitdir: ${join(real.checkout, ".git")}\n`);
  },
};

test.each(Object.keys(habits))(
  "PR-3, PR-12: an agent that %s changes nothing of the user's, and its work is taken",
  async (habit) => {
    const [files, refs] = [await everyFile(real.checkout), await references()];
    await habits[habit]?.();
    expect({ files: await everyFile(real.checkout), refs: await references() }).toEqual({ files, refs });
    await put(opening.path, "work.txt", "work\n");
    expect(value(await real.workspaces.inspect(opening))).toMatchObject({ uncommitted: true });
    const { merged } = await commitAndMerge(real.workspaces, opening);
    expect(merged).toMatchObject({ merged: true });
    value(await real.workspaces.close(opening.end));
    expect(await everyFile(real.checkout)).toEqual(files);
    expect(await real.readAtHead("work.txt")).toBe("work\n");
    expect(await real.git("fsck", "--no-dangling")).toBe("");
  },
);
