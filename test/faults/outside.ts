// The verbs of an outside worker, and what becomes of its task after one of them was killed or met an error.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isoTime } from "../../src/kit/iso-time.ts";
import { journalFile } from "../../src/runtime/project.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { type Operation, runArgs } from "./operations.ts";
import { conduct, isPrecise, type Rehearsal } from "./rehearsal.ts";
import type { Scene } from "./scene.ts";
import type { Traced } from "./strace.ts";
import { brokenViews, eventsOf, journalFaults, mend, processesIn, projectOf, viewFaults } from "./truth.ts";

async function claimable(scene: Scene): Promise<void> {
  await scene.must("init", "--yes");
  await scene.must("add", "A", "--validate", "test -f task-001.txt");
}
async function claimed(scene: Scene): Promise<void> {
  await claimable(scene);
  doTheWork(await say(scene, "claim"));
}

export const claim: Operation = { name: "claim", args: ["claim"], prepare: claimable };
export const renew: Operation = { name: "renew", args: ["renew", "task-001"], prepare: claimed };
export const done: Operation = { name: "done", args: ["done", "task-001"], prepare: claimed };
export const checkpoint: Operation = {
  name: "checkpoint",
  args: ["checkpoint", "task-001", "--step", "1", "--total", "2", "half of it"],
  prepare: claimed,
};
export const fail: Operation = {
  name: "fail",
  args: ["fail", "task-001", "--category", "TASK_EXEC", "it cannot be done"],
  prepare: claimed,
};

interface Answer {
  readonly claimed?: boolean;
  readonly renewed?: boolean;
  readonly done?: boolean;
  readonly recorded?: boolean;
  readonly failed?: boolean;
  readonly commit?: string;
  readonly workspace?: string;
  readonly lease_expires_at?: string;
  readonly status?: string;
  readonly error?: string;
  readonly next?: string;
}

const say = async (scene: Scene, ...verb: readonly string[]): Promise<Answer> =>
  JSON.parse((await scene.must(...verb)).stdout);

const doTheWork = ({ workspace = "" }: Answer): void => writeFileSync(join(workspace, "task-001.txt"), "work\n");

const isYes = (answer: Answer | null): answer is Answer =>
  [answer?.claimed, answer?.renewed, answer?.done, answer?.recorded, answer?.failed].includes(true);

/** Null when nothing was said. */
const answerOf = ({ stdout }: Traced): Answer | null => (stdout === "" ? null : JSON.parse(stdout));

/** What is wrong with how a verb ended under an error: it says yes, or no with the cause and the next step. */
export function verbConduct(rehearsal: Rehearsal, ended: Traced): readonly string[] {
  if (ended.hung || ended.code !== 0) return conduct(rehearsal, ended);
  if (!/^\{.*\}\n$/.test(ended.stdout)) return [`not one answer: ${ended.stdout}`];
  const answer = answerOf(ended);
  if (isYes(answer)) return [];
  const { error = "", next = "" } = answer ?? {};
  return isPrecise(rehearsal.scene, error) && next !== "" ? [] : [`not precise: ${ended.stdout}`];
}

const leftFaults = async ({ scene, before }: Rehearsal): Promise<readonly string[]> => [
  ...(await journalFaults(scene, before)),
  ...brokenViews(scene).map((name) => `${name} is broken`),
];
const mendFaults = async (scene: Scene): Promise<readonly string[]> => [
  ...(await mend(scene)),
  ...(await viewFaults(scene)),
];

/** In the end the task is in, once. */
async function endFaults(scene: Scene): Promise<readonly string[]> {
  const faults: string[] = [];
  const status = JSON.parse((await scene.must("status", "--json")).stdout);
  if (status.tasks[0].status !== "completed") faults.push(`the task is ${status.tasks[0].status}`);
  const commits = scene.git("log", "--format=%s", `HEAD..${status.mission.branch}`);
  if (commits !== "task-001: A") faults.push(`merged: ${commits}`);
  return [...faults, ...(await viewFaults(scene))];
}

