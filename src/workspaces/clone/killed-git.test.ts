import { execFile } from "node:child_process";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commitOf, makeRealGit, type Opening, openSlot, put, type RealGit } from "../real-git.fixture.ts";
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
    expect(points).toBeGreaterThan(10);
    const tasks = Array.from({ length: points }, (_, i) => `task-${i + 1}: work`);
    expect(await real.log()).toEqual(tasks);
  },
  30_000,
);

test("PR-18: a git that is not there is an environment failure with a remedy", async () => {
  process.env.PATH = join(real.directory, "empty");
  const outcome = await real.workspaces.open({ slot: 0, task: "task-1", attempt: 1, fence: 1 });
  expect(outcome).toMatchObject({
    ok: false,
    failure: { kind: "env_setup", remedy: expect.stringContaining("Install git") },
  });
});
