// The verbs of an outside worker (rule L4): it claims a task, does the agent's work itself, and hands it in. What ours
// is to do – recovery, workspace, gates, merge – is done by the process of the verb, under the claim's lease.

import { filesText, othersText, otherText } from "../core/conflict-text.ts";
import type { Redactor } from "../kit/redact.ts";
import type { Effect } from "../protocol/effect.ts";
import type { EventOf, Recorded } from "../protocol/event.ts";
import { type Failure, failed, type Outcome, succeeded } from "../protocol/failure.ts";
import { isOutsideRun, outsideRunId, type RunId, type TaskId } from "../protocol/ids.ts";
import type { OutsideReport, Trust } from "../protocol/input.ts";
import type { Left } from "../protocol/left.ts";
import type { Mark } from "../protocol/task.ts";
import { Carrier } from "./carrier.ts";
import { Heartbeat, renewLease } from "./heartbeat.ts";
import { refusalIn } from "./journal.ts";
import { collectLeft } from "./performers/left.ts";
import type { Views } from "./ports.ts";
import { type Place, startRun, tick } from "./start-run.ts";

export interface OutsidePlace extends Place {
  readonly views: Views;
}

export interface ClaimRequest {
  readonly worker: string;
  readonly leaseSeconds: number;
  readonly trust: Trust;
}
export interface Claimed {
  readonly worker: string;
  readonly task: TaskId;
  readonly title: string;
  /** Shown again with every later verb. */
  readonly claim: number;
  readonly workspace: string;
  readonly base: string;
  readonly leaseExpiresAt: number;
  /** What set-up adds to the environment of whoever works there. */
  readonly env: Readonly<Record<string, string>>;
}

/** The next task, with a workspace to do it in; the failure says why there is none. */
export async function claimTask(
  place: OutsidePlace,
  { worker, leaseSeconds, trust }: ClaimRequest,
  signal: AbortSignal,
): Promise<Outcome<Claimed>> {
  const { ports, views } = place;
  await views.flush();
  const run = outsideRunId(ports.newId());
  const start = { run, lanes: 1, trust, claims: 1, leaseSeconds, leased: true, worker };
  const refused = await startRun(place, start);
  if (refused !== null) return failed(refused);
  const carrier = new Carrier({
    ...place,
    run,
    prefix: run,
    leaves: ({ kind }, adopted) => kind === "agent.run" && !adopted,
  });
  const faults: Failure[] = [];
  const listening = place.journal.onEvents((events) => {
    for (const event of events) if (event.type === "run.faulted" && event.run === run) faults.push(event.failure);
  });
  await carry(place, { run, carrier, leaseSeconds, signal, until: () => handedTo(place, run) !== null }).finally(
    listening,
  );
  const task = handedTo(place, run);
  if (task === null) {
    if (carrier.isLive()) {
      await carrier.ask({ type: "run.end", run, reason: "interrupted", detail: "the claim was cut short" }, "end");
    }
    return failed(whyNothing(place, run, faults));
  }
  await renewLease(place, run, leaseSeconds);
  await views.flush();
  return describeClaim(place, task);
}

/** The task whose agent's work waits for the worker. */
function handedTo({ journal }: Place, run: RunId): TaskId | null {
  for (const { effect, adopted } of journal.state().pending.values()) {
    if (effect.run === run && effect.kind === "agent.run" && !adopted) return effect.task;
  }
  return null;
}

/** What stood in the way comes with its remedy. */
function whyNothing({ journal }: Place, run: RunId, faults: readonly Failure[]): Failure {
  const { lastRun } = journal.state();
  const fault = faults.at(-1);
  if (fault !== undefined) return { ...fault, kind: "usage" };
  const message = lastRun?.id === run ? lastRun.detail || endings[lastRun.reason] || lastRun.reason : "nothing to do";
  return { kind: "usage", message };
}
const endings: Partial<Record<string, string>> = { completed: "all tasks are completed" };

async function describeClaim({ journal, ports }: Place, id: TaskId): Promise<Outcome<Claimed>> {
  const task = journal.state().tasks.get(id);
  const attempt = task?.phase.status === "in_progress" ? task.phase.attempt : undefined;
  const run = attempt === undefined ? undefined : journal.state().runs.get(attempt.run);
  const lease = (await ports.store.leases()).leases.find((each) => each.run === run?.id);
  if (task === undefined || attempt?.path == null || attempt.base === null || run === undefined || !lease) {
    return failed({ kind: "usage", message: `the claim on ${id} was taken away at once`, remedy: "claim again" });
  }
  const leased = await ports.lanePorts({ lane: attempt.lane, run: run.id });
  return succeeded({
    worker: run.worker ?? "",
    task: id,
    title: task.spec.title,
    claim: attempt.claim,
    workspace: attempt.path,
    base: attempt.base,
    leaseExpiresAt: lease.expiresAt,
    env: { ...ports.setup.env, ...(leased.ok ? leased.value : {}) },
  });
}

