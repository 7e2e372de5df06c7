// A run that falls asleep between its look at a slot's fence and its rename, and wakes up replaced (L3, PR-4).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeRealGit, openSlot, put, type RealGit, readOrNull } from "../real-git.fixture.ts";
import { createCloneWorkspaces } from "./clone-workspaces.ts";

let real: RealGit;
beforeEach(async () => {
  real = await makeRealGit();
});
afterEach(() => real.dispose());

/** Workspaces of a process that sleeps before its n-th move, while another takes the slot. */
function sleepyBefore(move: number) {
  let moves = 0;
  return createCloneWorkspaces({
    ...real.options,
    exclusively: async (work) => {
      moves += 1;
      if (moves === move) writeFileSync(join(real.home, "lanes/0/fence"), "99\n");
      return work();
    },
  });
}
const replaced = { ok: false, failure: { kind: "env_setup", message: expect.stringContaining("was replaced") } };

test("PR-4: it does not archive the workspace of whoever replaced it", async () => {
  const { path, end } = await openSlot(real.workspaces, "task-1");
  await put(path, "work.txt", "w\n");
  expect(await sleepyBefore(1).archive(end)).toMatchObject(replaced);
  // It kept a copy before it was told; the workspace is where it was.
  expect([await readOrNull(join(path, "work.txt")), await real.archives()]).toEqual(["w\n", 1]);
});

test("PR-4: it does not give a slot back under the feet of whoever replaced it", async () => {
  const { path, end } = await openSlot(real.workspaces, "task-1");
  expect(await sleepyBefore(1).close(end)).toMatchObject(replaced);
  expect(await readOrNull(join(path, "readme.md"))).toBe("hello\n");
});

test("PR-4: it neither takes the slot nor puts its own checkout there", async () => {
  const request = { slot: 0, task: "task-1", attempt: 1, fence: 5 };
  expect(await sleepyBefore(1).open(request)).toMatchObject(replaced);
  expect(await sleepyBefore(2).open({ ...request, fence: 100 })).toMatchObject({ ok: true });
  expect(await sleepyBefore(2).open({ ...request, slot: 1 })).toMatchObject({ ok: true });
});
