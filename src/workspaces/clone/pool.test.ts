// A slot that is given back and given again: at what cost, and what of it survives crashes, replaced runs and tricks.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { succeeded } from "../../protocol/failure.ts";
import {
  commitAndMerge,
  makeRealGit,
  type Opening,
  openSlot,
  put,
  type RealGit,
  readOrNull,
} from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";
import type { Workspaces } from "../workspace.ts";
import { createCloneWorkspaces } from "./clone-workspaces.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

let real: RealGit;
const path = process.env.PATH ?? "";
beforeEach(async () => {
  real = await makeRealGit();
});
afterEach(async () => {
  process.env.PATH = path;
  await real.dispose();
});

const lane = (name: string): string => join(real.home, "lanes/0", name);
let fence = 0;
const open = (task: string, workspaces: Workspaces = real.workspaces): Promise<Opening> => {
  fence += 1;
  return openSlot(workspaces, task, { fence });
};
let makes = 0;
async function prepare({ path: at, end }: Opening): Promise<boolean> {
  const make = async () => {
    makes += 1;
    await put(at, "node_modules/.bin/tool", `tool ${makes}\n`);
    await put(at, "packages/a/node_modules/dep/index.js", "dep\n");
    return succeeded(null);
  };
  const asked = { path: at, fence: end.fence, inputs: [], salt: "x" };
  return value(await real.workspaces.prepare(asked, make)).made;
}
/** A slot whose first task is merged, with what a set-up made in it. */
async function pooled(): Promise<Opening> {
  makes = 0;
  const opening = await open("task-1");
  await put(opening.path, "packages/a/index.js", "a\n");
  await put(opening.path, "gone.txt", "g\n");
  await commitAndMerge(real.workspaces, opening);
  value(await real.workspaces.close(opening.end));
  const second = await open("task-2");
  expect(await prepare(second)).toBe(true);
  await rm(join(second.path, "gone.txt"));
  await put(second.path, "readme.md", "second\n");
  await commitAndMerge(real.workspaces, second);
  value(await real.workspaces.close(second.end));
  return second;
}
const seen = async (at: string) => [
  (await readdir(at)).sort(),
  await readOrNull(join(at, "readme.md")),
  await readOrNull(join(at, "node_modules/.bin/tool")),
  await readOrNull(join(at, ".git/HEAD")),
];
const given = (task: string) => [
  [".git", ".gitignore", "node_modules", "packages", "readme.md"],
  "second\n",
  "tool 1\n",
  `ref: refs/heads/harness/${task}\n`,
];

