// Two missions in one checkout of the user's: neither takes the other's work for its own, or gets in its way.
import { afterEach, expect, test, vi } from "vitest";
import { createCloneWorkspaces } from "../../src/workspaces/clone/clone-workspaces.ts";
import { type Checkout, makeCheckout } from "../../src/workspaces/in-place/checkout.fixture.ts";
import { stateOf } from "../../src/workspaces/in-place/checkout-state.fixture.ts";
import { createInPlaceWorkspaces } from "../../src/workspaces/in-place/in-place-workspaces.ts";
import { commitAndMerge, commitOf, openSlot, put } from "../../src/workspaces/real-git.fixture.ts";
import { value } from "../../src/workspaces/workspace.contract.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 120_000 });

let here: Checkout;
afterEach(() => here.dispose());

const wish = { tasks: null, squash: false, branch: null, otherwise: "checked-out" } as const;
/** The second mission of the repository, with a home of its own. */
const second = () =>
  createInPlaceWorkspaces({ ...here.options, home: `${here.home}-2`, mission: "m2", withChanges: true });
const message = (task: string, mission: string) => `${task}\n\nHarness-Task: ${task}\nHarness-Mission: ${mission}\n`;

test("V3: a task of the same name that the other finished is not taken for done", async () => {
  here = await makeCheckout({ mission: "m1" });
  const [one, two] = [here.workspaces, second()];
  for (const [mission, workspaces] of Object.entries({ m1: one, m2: two })) {
    const opening = await openSlot(workspaces, "task-1");
    await put(opening.path, `${mission}.txt`, "x\n");
    const work = { ...commitOf(opening), message: message("task-1", mission) };
    const candidate = value(await workspaces.commit(work));
    expect(value(await workspaces.merge({ candidate, task: "task-1", attempt: 1 }))).toMatchObject({ merged: true });
    value(await workspaces.close(opening.end));
  }
  const head = await here.git("rev-parse", "main");
  const last = value(await two.open({ slot: 0, task: "task-1", attempt: 2, fence: 2 }));
  expect(last).toEqual({ merged: true, commit: head });
  const first = value(await one.open({ slot: 0, task: "task-1", attempt: 2, fence: 2 }));
  expect(first).toEqual({ merged: true, commit: await here.git("rev-parse", "main~1") });
});

test("PR-3: while one is at work nobody else begins there, or brings anything into it", async () => {
  here = await makeCheckout({ mission: "m1" });
  const clones = createCloneWorkspaces({
    ...here.options,
    home: `${here.home}-3`,
    branch: "harness/m3",
    mission: "m3",
  });
  await commitAndMerge(clones, await openSlot(clones, "task-1"));
  const { end } = await openSlot(here.workspaces, "task-1");
  const before = await stateOf(here.checkout);
  const refused = {
    kind: "config",
    message: `the mission m1 is at work in the checkout ${here.checkout}`,
    remedy:
      "Let it end, with harness run in its own project, then try again. If that is gone for good: git update-ref -d refs/harness/at-work/main/m1",
  };
  const request = { slot: 0, task: "task-1", attempt: 1, fence: 1 };
  expect(await second().open(request)).toEqual({ ok: false, failure: refused });
  expect(await clones.accept({ ...wish, mission: "m3" })).toEqual({ ok: false, failure: refused });
  expect(await stateOf(here.checkout)).toEqual(before);
  value(await here.workspaces.archive(end));
  expect(value(await second().open(request))).toMatchObject({ merged: false });
});

test("PR-3: what the one lets go, the other keeps: the pin of its base and its candidate, for a task of the same name", async () => {
  here = await makeCheckout({ mission: "m1" });
  const [one, two] = ["m1", "m2"].map((mission) =>
    createCloneWorkspaces({ ...here.options, home: `${here.home}-${mission}`, branch: `harness/${mission}`, mission }),
  );
  if (one === undefined || two === undefined) throw new Error("two missions");
  const theirs = await openSlot(two, "task-1");
  await put(theirs.path, "m2.txt", "x\n");
  const kept = value(await two.commit({ ...commitOf(theirs), message: message("task-1", "m2") }));
  const ours = await openSlot(one, "task-1");
  await put(ours.path, "m1.txt", "x\n");
  const candidate = value(await one.commit({ ...commitOf(ours), message: message("task-1", "m1") }));
  value(await one.merge({ candidate, task: "task-1", attempt: 1 }));
  value(await one.close(ours.end));
  const refs = await here.git(
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    "refs/harness/base",
    "refs/harness/candidates",
  );
  expect(refs.split("\n")).toEqual([
    `${theirs.base} refs/harness/base/home-m2/task-1-1`,
    `${kept.commit} refs/harness/candidates/${kept.commit}`,
  ]);
});
