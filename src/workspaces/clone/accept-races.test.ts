import { execFile } from "node:child_process";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeRealGit, plainGit, put, type RealGit } from "../real-git.fixture.ts";
import { accept, everything, filesIn, finish, refusal, userCommits, userState } from "./accept.fixture.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 600_000 });

let real: RealGit;
const { PATH = "" } = process.env;
beforeEach(async () => {
  real = await makeRealGit();
});
afterEach(async () => {
  process.env.PATH = PATH;
  await real.dispose();
});

/** Before the first git whose arguments hold `words` does anything, the user does this. */
async function meanwhile(words: string, command: string): Promise<void> {
  const git = (await promisify(execFile)("sh", ["-c", "command -v git"], { env: { PATH } })).stdout.trim();
  const [done, bin] = [join(real.directory, "done"), join(real.directory, "bin")];
  const user = `cd '${real.checkout}' && PATH='${PATH}' ${command}`;
  const act = `case "$*" in *"${words}"*) [ -e '${done}' ] || { touch '${done}'; (${user}) >/dev/null 2>&1; } ;; esac`;
  await put(bin, "git", `#!/bin/sh\n${act}\nexec '${git}' "$@"\n`);
  await chmod(join(bin, "git"), 0o755);
  process.env.PATH = `${bin}:${PATH}`;
}

test("G5: a user's branch that has not moved costs two questions to git at most", async () => {
  await finish(real, "task-1", { "a.txt": "a\n" });
  const git = (await promisify(execFile)("sh", ["-c", "command -v git"], { env: { PATH } })).stdout.trim();
  const calls = join(real.directory, "calls");
  await put(join(real.directory, "bin"), "git", `#!/bin/sh\necho "$*" >> '${calls}'\nexec '${git}' "$@"\n`);
  await chmod(join(real.directory, "bin/git"), 0o755);
  process.env.PATH = `${join(real.directory, "bin")}:${PATH}`;
  expect(await real.workspaces.trial({ branch: null, tried: null })).toEqual({ ok: true, value: { end: "current" } });
  expect((await readFile(calls, "utf8")).trimEnd().split("\n").length).toBeLessThanOrEqual(2);
});

/** A commit on main that no branch has yet. */
async function readyCommit(): Promise<string> {
  const commit = await userCommits(real, { "mine.txt": "mine\n" });
  await real.git("reset", "-q", "--hard", "HEAD~1");
  return commit;
}

test("G5: a branch that moves while the work is put together is not overwritten, and it is put together anew", async () => {
  await real.git("branch", "release");
  await finish(real, "task-1", { "a.txt": "a\n" });
  const theirs = await readyCommit();
  await meanwhile("update-ref -m", `git update-ref refs/heads/release ${theirs}`);
  const { how, commit } = await accept(real, { branch: "release" });
  expect([how, await real.git("log", "-1", "--format=%P", commit)]).toEqual([
    "merge",
    `${theirs} ${await real.git("rev-parse", "harness/mission-x")}`,
  ]);
  expect(await real.git("ls-tree", "--name-only", "release")).toBe(".gitignore\na.txt\nmine.txt\nreadme.md");
});

test("G5, PR-3: a branch that moves under its checkout is left where the user put it, files and index as they were", async () => {
  await finish(real, "task-1", { "a.txt": "a\n", "readme.md": "changed\n" });
  const theirs = await readyCommit();
  const before = await userState(real);
  await meanwhile("read-tree -m -u", `git update-ref refs/heads/main ${theirs}`);
  expect(await refusal(real)).toContain("has changes that are not committed: mine.txt");
  const { files, index, head, locks, records } = await userState(real);
  const { files: old, index: oldIndex } = before;
  expect({ files, index, head, locks, records }).toEqual({
    files: old,
    index: oldIndex,
    head: theirs,
    locks: [],
    records: [],
  });
});

test("PR-3: what is written into the checkout at the last moment stays", async () => {
  await finish(real, "task-1", { "a.txt": "a\n", "readme.md": "changed\n" });
  const before = await userState(real);
  await meanwhile("read-tree -m -u", "sh -c 'echo precious > readme.md'");
  expect(await refusal(real)).toMatch(/readme\.md/);
  const after = await userState(real);
  expect([after.files, after.head, after.locks]).toEqual([
    { ...before.files, "readme.md": "precious\n" },
    before.head,
    [],
  ]);
});