/** How often the attempt was charged; what a worker says of its work is a reason, an error of the machine is none. */
const chargesIn = async (scene: Scene): Promise<readonly string[]> =>
  (await eventsOf(scene)).flatMap(({ type, body }) =>
    type === "attempt.failed" && /"attempt"}/.test(body) ? [body] : [],
  );

const isPutAway = async (scene: Scene): Promise<boolean> =>
  (await scene.must("rescue", "list")).stdout.includes("task-001");

/**
 * What is wrong after a verb was killed, and after its worker said it again or gave up. A verb that lived on while its
 * git was killed may have charged the attempt; then what the worker did is put away.
 */
export async function killedAftermath(
  rehearsal: Rehearsal,
  { mayCharge }: { readonly mayCharge: boolean },
): Promise<readonly string[]> {
  const { scene, operation } = rehearsal;
  const faults = [...(await leftFaults(rehearsal)), ...(await mendFaults(scene))];
  if (operation === fail) {
    return [...faults, ...(await goOnFromFail(scene)), ...(await endFaults(scene)), ...(await chargeFaults(scene, 1))];
  }
  const again = operation === claim ? null : await say(scene, "done", "task-001");
  const isIn = again === null || again.done === true;
  const isCharged = mayCharge && again?.status === "pending";
  if (!isIn && !isCharged) faults.push(`done again answers ${JSON.stringify(again)}`);
  if (isCharged && !(await isPutAway(scene))) faults.push("the work is lost");
  if (isCharged && (await scene.harness(...runArgs)).code !== 0) faults.push("the next run fails");
  if (operation === claim) {
    // The worker is gone and its lease is not over: a person takes the task away from it.
    const reset = await scene.harness("reset", "--yes");
    const run = await scene.harness(...runArgs);
    if (run.code !== 0) faults.push(`reset → ${reset.code}, run → ${run.code} ${run.stderr.slice(-300)}`);
  }
  return [...faults, ...(await endFaults(scene))];
}

/** What is wrong with what a verb left that met an error. */
export const failedFaults = async (
  rehearsal: Rehearsal,
  ended: Traced,
  /** Ends of the leases before the verb. */
  leases: readonly string[],
): Promise<readonly string[]> => [
  ...(await unkeptWord(rehearsal, answerOf(ended), leases)),
  ...(await leftFaults(rehearsal)),
  ...processesIn(rehearsal.scene.live),
];

/** What is wrong after its worker, or the next one, went on when the cause of the error was gone. */
export async function failedAftermath({ scene, operation }: Rehearsal, ended: Traced): Promise<readonly string[]> {
  const faults = [
    ...(await mendFaults(scene)),
    ...((await goingOn[operation.name]?.(scene, answerOf(ended))) ?? [`nobody goes on from ${operation.name}`]),
    ...(await endFaults(scene)),
    ...(await chargeFaults(scene, operation === fail ? 1 : 0)),
  ];
  return [...faults, ...processesIn(scene.live)];
}

async function chargeFaults(scene: Scene, wanted: number): Promise<readonly string[]> {
  const charges = await chargesIn(scene);
  return charges.length === wanted ? [] : [`charged ${charges.length} times, not ${wanted}: ${charges}`];
}

/** What was answered with yes and is not so. */
async function unkeptWord(
  { scene, before }: Rehearsal,
  told: Answer | null,
  leases: readonly string[],
): Promise<readonly string[]> {
  if (!isYes(told)) return [];
  const types = (await eventsOf(scene)).slice(before.length).map(({ type }) => type);
  const { claimed, workspace = "", lease_expires_at: lease } = told;
  const isKept =
    (lease === undefined || (!leases.includes(lease) && (await leasesOf(scene)).includes(lease))) &&
    (!claimed || (types.includes("attempt.opened") && existsSync(join(workspace, "README.md")))) &&
    (!told.done || types.includes("task.completed")) &&
    (!told.recorded || types.includes("agent.checkpointed")) &&
    (!told.failed || types.includes("task.failed"));
  return isKept ? [] : [`it was told and is not there: ${JSON.stringify(told)}`];
}