/** A git first on the PATH that notes what it is asked, and does as `act` says the n-th time. */
function watchGit(act = ""): () => Promise<string[]> {
  const [bin, log] = [join(real.directory, "bin"), join(real.directory, "git.log")];
  mkdirSync(bin, { recursive: true });
  const git = execFileSync("sh", ["-c", "command -v git"], { env: { PATH: path }, encoding: "utf8" }).trim();
  const subcommand =
    "for word; do case $word in for-each-ref|rev-list|update-ref|read-tree|ls-files|clean|write-tree) break ;; esac; done";
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${subcommand}\necho "$word" >> '${log}'\n${act}\nexec '${git}' "$@"\n`);
  chmodSync(join(bin, "git"), 0o755);
  writeFileSync(log, "");
  process.env.PATH = `${bin}:${path}`;
  return async () => (await readFile(log, "utf8")).trim().split("\n");
}

test("A1: a slot whose own work was merged last is given with one call of git, which looks at its files", async () => {
  await pooled();
  const asked = watchGit();
  const next = await open("task-3");
  expect(await asked()).toEqual(["ls-files"]);
  expect(await seen(next.path)).toEqual(given("task-3"));
  expect(await real.git("rev-parse", "refs/harness/base/home/task-3-1")).toBe(next.base);
  expect([await prepare(next), await real.archives()]).toEqual([false, 0]);
});

test("A1: a slot that others merged after is given with two calls of git, of which the first brings it there", async () => {
  await pooled();
  const other = await openSlot(real.workspaces, "task-9", { slot: 1 });
  await put(other.path, "nine.txt", "9\n");
  await commitAndMerge(real.workspaces, other);
  const asked = watchGit();
  const next = await open("task-3");
  expect(await asked()).toEqual(["read-tree", "ls-files"]);
  expect((await readdir(next.path)).sort()).toEqual([
    ".git",
    ".gitignore",
    "nine.txt",
    "node_modules",
    "packages",
    "readme.md",
  ]);
});

const strays: readonly (readonly [string, (at: string) => Promise<void>])[] = [
  ["changes a file", (at) => put(at, "readme.md", "stray!\n")],
  ["changes a file and hides it", (at) => sameSizeAndTime(join(at, "packages/a/index.js"))],
  ["removes a file", (at) => rm(join(at, "readme.md"))],
  ["makes a file", (at) => put(at, "stray/more.txt", "more\n")],
  ["makes a directory", (at) => mkdir(join(at, "empty/er"), { recursive: true }).then(() => undefined)],
  ["changes a mode", (at) => chmod(join(at, "readme.md"), 0o755)],
];
test.each(strays)(
  "A1: a slot in which somebody still %s after it was given back is given as if nobody had",
  async (_, act) => {
    const { path: at } = await pooled();
    await act(at);
    const next = await open("task-3");
    expect(await seen(next.path)).toEqual(given("task-3"));
    expect(await readFile(join(next.path, "packages/a/index.js"), "utf8")).toBe("a\n");
    expect((await stat(join(next.path, "readme.md"))).mode & 0o111).toBe(0);
    expect((await readdir(next.path)).sort()).toEqual([".git", ".gitignore", "node_modules", "packages", "readme.md"]);
  },
);

test("A1: a slot that nothing happened in since its candidate is given back with two calls of git", async () => {
  const opening = await open("task-1");
  await put(opening.path, "a.txt", "a\n");
  await commitAndMerge(real.workspaces, opening);
  const asked = watchGit();
  value(await real.workspaces.close(opening.end));
  expect([await asked(), await real.archives()]).toEqual([["ls-files", "update-ref"], 0]);
});

const afterwards: readonly (readonly [string, (at: string) => Promise<void>])[] = [
  ["a file of the same size and time", (at) => sameSizeAndTime(join(at, "a.txt"))],
  ["a file more", (at) => put(at, "b.txt", "b\n")],
  ["an ignored file", (at) => put(at, "ignored.txt", "i\n")],
  ["a file less", (at) => rm(join(at, "readme.md"))],
  ["another mode", (at) => chmod(join(at, "a.txt"), 0o755)],
  ["an index of a terabyte", (at) => truncate(join(at, ".git/index"), 2 ** 40)],
  ["something staged and then undone", (at) => stageAndUndo(at)],
];
test.each(afterwards)("PR-3: %s after the candidate was made is put away with the slot", async (_, act) => {
  const opening = await open("task-1");
  await put(opening.path, "a.txt", "a\n");
  await commitAndMerge(real.workspaces, opening);
  await act(opening.path);
  value(await real.workspaces.close(opening.end));
  expect(await real.archives()).toBe(1);
});

test("PR-3: an index that is of no candidate is not believed, whatever it says", async () => {
  const opening = await open("task-1");
  await put(opening.path, "a.txt", "a\n");
  await commitAndMerge(real.workspaces, opening);
  await put(opening.path, "b.txt", "b\n");
  // As a crash would leave it between a second candidate's index and its record.
  const index = join(real.home, "lanes/0/work.committed.index");
  execFileSync("git", ["add", "--all"], { cwd: opening.path, env: { ...process.env, GIT_INDEX_FILE: index } });
  value(await real.workspaces.close(opening.end));
  expect(await real.archives()).toBe(1);
});

async function sameSizeAndTime(path: string): Promise<void> {
  const { atime, mtime } = await stat(path);
  await writeFile(path, "b\n");
  await utimes(path, atime, mtime);
}
async function stageAndUndo(at: string): Promise<void> {
  await put(at, "a.txt", "staged\n");
  execFileSync("git", ["add", "a.txt"], { cwd: at });
  await put(at, "a.txt", "a\n");
}

test("A1: nothing of the agent before is found: no reference, stash, configuration, hook, empty directory or file", async () => {
  const first = await open("task-1");
  await put(first.path, "a.txt", "a\n");
  await put(first.path, ".git/hooks/post-checkout", "#!/bin/sh\ntouch evil\n");
  await put(first.path, ".git/config", "[core]\n\tbare = false\n\tfsmonitor = touch evil\n");
  mkdirSync(join(first.path, "empty/er"), { recursive: true });
  await commitAndMerge(real.workspaces, first);
  value(await real.workspaces.close(first.end));
  const next = await open("task-2");
  expect((await readdir(next.path)).sort()).toEqual([".git", ".gitignore", "a.txt", "readme.md"]);
  const inGit = ["hooks", "config", "refs/heads/harness"].map((name) => join(next.path, ".git", name));
  expect(await lstat(inGit[0] ?? "").catch(() => null)).toBe(null);
  expect(await readFile(inGit[1] ?? "", "utf8")).not.toContain("evil");
  expect(await readdir(inGit[2] ?? "")).toEqual(["task-2"]);
});

/** What an open that died leaves: nothing lost, and the next one gives the slot as if there had been none. */
async function expectGivenAfter(dying: Promise<unknown>): Promise<void> {
  await dying.catch(() => undefined);
  process.env.PATH = path;
  const next = await open("task-3", real.secondProcess());
  await prepare(next);
  const [files, readme, tool, head] = await seen(next.path);
  expect([files, readme, String(tool).slice(0, 5), head]).toEqual(
    given("task-3").map((was, n) => (n === 2 ? "tool " : was)),
  );
  expect(await real.archives()).toBe(0);
}

/** Does something before the n-th rename that nobody may come between. */
const beforeMove = (n: number, act: () => Promise<void>): Workspaces => {
  let moves = 0;
  return createCloneWorkspaces({
    ...real.options,
    exclusively: async (work) => {
      moves += 1;
      if (moves === n) await act();
      return work();
    },
  });
};

test.each([1, 2, 3])(
  "PR-3: an open that dies before move %d loses nothing, and the next one gives the slot",
  async (n) => {
    await pooled();
    const dying = beforeMove(n, () => Promise.reject(new Error("killed")));
    await expectGivenAfter(open("task-3", dying));
  },
);

test.each([1, 2, 3, 4, 5])(
  "PR-3: an open whose git %d is killed makes the slot from nothing, or the next one gives it; nothing is lost",
  async (n) => {
    await pooled();
    watchGit(`test "$(wc -l < '${join(real.directory, "git.log")}')" -ne ${n} || kill -9 $$`);
    await expectGivenAfter(open("task-3"));
  },
);

test.each([1, 2, 3])("PR-4: a run that is replaced before move %d of a slot leaves it to the other", async (n) => {
  const { path: at } = await pooled();
  const sleepy = beforeMove(n, async () => {
    await openSlot(real.secondProcess(), "task-4", { fence: fence + 50 });
    await put(at, "work.txt", "w\n");
  });
  await expect(open("task-3", sleepy)).rejects.toThrow("was replaced");
  expect(await readOrNull(join(at, "work.txt"))).toBe("w\n");
});

test("PR-3: a crash with the slot out of sight leaves a free record and no workspace: one is made, and set up again", async () => {
  const { path: at } = await pooled();
  mkdirSync(join(real.home, "tmp/1-dead"), { recursive: true });
  await rename(at, join(real.home, "tmp/1-dead/work"));
  const next = await open("task-3");
  expect(await readOrNull(join(next.path, "node_modules/.bin/tool"))).toBe(null);
  expect([await prepare(next), await real.archives()]).toEqual([true, 0]);
});

test.each([
  ["what was made", "node_modules"],
  ["a directory above it", "packages/a"],
])("PR-9: an agent that puts a link in place of %s leads nobody out of the slot", async (_what, spoilt) => {
  await pooled();
  const precious = join(real.directory, "precious");
  await put(precious, "node_modules/dep/index.js", "mine\n");
  await put(precious, ".bin/tool", "mine\n");
  const spoil = async (task: string) => {
    const opening = await open(task);
    await prepare(opening);
    await rm(join(opening.path, spoilt), { recursive: true });
    await symlink(precious, join(opening.path, spoilt));
    return opening;
  };
  const merged = await spoil("task-3");
  value(await real.workspaces.close(merged.end));
  const failed = await spoil("task-4");
  value(await real.workspaces.archive(failed.end));
  const next = await open("task-5");
  await prepare(next);
  expect((await seen(next.path))[0]).toEqual(given("task-5")[0]);
  expect((await lstat(join(next.path, spoilt))).isDirectory()).toBe(true);
  expect(await readOrNull(join(precious, "node_modules/dep/index.js"))).toBe("mine\n");
  expect(await readOrNull(join(precious, ".bin/tool"))).toBe("mine\n");
});

test("V1: after a restart of the machine what was made is not believed: files are not synced", async () => {
  await pooled();
  const record = JSON.parse((await readOrNull(lane("work.setup.json"))) ?? "{}");
  writeFileSync(lane("work.setup.json"), JSON.stringify({ ...record, boot: "an earlier one" }));
  const next = await open("task-3");
  expect(await readOrNull(join(next.path, "node_modules/.bin/tool"))).toBe(null);
  expect(await prepare(next)).toBe(true);
});
