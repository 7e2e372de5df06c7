// A whole run – clones, an agent, a gate, a merge – hit at its calls on files: the next run brings it to the same end.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noSession } from "../../src/core/views/session-count.ts";
import { createTimeline } from "../../src/core/views/timeline.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { recordNumbers } from "../numbers.ts";
import { sampleTroubles, type Trouble, troubleOf } from "./errors.ts";
import { GitWatch, reachGit, tellGit } from "./git-points.ts";
import { type Operation, sharedRun, wholeRun } from "./operations.ts";
import { isChange, kill, type Point } from "./points.ts";
import { callsOfOthers, hitEach, newTally, reach, tellFaults, tellTally } from "./reach.ts";
import { conduct, type Rehearsal, rehearse } from "./rehearsal.ts";
import { howMuch, sample } from "./sample.ts";
import { cutWrite, shortWrites, stageOf, unharmed } from "./short-writes.ts";
import { requireStrace, type Traced } from "./strace.ts";
import { brokenViews, eventsOf, journalFaults, mend, processesIn, viewFaults } from "./truth.ts";

const tally = { killed: newTally(), gitKilled: newTally(), errors: newTally(), cut: newTally() };

beforeAll(requireStrace);
afterAll(() => {
  recordNumbers(
    ["PR-1", "PR-2", "PR-5", "PR-18"],
    `a whole run, exclusive and concurrent, hit at file calls (${howMuch}): kill -9 of the run ${tellTally(tally.killed)}, of one of its gits ${tellTally(tally.gitKilled)}, errors ${tellTally(tally.errors)}, writes of which half is taken ${tellTally(tally.cut)}; each task merged once, 0 lost`,
  );
});

/** Everything that is wrong with what a run left, however it ended. */
async function leftFaults({ scene, before }: Rehearsal, ended: Traced): Promise<readonly string[]> {
  const faults = [...(await journalFaults(scene, before)), ...brokenViews(scene).map((name) => `${name} is broken`)];
  if (ended.hung) faults.push("hung");
  const log = await logOf(scene);
  // What is printed is acknowledged; the last line may be cut.
  const printed = ended.stdout.split("\n").slice(0, -1);
  for (const line of printed) if (!log.includes(line)) faults.push(`it was told and is not there: ${line}`);
  return faults;
}

/** Everything that is wrong after the next run. */
async function nextFaults({ scene }: Rehearsal): Promise<readonly string[]> {
  const faults = [...(await mend(scene)), ...(await viewFaults(scene))];
  const again = await scene.harness(...wholeRun.args);
  if (again.code !== 0) faults.push(`the next run → ${again.code} ${again.stderr.slice(-300)}`);
  const status = JSON.parse((await scene.harness("status", "--json")).stdout);
  const made = scene.git("for-each-ref", "--format=%(refname)", `refs/heads/${status.mission.branch}`) !== "";
  const commits = made ? scene.git("log", "--format=%s", `HEAD..${status.mission.branch}`) : "no branch";
  if (commits !== "task-001: A") faults.push(`merged: ${commits}`);
  if (status.tasks[0].status !== "completed") faults.push(`the task is ${status.tasks[0].status}`);
  return [...faults, ...(await viewFaults(scene)), ...processesIn(scene.live)];
}

async function logOf(scene: Rehearsal["scene"]): Promise<readonly string[]> {
  const lineOf = createTimeline({ titleOf: () => "A", from: noSession });
  return (await eventsOf(scene)).flatMap((event) => lineOf(decodeEvent(event))?.text ?? []);
}

for (const [operation, few] of [
  [wholeRun, 240],
  [sharedRun, 360],
] as const) {
  test.concurrent(`L2, PR-1, PR-2, PR-5: a ${operation.name} killed at any call that changes a file is continued by the next`, async () => {
    const rehearsal = await rehearse(operation);
    const points = sample(rehearsal.points.filter(isChange), { few, many: 4 });
    expect(points.length).toBeGreaterThan(1);
    const faultsOf = (ended: Traced) => leftFaults(rehearsal, ended);
    const afterwards = () => nextFaults(rehearsal);
    const faults = await hitEach(rehearsal, points.map(kill), { tally: tally.killed, faultsOf, afterwards });
    rehearsal.scene.remove();
    expect(faults).toEqual([]);
  });
}

