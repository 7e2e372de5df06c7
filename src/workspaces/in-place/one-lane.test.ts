// In place there is nobody else to follow, and nothing to deliver: the user's branch is the mission's.
import { afterEach, expect, test, vi } from "vitest";
import { succeeded } from "../../protocol/failure.ts";
import { commitAndMerge, commitOf, openSlot, put } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";
import { type Checkout, makeCheckout } from "./checkout.fixture.ts";
import { stateOf } from "./checkout-state.fixture.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 120_000 });

let here: Checkout;
afterEach(() => here.dispose());

const wish = { mission: "m", tasks: null, squash: false, branch: null, otherwise: "checked-out" } as const;
const finish = async (task: string, fence: number) => {
  const opening = await openSlot(here.workspaces, task, { fence });
  await put(opening.path, `${task}.txt`, `${task}\n`);
  const { candidate } = await commitAndMerge(here.workspaces, opening);
  value(await here.workspaces.close(opening.end));
  return candidate;
};

test("A1: set-up makes nothing in the user's checkout; a proof is set up as everywhere", async () => {
  here = await makeCheckout();
  const { path, base } = await openSlot(here.workspaces, "task-1");
  const before = await stateOf(here.checkout);
  const made: string[] = [];
  const prepare = async (at: string) =>
    value(
      await here.workspaces.prepare({ path: at, fence: 1, inputs: ["readme.md"], salt: "s" }, async () => {
        made.push(at);
        await put(at, "made.txt", "made\n");
        return succeeded(null);
      }),
    );
  expect([await prepare(path), made, await stateOf(here.checkout)]).toEqual([{ made: false }, [], before]);
  const proof = value(await here.workspaces.proof({ slot: 0, commit: base }));
  expect([await prepare(proof.path), made, await here.read(proof.path, "made.txt")]).toEqual([
    { made: true },
    [proof.path],
    "made\n",
  ]);
  const elsewhere = { path: here.home, fence: 1, inputs: [], salt: "" };
  expect(await here.workspaces.prepare(elsewhere, null)).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
});

test("G5: there is nothing to catch up with, also after a commit of the user's", async () => {
  here = await makeCheckout();
  await finish("task-1", 1);
  await here.userCommits("mine.txt", "mine\n");
  expect(value(await here.workspaces.trial({ branch: null, tried: null }))).toEqual({ end: "current" });
});

test("G5: what is finished is in the user's branch already; asked for, it is present, and nothing moves", async () => {
  here = await makeCheckout();
  await finish("task-1", 1);
  const { commit } = await finish("task-2", 2);
  const before = await stateOf(here.checkout);
  const present = { how: "present", branch: "main", commit };
  expect(value(await here.workspaces.accept(wish))).toEqual({ ...present, tasks: ["task-1", "task-2"] });
  const some = { ...wish, tasks: ["task-2"], squash: true };
  expect(value(await here.workspaces.accept(some))).toEqual({ ...present, tasks: ["task-2"] });
  const elsewhere = await here.workspaces.accept({ ...wish, branch: "other" });
  expect(elsewhere).toMatchObject({ ok: false, failure: { kind: "usage" } });
  expect(elsewhere.ok ? "" : elsewhere.failure.message).toContain("in main, and does not go on to other");
  expect(await stateOf(here.checkout)).toEqual(before);
});

test("G5: work in conflict with a commit of the user's is no repair in the user's files: they stay as they are", async () => {
  here = await makeCheckout();
  const opening = await openSlot(here.workspaces, "task-1");
  await put(opening.path, "readme.md", "the agent's\n");
  value(await here.workspaces.commit(commitOf(opening)));
  await here.userCommits("readme.md", "the user's\n");
  await put(opening.path, "readme.md", "the agent's\n");
  const before = await stateOf(here.checkout);
  const conflict = { ok: false, failure: { kind: "merge_conflict" } };
  expect(await here.workspaces.commit(commitOf(opening))).toMatchObject(conflict);
  expect(await here.workspaces.rebase({ ...opening.end, base: opening.base })).toMatchObject(conflict);
  expect(await stateOf(here.checkout)).toEqual(before);
});
