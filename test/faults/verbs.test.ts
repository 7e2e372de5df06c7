// The verbs of an outside worker – a workspace, a gate, a merge – killed at their calls on files: saying it again, or
// the next run, brings the task to the same end.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { type Operation, runArgs } from "./operations.ts";
import { isChange, type Point, tell } from "./points.ts";
import { hit, type Rehearsal, rehearse } from "./rehearsal.ts";
import { howMuch, sample } from "./sample.ts";
import type { Scene } from "./scene.ts";
import { requireStrace } from "./strace.ts";
import { brokenViews, journalFaults, mend, viewFaults } from "./truth.ts";

let killed = 0;
let tried = 0;
beforeAll(requireStrace);
afterAll(() =>
  recordNumbers(
    ["PR-1", "PR-5"],
    `claim, renew and done of an outside worker (${howMuch}): ${killed} of ${tried} kill -9 at file calls reached; each task merged once, 0 lost`,
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

/** Names that hold a moment, a process or a commit are others in each run. */
const isSteady = ({ path }: Point): boolean => !/\/trash\/|[0-9a-f]{38}|tmp_\w+|\/t[A-Za-z0-9]{6}$/.test(path);

/** What is wrong after a verb was killed, and after its worker said it again or gave up. */
async function aftermath({ scene, before, operation }: Rehearsal): Promise<readonly string[]> {
  const faults = [...(await journalFaults(scene, before)), ...brokenViews(scene).map((name) => `${name} is broken`)];
  faults.push(...(await mend(scene)), ...(await viewFaults(scene)));
  const again = operation === claim ? null : JSON.parse((await scene.must("done", "task-001")).stdout);
  const isIn = again === null || again.done === true || /^stale: task-001 is completed$/.test(again.error);
  if (!isIn) faults.push(`done again answers ${JSON.stringify(again)}`);
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
    const points = sample(rehearsal.points.filter(isChange).filter(isSteady), steps);
    const faults: string[] = [];
    let hits = 0;
    for (const point of points) {
      const ended = await hit(rehearsal, point, `signal=KILL:when=${point.nth}`);
      if (ended.hits > 0) hits += 1;
      for (const fault of await aftermath(rehearsal)) {
        faults.push(`killed at ${tell(point, rehearsal.scene.live)}: ${fault}`);
        console.error(operation.name, faults.at(-1));
      }
    }
    rehearsal.scene.remove();
    killed += hits;
    tried += points.length;
    expect(faults).toEqual([]);
    // Threads overtake each other, so some points are not there every time.
    expect(hits).toBeGreaterThanOrEqual(Math.floor(points.length / 2));
    expect(points.length).toBeGreaterThan(2);
  });
}
