import { execFile } from "node:child_process";
import { chmod, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commitOf, makeRealGit, type Opening, openSlot, put, type RealGit, readOrNull } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";

let real: RealGit;
const { PATH = "" } = process.env;
beforeEach(async () => {
  real = await makeRealGit();
});
afterEach(async () => {
  process.env.PATH = PATH;
  await real.dispose();
});

type Death = "before it acted" | "after it acted, unheard";

/** From now on the n-th git that is started dies; the others are git. Answers how many were started. */
async function killGit(nth: number, death: Death): Promise<() => Promise<number>> {
  const git = (await promisify(execFile)("sh", ["-c", "command -v git"], { env: { PATH } })).stdout.trim();
  const calls = join(real.directory, "calls");
  await put(real.directory, "calls", "");
  const dying = death === "before it acted" ? "kill -9 $$" : `'${git}' "$@"; kill -9 $$`;
  const script = `#!/bin/sh\necho >> '${calls}'\n[ $(wc -l < '${calls}') -eq ${nth} ] || exec '${git}' "$@"\n${dying}\n`;
  await put(join(real.directory, "bin"), "git", script);
  await chmod(join(real.directory, "bin/git"), 0o755);
  process.env.PATH = `${join(real.directory, "bin")}:${PATH}`;
  return async () => (await readFile(calls, "utf8")).length;
}

/** A task for each git that `verb` starts: once with that one killed, then once more in peace. Answers how many tasks. */
async function killEach(death: Death, verb: (opening: Opening) => Promise<unknown>): Promise<number> {
  let points = 0;
  let started = 0;
  do {
    points += 1;
    const opening = await openSlot(real.workspaces, `task-${points}`, { fence: points });
    await put(opening.path, `file-${points}.txt`, `${points}\n`);
    const count = await killGit(points, death);
    await verb(opening);
    started = await count();
    process.env.PATH = PATH;
    await verb(opening);
    value(await real.workspaces.close(opening.end));
    expect(await real.readAtHead(`file-${points}.txt`)).toBe(`${points}\n`);
  } while (started >= points);
  return points;
}

const commitThenMerge = async (opening: Opening): Promise<void> => {
  const candidate = await real.workspaces.commit(commitOf(opening));
  const { task, attempt } = opening.end;
  if (candidate.ok) await real.workspaces.merge({ candidate: candidate.value, task, attempt });
};

test.each<Death>(["before it acted", "after it acted, unheard"])(
  "PR-5: with any git of commit and merge killed %s, repeating merges the work exactly once",
  async (death) => {
    const points = await killEach(death, commitThenMerge);
    expect(points).toBeGreaterThan(8);
    const tasks = Array.from({ length: points }, (_, i) => `task-${i + 1}: work`);
    expect(await real.log()).toEqual(tasks);
  },
  120_000,
);

const locks = ["refs/heads/harness/mission-x.lock", "packed-refs.lock", "refs/harness/base/home/task-1-1.lock"];
const opening = { slot: 0, task: "task-1", attempt: 1, fence: 1 };

test.each(locks)("PR-5: a git killed while it held %s is in nobody's way", async (lock) => {
  await put(join(real.checkout, ".git"), lock, "");
  const opened = value(await real.workspaces.open(opening));
  expect(opened.merged).toBe(false);
  await put(real.home, "lanes/0/work/file.txt", "work\n");
  const candidate = value(
    await real.workspaces.commit({
      ...opened,
      message: "work",
      path: join(real.home, "lanes/0/work"),
      base: await real.git("rev-parse", "HEAD"),
    }),
  );
  expect(value(await real.workspaces.merge({ candidate, task: "task-1", attempt: 1 })).merged).toBe(true);
  value(await real.workspaces.close({ path: join(real.home, "lanes/0/work"), task: "task-1", attempt: 1, fence: 1 }));
  expect(await readOrNull(join(real.checkout, ".git", lock))).toBe(null);
});

test("PR-20: a lock that some process holds is left alone and named", async () => {
  const lock = join(real.checkout, ".git", locks[0] ?? "");
  await put(join(real.checkout, ".git"), locks[0] ?? "", "");
  const held = await open(lock, "r");
  const refused = await real.workspaces.open(opening);
  await held.close();
  expect(refused).toMatchObject({ ok: false, failure: { kind: "env_setup", remedy: expect.stringContaining(lock) } });
  expect(await readOrNull(lock)).toBe("");
});
test("G5, PR-3: with any git of a rebase killed, before or after it acted, repeating brings the work onto the head", async () => {
  // A rebase rescues too, with many calls of git: a few of them here, all of them under HARNESS_CHAOS.
  const stride = process.env.HARNESS_CHAOS === undefined ? 11 : 1;
  let points = 1 - stride;
  let started = 0;
  do {
    points += stride;
    const fence = 2 * points;
    const theirs = await openSlot(real.workspaces, `theirs-${points}`, { slot: 0, fence });
    const mine = await openSlot(real.workspaces, `mine-${points}`, { slot: 1, fence });
    await put(theirs.path, "readme.md", `theirs ${points}\n`);
    await put(mine.path, "readme.md", `mine ${points}\n`);
    await commitThenMerge(theirs);
    value(await real.workspaces.close(theirs.end));
    const request = { ...mine.end, base: mine.base };
    const count = await killGit(points, points % 2 === 0 ? "before it acted" : "after it acted, unheard");
    await real.workspaces.rebase(request);
    started = await count();
    process.env.PATH = PATH;
    const { kept } = value(await real.secondProcess().rebase({ ...request, fence: fence + 1 }));
    const both = (await real.read(mine.path, "readme.md"))?.split("\n").filter((line) => / \d+$/.test(line));
    expect([points, both]).toEqual([points, [`theirs ${points}`, `mine ${points}`]]);
    expect(await real.git("show", `${kept}:readme.md`)).toBe(`mine ${points}`);
    value(await real.workspaces.archive({ ...mine.end, fence: fence + 1 }));
  } while (started >= points);
  expect(points).toBeGreaterThan(15);
}, 300_000);

test("PR-18: a git that is not there is an environment failure with a remedy", async () => {
  process.env.PATH = join(real.directory, "empty");
  const outcome = await real.workspaces.open({ slot: 0, task: "task-1", attempt: 1, fence: 1 });
  expect(outcome).toMatchObject({
    ok: false,
    failure: { kind: "env_setup", remedy: expect.stringContaining("Install git") },
  });
});