test.concurrent("PR-5: any git of a run killed at any call that changes a file costs at most the attempt", async () => {
  const rehearsal = await rehearse(wholeRun);
  const { scene } = rehearsal;
  const watch = await GitWatch.create(scene, wholeRun);
  const points = sample(await watch.points(), { few: 120, many: 4 });
  expect(points.length).toBeGreaterThan(1);
  const faults: string[] = [];
  for (const point of points) {
    const ended = await reachGit(watch, point);
    const found =
      ended === null ? ["not reached"] : [...(await leftFaults(rehearsal, ended)), ...(await nextFaults(rehearsal))];
    if (ended !== null) tally.gitKilled.reached += 1;
    faults.push(...tellFaults("run", `killed at ${tellGit(point)}`, found));
  }
  scene.remove();
  expect(faults).toEqual([]);
});
async function failAt(
  operation: Operation,
  isMeant: (point: Point) => boolean,
  choose: (points: readonly Point[]) => readonly Trouble[],
): Promise<readonly string[]> {
  const rehearsal = await rehearse(operation);
  const isShared = await callsOfOthers(rehearsal);
  const chosen = choose(rehearsal.points.filter((point) => isChange(point) && isMeant(point)));
  expect(chosen.length).toBeGreaterThan(1);
  const faultsOf = async (ended: Traced) => [
    ...conduct(rehearsal, { ...ended, stdout: "" }),
    ...(await leftFaults(rehearsal, ended)),
  ];
  const afterwards = () => nextFaults(rehearsal);
  const isQuick = (point: Point) => !isShared(point);
  const faults = await hitEach(rehearsal, chosen, { tally: tally.errors, faultsOf, afterwards, isQuick });
  rehearsal.scene.remove();
  return faults;
}

for (const [operation, few] of [
  [wholeRun, 1_400],
  [sharedRun, 2_400],
] as const) {
  test.concurrent(`L2, PR-18: a ${operation.name} stops precisely or goes on, whatever error its file calls meet`, async () => {
    const choose = (points: readonly Point[]) => sampleTroubles(points, { few, many: 20 });
    expect(await failAt(operation, () => true, choose)).toEqual([]);
  });
}

test.concurrent("PR-1, PR-5: a merge that a kill kept from being synced is recorded only when the branch is on the disk", async () => {
  const rehearsal = await rehearse(wholeRun);
  const { scene } = rehearsal;
  const folder = join(scene.root, ".git/refs/heads/harness");
  // The first is that of the new branch.
  const syncs = rehearsal.points.filter(({ name, path }) => name === "fsync" && path === folder);
  const last = syncs.at(-1);
  if (last === undefined || syncs.length < 2) throw new Error("a run does not sync the folder of its branch twice");
  const killed = await reach(rehearsal, kill(last), { onlyItself: true });
  const next = await scene.traced(wholeRun.args, { calls: ["fsync"], onlyItself: true });
  const merged = scene.git("log", "--format=%s", "--glob=refs/heads/harness", "--not", "HEAD");
  const synced = next.calls.map(({ path }) => path);
  scene.remove();
  expect([killed?.signal, next.code, merged]).toEqual(["SIGKILL", 0, "task-001: A"]);
  expect(synced).toContain(folder);
});

test.concurrent("PR-18: a run whose temporary folders cannot be removed does not hang", async () => {
  const isFolder = ({ name, path }: Point) => name === "rmdir" && path.includes("/live/tmp/");
  const choose = (points: readonly Point[]) => points.flatMap((point) => troubleOf(point, "EIO"));
  expect(await failAt(wholeRun, isFolder, choose)).toEqual([]);
});

test.concurrent("PR-18: a run ends as ever when the system takes only half of what it writes", async () => {
  const rehearsal = await rehearse(wholeRun);
  const chosen = await shortWrites(stageOf(rehearsal), { few: 120, many: 6 });
  expect(chosen.length).toBeGreaterThan(1);
  const perform = (trouble: Trouble) => cutWrite(stageOf(rehearsal), trouble);
  const faultsOf = async (ended: Traced) => [...unharmed(ended), ...(await leftFaults(rehearsal, ended))];
  const afterwards = () => nextFaults(rehearsal);
  const faults = await hitEach(rehearsal, chosen, { tally: tally.cut, faultsOf, afterwards, perform });
  rehearsal.scene.remove();
  expect(faults).toEqual([]);
});