export async function leasesOf(scene: Scene): Promise<readonly string[]> {
  const project = await projectOf(scene);
  if (project === undefined) return [];
  const store = await openSqliteStore({ path: journalFile(project), readOnly: true });
  const { leases } = await store.leases();
  await store.close();
  return leases.map(({ expiresAt }) => isoTime(expiresAt));
}

async function goOnFromClaim(scene: Scene, told: Answer | null): Promise<readonly string[]> {
  let held = isYes(told) ? told : await say(scene, "claim");
  if (!isYes(held)) {
    const { tasks } = JSON.parse((await scene.must("status", "--json")).stdout);
    // It was merged before the error; whoever claims next finds that, and there is nothing left to do.
    if (tasks[0].status === "completed") return [];
    if (tasks[0].status !== "in_progress") return [`claim again answers ${JSON.stringify(held)}`];
    // A claim that was recorded and not told: its lease is not over, so a person takes the task away.
    await scene.must("reset", "--yes");
    held = await say(scene, "claim");
  }
  return isYes(held) ? handedIn(scene, held) : [`claim after a reset answers ${JSON.stringify(held)}`];
}

async function handedIn(scene: Scene, held: Answer): Promise<readonly string[]> {
  doTheWork(held);
  const answer = await say(scene, "done", "task-001");
  return answer.done ? [] : [`done afterwards answers ${JSON.stringify(answer)}`];
}

async function goOnFromRenew(scene: Scene): Promise<readonly string[]> {
  const again = await say(scene, "renew", "task-001");
  const answer = await say(scene, "done", "task-001");
  return isYes(again) && answer.done ? [] : [`afterwards: ${JSON.stringify(again)}, ${JSON.stringify(answer)}`];
}

async function goOnFromCheckpoint(scene: Scene): Promise<readonly string[]> {
  const again = await say(scene, ...checkpoint.args);
  const answer = await say(scene, "done", "task-001");
  return isYes(again) && answer.done ? [] : [`afterwards: ${JSON.stringify(again)}, ${JSON.stringify(answer)}`];
}

/** It is failed once, however often it is said; what the worker did is put away, and the next attempt does it. */
async function goOnFromFail(scene: Scene): Promise<readonly string[]> {
  const again = await say(scene, ...fail.args);
  if (!isYes(again) || again.status !== "failed") return [`fail again answers ${JSON.stringify(again)}`];
  const faults = await goOnFromClaim(scene, null);
  return (await isPutAway(scene)) ? faults : [...faults, "the work is lost"];
}

/** A task that the machine's error took from the worker is nobody's now: the next one begins, and the work is kept. */
async function goOnFromDone(scene: Scene, told: Answer | null): Promise<readonly string[]> {
  const again = await say(scene, "done", "task-001");
  const isSameYes = again.done && (!isYes(told) || again.commit === told.commit);
  if (isSameYes) return [];
  const isSameNo = told?.status === "pending" && JSON.stringify(again) === JSON.stringify(told);
  // The first may not have lived to be told what became of it.
  const isFirstNo =
    told?.done !== true &&
    told?.status === undefined &&
    again.status === "pending" &&
    isPrecise(scene, again.error ?? "");
  if (!isSameNo && !isFirstNo) return [`done again answers ${JSON.stringify(again)}`];
  const faults = await goOnFromClaim(scene, null);
  // What could not be put away is left in its slot, and put away by whoever needs that.
  const isKept = (await mergedAttempt(scene)) === "1" || (await isPutAway(scene));
  return isKept ? faults : [...faults, "the work is lost"];
}

async function mergedAttempt(scene: Scene): Promise<string> {
  const { mission } = JSON.parse((await scene.must("status", "--json")).stdout);
  return scene.git("log", "-1", "--format=%(trailers:key=Harness-Attempt,valueonly,separator=)", mission.branch);
}

const goingOn: Readonly<Record<string, (scene: Scene, told: Answer | null) => Promise<readonly string[]>>> = {
  claim: goOnFromClaim,
  renew: goOnFromRenew,
  checkpoint: goOnFromCheckpoint,
  done: goOnFromDone,
  fail: goOnFromFail,
};