const names = ["readme.md", "a", "b", "dir/x", "dir/y", "dir", "build/o"] as const;
type Name = (typeof names)[number];
const change = fc.record({ file: fc.constantFrom(...names), text: fc.constantFrom(null, "1\n", "2\n", "1\n2\n3\n") });
const changes = fc.array(change, { maxLength: 4 });

/** Removes what is in the way as a person would, and leaves no trace of a change that changes nothing. */
async function apply(at: string, list: readonly { file: Name; text: string | null }[]): Promise<void> {
  for (const { file, text } of list) {
    const place = join(at, file);
    const script =
      text === null
        ? 'rm -rf "$1"'
        : 'rm -rf "$1"; p=$(dirname "$1"); [ -d "$p" ] || rm -rf "$p"; mkdir -p "$p"; printf %s "$2" > "$1"';
    await promisify(execFile)("sh", ["-c", script, "sh", place, text ?? ""]);
  }
}

/** What git itself would make of it, in a clone: the tree, or null for a conflict. */
async function plainMerge(): Promise<string | null> {
  const copy = join(real.directory, "copy");
  await promisify(execFile)("rm", ["-rf", copy]);
  await plainGit(real.directory, "clone", "-q", "--no-local", "-b", "main", real.checkout, "copy");
  const user = ["-c", "user.name=U", "-c", "user.email=u@e"];
  const merged = await plainGit(copy, ...user, "merge", "-q", "origin/harness/mission-x").then(
    () => true,
    () => false,
  );
  return merged ? plainGit(copy, "rev-parse", "HEAD^{tree}") : null;
}

type Changes = { file: Name; text: string | null }[];
/** One that must be accepted and one that must be refused come first: chance might bring only one kind. */
const oneOfEach: [Changes, Changes, Changes, boolean][] = [
  [[{ file: "b", text: "1\n" }], [], [], false],
  [[{ file: "a", text: "1\n" }], [{ file: "a", text: "2\n" }], [], false],
];
const rounds = Number(process.env.HARNESS_ACCEPT_ROUNDS ?? 12);

test(`G5, PR-3: in ${rounds} random meetings of user and mission, accepted is what git merge makes, refused is untouched`, async () => {
  const ends = { accepted: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(changes, changes, changes, fc.boolean(), async (mission, committed, loose, staged) => {
      real = await makeRealGit({ files: { a: "1\n2\n3\n", "dir/x": "x\n" } });
      const opened = await real.workspaces.open({ slot: 0, task: "task-1", attempt: 1, fence: 1 });
      if (!opened.ok || opened.value.merged) throw new Error("not opened");
      await apply(opened.value.path, mission);
      const candidate = await real.workspaces.commit({
        ...opened.value,
        message: "task-1: work\n\nHarness-Task: task-1\n",
      });
      if (!candidate.ok) throw new Error(candidate.failure.message);
      await real.workspaces.merge({ candidate: candidate.value, task: "task-1", attempt: 1 });
      await apply(real.checkout, committed);
      await real.git("add", "-A");
      await real.git("commit", "-q", "--allow-empty", "-m", "user");
      const wanted = await plainMerge();
      await apply(real.checkout, loose);
      if (staged) await real.git("add", "-A");
      const before = await userState(real);
      const tracked = new Set((await real.git("ls-files")).split("\n"));
      const outcome = await real.workspaces.accept(everything);
      const after = await userState(real);
      if (outcome.ok) {
        ends.accepted += 1;
        expect(await real.git("rev-parse", "HEAD^{tree}")).toBe(wanted);
        const own = Object.entries(before.files).filter(([file]) => !tracked.has(file));
        expect(after.files).toMatchObject(Object.fromEntries(own));
        expect([after.status, after.locks, after.records]).toEqual([before.status, [], []]);
      } else {
        ends.refused += 1;
        const { refs: _before, ...untouched } = before;
        const { refs: _after, ...now } = after;
        expect(now).toEqual(untouched);
        expect(await filesIn(real.checkout)).toEqual(before.files);
        const isClean = before.status.split("\n").every((line) => line === "" || line.startsWith("??"));
        // A clean checkout is refused only for a conflict, or for a file in the way.
        expect(isClean && wanted !== null && !outcome.failure.message.includes("in the way")).toBe(false);
      }
      await real.dispose();
    }),
    { numRuns: rounds, examples: oneOfEach, interruptAfterTimeLimit: 500_000 },
  );
  expect(Math.min(ends.accepted, ends.refused)).toBeGreaterThan(0);
});