export interface Holding {
  readonly task: TaskId;
  readonly claim: number;
  readonly leaseSeconds: number;
}

/** The lease from now on. */
export async function renewClaim(
  place: OutsidePlace,
  { task, claim, leaseSeconds }: Holding,
): Promise<Outcome<number>> {
  await place.journal.catchUp();
  const held = holderOf(place, task, claim);
  if (!held.ok) return held;
  if (!(await renewLease(place, held.value, leaseSeconds))) return failed(stale(`the claim on ${task} has ended`));
  const lease = (await place.ports.store.leases()).leases.find(({ run }) => run === held.value);
  return lease === undefined ? failed(stale(`the claim on ${task} has ended`)) : succeeded(lease.expiresAt);
}

const stale = (what: string): Failure => ({ kind: "usage", message: `stale: ${what}` });

function holderOf({ journal }: Place, task: TaskId, claim: number): Outcome<RunId> {
  const state = journal.state();
  const phase = state.tasks.get(task)?.phase;
  if (phase === undefined) return failed({ kind: "usage", message: `there is no task "${task}"` });
  if (phase.status !== "in_progress") return failed(stale(`${task} is ${phase.status}`));
  const { attempt } = phase;
  if (attempt.claim !== claim) return failed(stale(`fence ${claim}, now ${attempt.claim}`));
  return state.runs.has(attempt.run) ? succeeded(attempt.run) : failed(stale(`the claim on ${task} has ended`));
}

/** Also for the agent of one of our own lanes, which has no lease to renew (A2). */
export async function markClaim(
  place: OutsidePlace,
  { task, claim, leaseSeconds }: Holding,
  mark: Omit<Mark, "at">,
): Promise<Outcome<number | null>> {
  const { journal, ports } = place;
  await journal.catchUp();
  const held = holderOf(place, task, claim);
  if (!held.ok) return held;
  const phase = journal.state().tasks.get(task)?.phase;
  const { path, base } = phase?.status === "in_progress" ? phase.attempt : { path: null, base: null };
  if (path === null || base === null) return failed(stale(`${task} has no workspace yet`));
  const seen = await ports.workspaces.inspect({ path, base });
  if (!seen.ok) return seen;
  const checkpoint = { ...mark, description: ports.redactor.redact(mark.description), tree: seen.value.tree };
  const asked = { type: "claim.checkpoint", run: held.value, task, claim, checkpoint } as const;
  const refused = refusalIn(await journal.transact(asked, ports.newId()));
  if (refused !== null) return failed(refused);
  if (!isOutsideRun(held.value)) return succeeded(null);
  return renewClaim(place, { task, claim, leaseSeconds });
}

type Settled = Recorded<EventOf<"task.completed" | "task.failed" | "task.returned">>;
export type HandedIn =
  | { readonly completed: true; readonly commit: string }
  /** `in_progress`: it is the worker's to go on with, and the claim is still theirs. */
  | { readonly completed: false; readonly status: "failed" | "pending" | "in_progress"; readonly failure: Failure };

/** Says that the work is done, or that it failed, and sees it through gates and merge – or into the archive. */
export async function handIn(
  place: OutsidePlace,
  { task, claim, leaseSeconds }: Holding,
  said:
    | { readonly type: "claim.finish"; readonly message: string }
    | { readonly type: "claim.fail"; readonly failure: Failure },
  signal: AbortSignal,
): Promise<Outcome<HandedIn>> {
  const { journal, ports, views } = place;
  await journal.catchUp();
  const answered = answeredBefore(place, said.type, { task, claim });
  if (answered !== null) return succeeded(answered);
  const held = holderOf(place, task, claim);
  if (!held.ok) return held;
  const run = held.value;
  let settled: Settled | null = null;
  let why: Failure | null = null;
  const attempt = attemptOf(place, task)?.number;
  const listening = journal.onEvents((events) => {
    for (const event of events) {
      if (!("attempt" in event) || event.task !== task || event.attempt !== attempt) continue;
      if (isSettled(event)) settled = event;
      if (event.type === "attempt.failed") why = event.failure;
    }
  });
  try {
    const asked = {
      run,
      task,
      claim,
      ...bounded(said, ports.redactor),
      left: await leftBy(place, task),
    } as OutsideReport;
    const refused = refusalIn(await journal.transact(asked, ports.newId()));
    if (refused !== null) return failed(refused);
    const fence = attemptOf(place, task)?.fence;
    // Whoever hands the same claim in again gets a new fence: from then on it is theirs to carry.
    const isMine = () => attemptOf(place, task)?.fence === fence;
    const prefix = `${run}/${ports.newId()}`;
    const leaves = ({ kind, fence: theirs }: Effect, adopted: boolean) =>
      theirs !== fence || (kind === "agent.run" && !adopted);
    const carrier = new Carrier({ ...place, run, prefix, leaves });
    const until = () => settled !== null || handedTo(place, run) === task || !isMine();
    await carry(place, { run, carrier, leaseSeconds, signal, until });
    await views.flush();
    if (settled !== null) return succeeded(outcomeOf(place, settled, why));
    const back = isMine() && handedTo(place, run) === task ? handedBack(place, task) : null;
    return back === null ? failed(stale(`${task} is in other hands now`)) : succeeded(back);
  } finally {
    listening();
  }
}

