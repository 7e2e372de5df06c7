// The verbs of an outside worker – a workspace, a gate, a merge – hit at their calls on files: saying it again, the next
// worker or the next run brings the task to the same end.
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { sampleTroubles, type Trouble } from "./errors.ts";
import { GitWatch, reachGit, tellGit } from "./git-points.ts";
import {
  checkpoint,
  claim,
  done,
  fail,
  failedAftermath,
  failedFaults,
  killedAftermath,
  leasesOf,
  renew,
  verbConduct,
} from "./outside.ts";
import { isChange, kill, type Point } from "./points.ts";
import { callsOfOthers, hitEach, newTally, tellFaults, tellTally } from "./reach.ts";
import { rehearse } from "./rehearsal.ts";
import { howMuch, type Steps, sample } from "./sample.ts";
import { cutWrite, shortWrites, stageOf, unharmed } from "./short-writes.ts";
import { requireStrace, type Traced } from "./strace.ts";

const tally = { killed: newTally(), gitKilled: newTally(), errors: newTally(), looks: newTally(), cut: newTally() };
beforeAll(requireStrace);
afterAll(() => {
  const verbs = `claim, renew, checkpoint, done and fail of an outside worker (${howMuch})`;
  recordNumbers(
    ["PR-1", "PR-5"],
    `${verbs}: kill -9 at file calls ${tellTally(tally.killed)}, at file calls of one of their gits ${tellTally(tally.gitKilled)}; each task merged once, 0 lost`,
  );
  recordNumbers(
    ["PR-5", "PR-18"],
    `${verbs}: errors at file calls that change something ${tellTally(tally.errors)}, at others ${tellTally(tally.looks)}, writes of which half is taken ${tellTally(tally.cut)}; each task merged once, no attempt charged for them, 0 lost, 0 hung`,
  );
});

for (const [operation, steps] of [
  [claim, { few: 30, many: 3 }],
  [renew, { few: 8, many: 1 }],
  [checkpoint, { few: 30, many: 2 }],
  [done, { few: 40, many: 4 }],
  [fail, { few: 60, many: 4 }],
] as const) {
  test.concurrent(`L4, PR-1, PR-5: ${operation.name}, killed at any call that changes a file, loses nothing and doubles nothing`, async () => {
    const rehearsal = await rehearse(operation);
    const points = sample(rehearsal.points.filter(isChange), steps);
    expect(points.length).toBeGreaterThan(2);
    const faultsOf = () => killedAftermath(rehearsal, { mayCharge: false });
    const faults = await hitEach(rehearsal, points.map(kill), { tally: tally.killed, faultsOf });
    rehearsal.scene.remove();
    expect(faults).toEqual([]);
  });
}

for (const operation of [claim, checkpoint, done, fail]) {
  test.concurrent(`L4, PR-5: ${operation.name}, with any of its gits killed at any call that changes a file, loses nothing and doubles nothing`, async () => {
    const rehearsal = await rehearse(operation);
    const watch = await GitWatch.create(rehearsal.scene, operation);
    const points = sample(await watch.points(), { few: 40, many: 4 });
    expect(points.length).toBeGreaterThan(0);
    const faults: string[] = [];
    for (const point of points) {
      const ended = await reachGit(watch, point);
      const found = ended === null ? ["not reached"] : await killedAftermath(rehearsal, { mayCharge: true });
      if (ended !== null) tally.gitKilled.reached += 1;
      faults.push(...tellFaults(operation.name, `killed at ${tellGit(point)}`, found));
    }
    rehearsal.scene.remove();
    expect(faults).toEqual([]);
  });
}

interface Failing {
  readonly tally: typeof tally.errors;
  readonly steps: Steps;
  readonly isMeant: (point: Point) => boolean;
}

