// The verbs of an outside worker – a workspace, a gate, a merge – killed at their calls on files: saying it again, or
// the next run, brings the task to the same end.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { GitWatch, reachGit, tellGit } from "./git-points.ts";
import { type Operation, runArgs } from "./operations.ts";
import { isChange, kill, tell } from "./points.ts";
import { newTally, reach, tellFaults, tellTally, unreached } from "./reach.ts";
import { type Rehearsal, rehearse } from "./rehearsal.ts";
import { howMuch, sample } from "./sample.ts";
import type { Scene } from "./scene.ts";
import { requireStrace } from "./strace.ts";
import { brokenViews, journalFaults, mend, viewFaults } from "./truth.ts";

const tally = newTally();
const gits = newTally();
beforeAll(requireStrace);
afterAll(() =>
  recordNumbers(
    ["PR-1", "PR-5"],
    `claim, renew and done of an outside worker (${howMuch}): kill -9 at file calls ${tellTally(tally)}, at file calls of one of their gits ${tellTally(gits)}; each task merged once, 0 lost`,
  ),
);

async function claimable(scene: Scene): Promise<void> {
  await scene.must("init", "--yes");
  await scene.must("add", "A", "--validate", "test -f task-001.txt");
}
async function claimed(scene: Scene): Promise<void> {
  await claimable(scene);
  const { workspace } = JSON.parse((await scene.must("claim")).stdout);
  writeFileSync(join(workspace, "task-001.txt"), "work\n");
}

const claim: Operation = { name: "claim", args: ["claim"], prepare: claimable };
const renew: Operation = { name: "renew", args: ["renew", "task-001"], prepare: claimed };
const done: Operation = { name: "done", args: ["done", "task-001"], prepare: claimed };

/**
 * What is wrong after a verb was killed, and after its worker said it again or gave up. A verb that lived on while its
 * git was killed may have charged the attempt; then what the worker did is put away.
 */
async function aftermath(
  { scene, before, operation }: Rehearsal,
  { mayCharge }: { readonly mayCharge: boolean },
): Promise<readonly string[]> {
  const faults = [...(await journalFaults(scene, before)), ...brokenViews(scene).map((name) => `${name} is broken`)];
  faults.push(...(await mend(scene)), ...(await viewFaults(scene)));
  const again = operation === claim ? null : JSON.parse((await scene.must("done", "task-001")).stdout);
  const isIn = again === null || again.done === true || again.error === "stale: task-001 is completed";
  const isCharged = mayCharge && again?.error === "stale: task-001 is pending";
  if (!isIn && !isCharged) faults.push(`done again answers ${JSON.stringify(again)}`);
  if (isCharged && !(await scene.must("rescue", "list")).stdout.includes("task-001")) faults.push("the work is lost");
  if (isCharged && (await scene.harness(...runArgs)).code !== 0) faults.push("the next run fails");
  if (operation === claim) {
    // The worker is gone and its lease is not over: a person takes the task away from it.
    const reset = await scene.harness("reset", "--yes");
    const run = await scene.harness(...runArgs);
    if (run.code !== 0) faults.push(`reset → ${reset.code}, run → ${run.code} ${run.stderr.slice(-300)}`);
  }
  const status = JSON.parse((await scene.must("status", "--json")).stdout);
  if (status.tasks[0].status !== "completed") faults.push(`the task is ${status.tasks[0].status}`);
  const commits = scene.git("log", "--format=%s", `HEAD..${status.mission.branch}`);
  if (commits !== "task-001: A") faults.push(`merged: ${commits}`);
  return [...faults, ...(await viewFaults(scene))];
}

for (const [operation, steps] of [
  [claim, { few: 30, many: 3 }],
  [renew, { few: 8, many: 1 }],
  [done, { few: 40, many: 4 }],
] as const) {
  test.concurrent(`L4, PR-1, PR-5: ${operation.name}, killed at any call that changes a file, loses nothing and doubles nothing`, async () => {
    const rehearsal = await rehearse(operation);
    const points = sample(rehearsal.points.filter(isChange), steps);
    expect(points.length).toBeGreaterThan(2);
    const faults: string[] = [];
    for (const point of points) {
      const ended = await reach(rehearsal, kill(point));
      const found = ended === null ? unreached(tally, point) : await aftermath(rehearsal, { mayCharge: false });
      if (ended !== null) tally.reached += 1;
      faults.push(...tellFaults(operation.name, `killed at ${tell(point, rehearsal.scene.live)}`, found));
    }
    rehearsal.scene.remove();
    expect(faults).toEqual([]);
  });
}

for (const operation of [claim, done]) {
  test.concurrent(`L4, PR-5: ${operation.name}, with any of its gits killed at any call that changes a file, loses nothing and doubles nothing`, async () => {
    const rehearsal = await rehearse(operation);
    const watch = await GitWatch.create(rehearsal.scene, operation);
    const points = sample(await watch.points(), { few: 40, many: 4 });
    expect(points.length).toBeGreaterThan(0);
    const faults: string[] = [];
    for (const point of points) {
      const ended = await reachGit(watch, point);
      const found = ended === null ? ["not reached"] : await aftermath(rehearsal, { mayCharge: true });
      if (ended !== null) gits.reached += 1;
      faults.push(...tellFaults(operation.name, `killed at ${tellGit(point)}`, found));
    }
    rehearsal.scene.remove();
    expect(faults).toEqual([]);
  });
}
