import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ignoredPaths, uncommittedFiles } from "../../git/describe.ts";
import { commitAndMerge, makeRealGit, openSlot, plainGit, put, type RealGit, readOrNull } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";
import { createCloneWorkspaces } from "./clone-workspaces.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

let real: RealGit;
const before = { ...process.env };
beforeEach(async () => {
  real = await makeRealGit();
  await real.git("config", "--remove-section", "user");
  for (const name of ["GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"]) delete process.env[name];
  process.env.HOME = join(real.directory, "me");
});
afterEach(async () => {
  Object.assign(process.env, before);
  await real.dispose();
});

const configure = (text: string): Promise<void> => put(join(real.directory, "me"), ".gitconfig", text);
async function signer(): Promise<string> {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  await commitAndMerge(real.workspaces, opening);
  return real.git("log", "-1", "--format=%an <%ae> %cn", "harness/mission-x");
}

test("PR-12: commits are signed by the user his own configuration names, and nothing that it names is run", async () => {
  const canary = join(real.directory, "canary");
  const run = `"sh -c 'touch ${canary}'"`;
  await configure(
    `[user]\n\tname = Gloria Global\n\temail = gloria@example.org\n[core]\n\tfsmonitor = ${run}\n\teditor = ${run}\n\tpager = ${run}\n\thooksPath = hooks\n[alias]\n\tconfig = !${run}\n[pager]\n\tconfig = ${run}\n`,
  );
  expect(await signer()).toBe("Gloria Global <gloria@example.org> Gloria Global");
  expect(value(await uncommittedFiles(real.checkout))).toEqual([]);
  expect(await readOrNull(canary)).toBe(null);
});

test("an identity that holds for this repository only, by a condition on its path, reaches commits and agents", async () => {
  await configure(
    `[user]\n\tname = Private\n\temail = private@example.org\n[includeIf "gitdir:${real.checkout}/"]\n\tpath = ~/at-work\n`,
  );
  await put(join(real.directory, "me"), "at-work", "[user]\n\temail = me@work.example\n");
  const opening = await openSlot(real.workspaces, "task-1");
  expect(await plainGit(opening.path, "config", "user.email")).toBe("me@work.example");
  expect(await signer()).toBe("Private <me@work.example> Private");
});

test("a configuration of the user's that git cannot read leaves the repository's own in force", async () => {
  await configure("[user\n");
  await real.git("config", "user.name", "Own");
  await real.git("config", "user.email", "own@example.org");
  expect(await signer()).toBe("Own <own@example.org> Own");
});

test.each([
  ["~/ignored", "ignored"],
  [null, ".config/git/ignore"],
])("files the user ignores everywhere are no work: core.excludesFile %s", async (setting, file) => {
  if (setting !== null) await configure(`[core]\n\texcludesFile = ${setting}\n`);
  // People keep these files elsewhere and link to them.
  await put(join(real.directory, "dotfiles"), "ignore", ".DS_Store\n*.swp\n");
  await mkdir(join(real.directory, "me", file, ".."), { recursive: true });
  await symlink(join(real.directory, "dotfiles/ignore"), join(real.directory, "me", file));
  await put(real.checkout, ".DS_Store", "x");
  await put(real.checkout, "mine.txt", "x");
  expect(value(await uncommittedFiles(real.checkout))).toEqual(["mine.txt"]);
  expect(value(await ignoredPaths(real.checkout, [".DS_Store", "mine.txt"]))).toEqual([".DS_Store"]);
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "deep/.DS_Store", "x");
  await put(opening.path, "a.txt.swp", "x");
  expect(value(await real.workspaces.inspect(opening))).toMatchObject({ uncommitted: false });
  await put(opening.path, "a.txt", "a\n");
  await commitAndMerge(real.workspaces, opening);
  const listed = await real.git("ls-tree", "-r", "--name-only", "harness/mission-x");
  expect(listed.split("\n")).toEqual([".gitignore", "a.txt", "readme.md"]);
});

test("what the repository wants in spite of the user's rules is work", async () => {
  await put(join(real.directory, "me"), ".config/git/ignore", "*.log\n");
  await put(real.checkout, ".git/info/exclude", "!kept.log\n");
  const opening = await openSlot(createCloneWorkspaces(real.options), "task-1");
  await put(opening.path, "kept.log", "x");
  await put(opening.path, "other.log", "x");
  await commitAndMerge(real.workspaces, opening);
  expect([await real.readAtHead("kept.log"), await real.readAtHead("other.log")]).toEqual(["x\n", null]);
});