async function failAt(operation: typeof claim, { tally, steps, isMeant }: Failing): Promise<readonly string[]> {
  const rehearsal = await rehearse(operation);
  const isShared = await callsOfOthers(rehearsal);
  const chosen = sampleTroubles(rehearsal.points.filter(isMeant), steps);
  expect(chosen.length).toBeGreaterThan(0);
  rehearsal.scene.restore();
  const leases = await leasesOf(rehearsal.scene);
  const faultsOf = async (ended: Traced) => [
    ...verbConduct(rehearsal, ended),
    ...(await failedFaults(rehearsal, ended, leases)),
  ];
  const afterwards = (ended: Traced) => failedAftermath(rehearsal, ended);
  const isQuick = (point: Point) => !isShared(point);
  const faults = await hitEach(rehearsal, chosen, { tally, faultsOf, afterwards, isQuick });
  rehearsal.scene.remove();
  return faults;
}

test.concurrent("PR-18: done says precisely no, and ends, when the streams of its check cannot be opened, looked at or read", async () => {
  const isMeant = ({ name, path }: Point) =>
    ["fcntl", "fstat", "openat", "read"].includes(name) && /\/tmp\/steady-\d+\/std(?:out|err)$/.test(path);
  expect(await failAt(done, { tally: tally.looks, steps: { few: 4, many: 1 }, isMeant })).toEqual([]);
});

test.concurrent("L3, L4, PR-18: renew does not say yes when its lease could not be synced", async () => {
  const isMeant = ({ name, path }: Point) => name === "fsync" && path.includes("/journal.db");
  expect(await failAt(renew, { tally: tally.errors, steps: { few: 1, many: 1 }, isMeant })).toEqual([]);
});

for (const [operation, changes, looks] of [
  [claim, { few: 1_400, many: 30 }, { few: 3_500, many: 100 }],
  [renew, { few: 220, many: 5 }, { few: 1_000, many: 30 }],
  [checkpoint, { few: 700, many: 20 }, { few: 2_000, many: 60 }],
  [done, { few: 1_100, many: 35 }, { few: 4_000, many: 120 }],
  [fail, { few: 1_400, many: 35 }, { few: 4_000, many: 120 }],
] as const) {
  test.concurrent(`L4, PR-5, PR-18: ${operation.name} says yes or precisely no, whatever error a call that changes a file meets, and the task is not lost, doubled or charged`, async () => {
    expect(await failAt(operation, { tally: tally.errors, steps: changes, isMeant: isChange })).toEqual([]);
  });

  test.concurrent(`L4, PR-5, PR-18: so it does, whatever error keeps ${operation.name} from looking at a file`, async () => {
    const isLook = (point: Point) => !isChange(point);
    expect(await failAt(operation, { tally: tally.looks, steps: looks, isMeant: isLook })).toEqual([]);
  });
}

for (const operation of [claim, renew, checkpoint, done, fail]) {
  test.concurrent(`L4, PR-18: ${operation.name} says yes as ever when the system takes only half of what it writes`, async () => {
    const rehearsal = await rehearse(operation);
    const chosen = await shortWrites(stageOf(rehearsal), { few: 30, many: 4 });
    expect(chosen.length).toBeGreaterThan(1);
    rehearsal.scene.restore();
    const leases = await leasesOf(rehearsal.scene);
    const perform = (trouble: Trouble) => cutWrite(stageOf(rehearsal), trouble);
    const faultsOf = async (ended: Traced) => [
      ...unharmed(ended),
      ...(/"(?:claimed|renewed|recorded|done|failed)":true/.test(ended.stdout) ? [] : [`it says ${ended.stdout}`]),
      ...(await failedFaults(rehearsal, ended, leases)),
    ];
    const afterwards = (ended: Traced) => failedAftermath(rehearsal, ended);
    const faults = await hitEach(rehearsal, chosen, { tally: tally.cut, faultsOf, afterwards, perform });
    rehearsal.scene.remove();
    expect(faults).toEqual([]);
  });
}