/** It handed in and the answer did not reach it: the same once more, to this very claim. Nobody fails what is completed. */
function answeredBefore(
  { journal }: Place,
  said: Said["type"],
  { task, claim }: Pick<Holding, "task" | "claim">,
): HandedIn | null {
  const { phase, handedIn } = journal.state().tasks.get(task) ?? {};
  if (handedIn == null || handedIn.claim !== claim) return null;
  if (handedIn.status !== "completed") {
    const { status, failure } = handedIn;
    return { completed: false, status, failure };
  }
  if (said === "claim.fail" || phase?.status !== "completed" || phase.commit === null) return null;
  return { completed: true, commit: phase.commit };
}

/** What it left in its workspace (I5, I7); when it hands in again, that was taken before. */
async function leftBy(place: OutsidePlace, task: TaskId): Promise<Left | undefined> {
  const { stage, path, base } = attemptOf(place, task) ?? {};
  if (stage !== "working" || path == null || base == null) return undefined;
  return collectLeft({ effect: { path, base }, ports: place.ports });
}

type Said = Parameters<typeof handIn>[2];

/** What a worker says is kept and shown: without secrets, and no longer than a failure may be. */
const bounded = (said: Said, { redact }: Redactor): Said =>
  said.type === "claim.finish"
    ? { ...said, message: redact(said.message) }
    : { ...said, failure: { ...said.failure, message: redact(said.failure.message).slice(0, 4_000) } };

function attemptOf({ journal }: Place, task: TaskId) {
  const phase = journal.state().tasks.get(task)?.phase;
  return phase?.status === "in_progress" ? phase.attempt : undefined;
}

const isSettled = (event: Recorded): event is Settled =>
  event.type === "task.completed" || event.type === "task.failed" || event.type === "task.returned";

/** A conflict: both sides are in the workspace now, for the worker to repair (G5). */
function handedBack(place: Place, task: TaskId): HandedIn | null {
  const { conflict = null, path = null } = attemptOf(place, task) ?? {};
  if (conflict === null || path === null) return null;
  const message = `${task} is in conflict with ${othersText(conflict)} over ${filesText(conflict)}`;
  const remedy = `go into ${path} again – it is another directory now –, resolve the conflict markers, then: harness done ${task}`;
  const evidence = [...conflict.files.map(({ path }) => path), ...conflict.others.map(otherText)].join("\n");
  return { completed: false, status: "in_progress", failure: { kind: "merge_conflict", message, remedy, evidence } };
}

function outcomeOf({ journal }: Place, settled: Settled, why: Failure | null): HandedIn {
  if (settled.type === "task.completed") return { completed: true, commit: settled.commit };
  const { handedIn = null, failures = [] } = journal.state().tasks.get(settled.task) ?? {};
  // It may have failed before it was handed in again: then nobody here heard why.
  const kept = handedIn === null || handedIn.status === "completed" ? undefined : handedIn.failure;
  const last = why ?? kept ?? failures.at(-1);
  return {
    completed: false,
    status: settled.type === "task.failed" ? "failed" : "pending",
    failure: last ?? { kind: "task_exec", message: `${settled.task} was not completed` },
  };
}

interface Carrying {
  readonly run: RunId;
  readonly carrier: Carrier;
  readonly leaseSeconds: number;
  readonly signal: AbortSignal;
  readonly until: () => boolean;
}

async function carry(place: OutsidePlace, { run, carrier, leaseSeconds, signal, until }: Carrying): Promise<void> {
  const over = new AbortController();
  let ticks = 0;
  const look = () => {
    ticks += 1;
    return tick(place, run, `${run}/${place.ports.newId()}/tick/${ticks}`);
  };
  const onTrouble = (error: unknown) => carrier.break(error);
  const heart = new Heartbeat(place, { run, leaseSeconds, onGone: look, onTrouble });
  const watching = carrier.watch(over.signal, look);
  const interrupt = () => carrier.wake();
  signal.addEventListener("abort", interrupt);
  try {
    while (carrier.isLive() && !until() && !signal.aborted && !carrier.isBroken) {
      carrier.dispatch();
      await carrier.nextChange();
    }
  } finally {
    signal.removeEventListener("abort", interrupt);
    heart.stop();
    over.abort();
    await carrier.stop();
    await watching;
  }
  carrier.throwIfBroken();
}
