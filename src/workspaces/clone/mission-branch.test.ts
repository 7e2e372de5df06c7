// What somebody does to the mission branch in the middle of a mission: finished tasks never go missing without a word.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { commitAndMerge, commitOf, makeRealGit, openSlot, put, type RealGit } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

let real: RealGit;
let fence = 0;
beforeEach(async () => {
  real = await makeRealGit();
});
afterEach(() => real.dispose());

const branch = "harness/mission-x";
const finish = async (task: string): Promise<string> => {
  fence += 1;
  const opening = await openSlot(real.workspaces, task, { fence });
  await put(opening.path, `${task}.txt`, `${task}\n`);
  const { candidate } = await commitAndMerge(real.workspaces, opening);
  value(await real.workspaces.close(opening.end));
  return candidate.commit;
};
const openNext = () => real.workspaces.open({ slot: 0, task: "task-9", attempt: 1, fence: 99 });
const wish = { mission: "m", tasks: null, squash: false, branch: null, otherwise: "checked-out" } as const;

test("PR-3: a mission branch that somebody deleted is brought back where it was", async () => {
  await finish("task-1");
  const second = await finish("task-2");
  await real.userCommits("mine.txt", "mine\n");
  await real.git("branch", "-D", branch);
  expect(value(await openNext())).toMatchObject({ merged: false, base: second });
  expect(await real.log()).toEqual(["task-1: work", "task-2: work"]);
});

test("PR-3: so is one that was deleted while an attempt was under way, at its commit, and for accept", async () => {
  await finish("task-1");
  const opening = await openSlot(real.workspaces, "task-2", { fence: 50 });
  await put(opening.path, "b.txt", "b\n");
  await real.git("branch", "-D", branch);
  const candidate = value(await real.workspaces.commit(commitOf(opening)));
  await real.git("branch", "-D", branch);
  expect(value(await real.workspaces.merge({ candidate, task: "task-2", attempt: 1 }))).toMatchObject({ merged: true });
  await real.git("branch", "-D", branch);
  expect(value(await real.workspaces.accept(wish))).toMatchObject({ how: "fast-forward", commit: candidate.commit });
  expect(await real.log()).toEqual(["task-1: work", "task-2: work"]);
});

test("PR-3: one that was moved back is refused by the names of the tasks it lost, with the command that brings it back", async () => {
  const first = await finish("task-1");
  const second = await finish("task-2");
  await real.git("branch", "-f", branch, first);
  const refused = {
    kind: "env_setup",
    message: `the mission branch ${branch} was moved and lacks what was merged into it: task-2 (${second.slice(0, 7)})`,
    remedy: `Bring it back: git branch -f ${branch} ${second} – or go on without: git update-ref refs/harness/merged/${branch} ${first}`,
  };
  expect(await openNext()).toEqual({ ok: false, failure: refused });
  expect(await real.workspaces.accept(wish)).toEqual({ ok: false, failure: refused });
  expect(await real.git("rev-parse", branch)).toBe(first);
  await real.git("branch", "-f", branch, second);
  expect(value(await openNext())).toMatchObject({ merged: false, base: second });
});

test("PR-3: the user may go on without what the branch lost, by a word of their own", async () => {
  const first = await finish("task-1");
  await finish("task-2");
  await real.git("branch", "-f", branch, first);
  await real.git("update-ref", `refs/harness/merged/${branch}`, first);
  expect(value(await openNext())).toMatchObject({ merged: false, base: first });
});

test("PR-3: what somebody put into a branch that was moved aside is named to be kept first", async () => {
  const first = await finish("task-1");
  const second = await finish("task-2");
  const aside = await real.git("commit-tree", `${first}^{tree}`, "-p", first, "-m", "somebody's");
  await real.git("branch", "-f", branch, aside);
  expect(await openNext()).toMatchObject({
    failure: {
      remedy: `Bring it back: git branch NAME ${aside} && git branch -f ${branch} ${second} – or go on without: git update-ref refs/harness/merged/${branch} ${aside}`,
    },
  });
});

test("V3: commits of somebody's on top, and a rewritten branch with every task in it, are worked on as they are", async () => {
  await finish("task-1");
  const second = await finish("task-2");
  const parent = await real.git("rev-parse", `${second}^`);
  const message = await real.git("log", "-1", "--format=%B", second);
  const rewritten = await real.git("commit-tree", `${second}^{tree}`, "-p", parent, "-m", `better words, ${message}`);
  const onTop = await real.git("commit-tree", `${second}^{tree}`, "-p", rewritten, "-m", "somebody's");
  await real.git("branch", "-f", branch, onTop);
  expect(value(await openNext())).toMatchObject({ merged: false, base: onTop });
});
