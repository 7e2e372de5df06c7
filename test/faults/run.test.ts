// A whole run – clones, an agent, a gate, a merge – hit at its calls on files: the next run brings it to the same end.
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noSession } from "../../src/core/views/session-count.ts";
import { createTimeline } from "../../src/core/views/timeline.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { recordNumbers } from "../numbers.ts";
import { type Trouble, troublesOf } from "./errors.ts";
import { wholeRun } from "./operations.ts";
import { fileCalls, isChange, type Point, pointsIn, tell } from "./points.ts";
import { conduct, hit, type Rehearsal, rehearse } from "./rehearsal.ts";
import { howMuch, sample } from "./sample.ts";
import { requireStrace, type Traced } from "./strace.ts";
import { brokenViews, eventsOf, journalFaults, mend, viewFaults } from "./truth.ts";

const total = { killed: 0, gitKilled: 0, errors: 0, tried: 0, gitTried: 0, errorsTried: 0 };

beforeAll(requireStrace);
afterAll(() => {
  recordNumbers(
    ["PR-1", "PR-2", "PR-5", "PR-18"],
    `a whole run hit at file calls (${howMuch}): ${total.killed} of ${total.tried} kill -9 of the run reached, ${total.gitKilled} of ${total.gitTried} of one of its gits, ${total.errors} of ${total.errorsTried} errors; each task merged once, 0 lost`,
  );
});

/** Names that hold a moment, a process or a commit are others in each run. */
const isSteady = ({ path }: Point): boolean => !/\/trash\/|[0-9a-f]{38}|tmp_\w+|\/t[A-Za-z0-9]{6}$/.test(path);

/** Everything that is wrong after a run ended in whatever way, and after the next one. */
async function runAftermath({ scene, before }: Rehearsal, ended: Traced): Promise<readonly string[]> {
  const faults = [...(await journalFaults(scene, before)), ...brokenViews(scene).map((name) => `${name} is broken`)];
  if (ended.hung) faults.push("hung");
  const log = await logOf(scene);
  // What is printed is acknowledged; the last line may be cut.
  const printed = ended.stdout.split("\n").slice(0, -1);
  for (const line of printed) if (!log.includes(line)) faults.push(`it was told and is not there: ${line}`);
  faults.push(...(await mend(scene)), ...(await viewFaults(scene)));
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

const processesIn = (place: string): readonly string[] =>
  execFileSync("ps", ["-eo", "args="], { encoding: "utf8" })
    .split("\n")
    .filter((args) => args.includes(place) && !args.startsWith("strace "))
    .map((args) => `left running: ${args}`);

async function sweep(
  rehearsal: Rehearsal,
  troubles: readonly Trouble[],
  { onHit, judge = () => [], onlyItself = true }: SweepOptions,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { point, what, inject } of troubles) {
    const ended = await hit(rehearsal, point, inject, { onlyItself });
    if (ended.hits > 0) onHit();
    for (const fault of [...judge(ended), ...(await runAftermath(rehearsal, ended))]) {
      faults.push(`${what} at ${tell(point, rehearsal.scene.live)}: ${fault}`);
      // At once: a long sweep takes long.
      console.error("run", faults.at(-1));
    }
  }
  rehearsal.scene.remove();
  return faults;
}

interface SweepOptions {
  readonly onHit: () => void;
  /** What is wrong with how it ended. */
  readonly judge?: (ended: Traced) => readonly string[];
  readonly onlyItself?: boolean;
}

const kill = (point: Point): Trouble => ({ point, what: "killed", inject: `signal=KILL:when=${point.nth}` });
/** Threads overtake each other, so some points are not there in every run. */
const enough = (chosen: readonly unknown[]): number => Math.floor(chosen.length / 2);

test.concurrent("PR-1, PR-2, PR-5: a run killed at any call that changes a file is continued by the next", async () => {
  const rehearsal = await rehearse(wholeRun);
  const points = sample(rehearsal.points.filter(isChange).filter(isSteady), { few: 240, many: 4 });
  total.tried = points.length;
  const onHit = () => {
    total.killed += 1;
  };
  expect(await sweep(rehearsal, points.map(kill), { onHit })).toEqual([]);
  expect(total.killed).toBeGreaterThanOrEqual(enough(points));
});

test.concurrent("PR-5: a git of a run killed at any call that changes a file costs at most the attempt", async () => {
  const rehearsal = await rehearse(wholeRun);
  const { scene } = rehearsal;
  const own = new Set(rehearsal.points.map(({ path }) => path));
  scene.restore();
  const everybody = await scene.traced(wholeRun.args, { calls: fileCalls });
  // The agent's own writes are no git's: it would be killed at them in every attempt.
  const isGits = ({ path }: Point) => !own.has(path) && !/\/lanes\/\d+\/work\/(?!\.git\/)/.test(path);
  const points = pointsIn(everybody.calls, scene.live).filter(isGits);
  const chosen = sample(points.filter(isChange).filter(isSteady), { few: 40, many: 1 });
  total.gitTried = chosen.length;
  const onHit = () => {
    total.gitKilled += 1;
  };
  expect(await sweep(rehearsal, chosen.map(kill), { onHit, onlyItself: false })).toEqual([]);
  expect(total.gitKilled).toBeGreaterThanOrEqual(enough(chosen));
});

test.concurrent("PR-18: a run stops precisely or goes on, whatever error its file calls meet", async () => {
  const rehearsal = await rehearse(wholeRun);
  const troubles = rehearsal.points.filter(isChange).filter(isSteady).flatMap(troublesOf);
  const chosen = sample(troubles, { few: 2_000, many: 30 });
  total.errorsTried = chosen.length;
  const onHit = () => {
    total.errors += 1;
  };
  const judge = (ended: Traced) => conduct(rehearsal, { ...ended, stdout: "" });
  expect(await sweep(rehearsal, chosen, { onHit, judge })).toEqual([]);
  expect(total.errors).toBeGreaterThanOrEqual(enough(chosen));
});
