// The life of a run: one process holds the mission's lanes at a time (rule L1); a dead one is replaced.
import type { Event } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/failure.ts";
import { isOutsideRun, type RunId, type TaskId } from "../../protocol/ids.ts";
import type { Gone, Report, Trust } from "../../protocol/input.ts";
import { sessionActive } from "../../protocol/lock.ts";
import type { EndReason } from "../../protocol/view.ts";
import type { ReadonlyRun, ReadonlyState } from "../state.ts";
import { statsOf } from "../stats.ts";
import { isAsleep } from "../waiting.ts";
import { setBudget } from "./budget.ts";
import { refuse, refuseWith } from "./refuse.ts";

type StartOfRun = Extract<Report, { type: "run.start" }>;

export function startRun(state: ReadonlyState, input: StartOfRun): readonly Event[] {
  if (state.mission === null) return refuse(input.type, input.run, "there is no mission here yet", "run: harness init");
  const reclaimed = reclaimedLock(state, input.removedStale);
  const events: Event[] = [];
  const { untrusted, trust, initScript, projectHash: project } = input;
  if (untrusted !== null) {
    const { hash } = untrusted;
    if (!covers(trust, hash)) return [...refuseWith(input.type, input.run, notTrusted(untrusted)), ...reclaimed];
    events.push({ type: "commands.trusted", hash, how: trust.how === "all" ? "all" : "hash", project });
  }
  const { run, owner, lanes, worker, claims, leaseSeconds, agent, gone } = input;
  const other = [...state.runs.values()].find(({ id }) => !gone.some((each) => each.run === id));
  if (other !== undefined && state.mission.concurrency === "exclusive") {
    return [...refuseWith(input.type, run, heldBy(state, other)), ...reclaimed];
  }
  if (state.mission.workspace === "in-place" && (lanes > 1 || other !== undefined)) {
    return [...refuseWith(input.type, run, other === undefined ? oneLane : heldBy(state, other)), ...reclaimed];
  }
  return [
    ...events,
    ...loseRuns(state, gone),
    ...reclaimed,
    {
      type: "run.started",
      run,
      owner,
      lanes,
      initScript,
      worker,
      claims,
      leaseSeconds,
      ...(agent !== undefined && { agent }),
    },
    ...changedSandbox(state, input),
    ...changedBarrier(state, input),
    ...setBudget(state, input.budget),
  ];
}

/** Told when it is another than it was: a log with the same words at every start would not be read. */
function changedSandbox(state: ReadonlyState, { run, sandbox }: Pick<StartOfRun, "run" | "sandbox">): readonly Event[] {
  if (sandbox === undefined || isOutsideRun(run) || sandbox === state.sandbox) return [];
  return [{ type: "sandbox.changed", run, sandbox }];
}

function changedBarrier(state: ReadonlyState, { run, barrier }: Pick<StartOfRun, "run" | "barrier">): readonly Event[] {
  if (barrier === undefined || String(barrier) === String(state.barrier)) return [];
  return [{ type: "barrier.changed", run, phases: barrier && [...barrier] }];
}

function heldBy(state: ReadonlyState, { id, owner: { pid, host }, worker }: ReadonlyRun): Failure {
  // In place there is one lane, whatever the mode.
  const mayBecomeConcurrent = state.mission?.concurrency === "exclusive" && state.mission.workspace !== "in-place";
  const several = mayBecomeConcurrent
    ? '; for several at once, when nobody is at work: "concurrency": "concurrent" in .harness/config.json'
    : "";
  if (!isOutsideRun(id)) return sessionActive(pid, `wait for it, or end process ${pid} on ${host}${several}`);
  return {
    kind: "usage",
    message: `Another harness session is active (worker ${worker})`,
    remedy: `wait until it hands in ${tasksOf(state, id)} or its lease ends, or take that away: harness reset${several}`,
  };
}

function tasksOf(state: ReadonlyState, run: RunId): string {
  const isIts = (task: TaskId): boolean => {
    const phase = state.tasks.get(task)?.phase;
    return phase?.status === "in_progress" && phase.attempt.run === run;
  };
  return [...state.working].filter(isIts).join(", ") || "what it does";
}

const oneLane: Failure = {
  kind: "config",
  message: "in place there is one lane: two agents must not work in one checkout",
  remedy: "run with --lanes 1, or in clones: --workspace clone",
};

/** Runs whose process died or whose lease ran out: their work is nobody's until it is adopted. */
export const loseRuns = (state: ReadonlyState, gone: readonly Gone[]): readonly Event[] =>
  gone.flatMap(({ run: id, how }): Event[] => {
    const run = state.runs.get(id);
    if (run === undefined) return [];
    const detail = isOutsideRun(id) ? `worker=${run.worker}` : `pid=${run.owner.pid}`;
    return [{ type: "run.ended", run: id, reason: how, detail }];
  });

/** Told once: what a lost run left is told with that run's end. */
const reclaimedLock = (state: ReadonlyState, pid: number | null): readonly Event[] =>
  pid === null || [...state.runs.values()].some(({ owner }) => owner.pid === pid)
    ? []
    : [{ type: "lock.reclaimed", pid }];

const covers = (trust: Trust, hash: string): boolean =>
  trust.how === "all" || (trust.how === "hash" && trust.hash === hash);

const notTrusted = ({ hash, what }: Untrusted): Failure => {
  const all = what.join("\n");
  const cut = all.length > longest;
  return {
    kind: "trust",
    message: `commands that came with the project were not accepted yet (hash ${hash})`,
    remedy: `read ${cut ? "all of them (harness trust show)" : "them"}, then: harness run --trust ${hash}`,
    evidence: cut ? `${all.slice(0, longest)}\n… ${all.length - longest} characters more` : all,
  };
};
const longest = 15_000;
type Untrusted = NonNullable<Extract<Report, { type: "run.start" }>["untrusted"]>;

/** The process stops, whatever the plan says. What is under way stays pending: the next run recovers it by evidence. */
export function endRun(state: ReadonlyState, input: Extract<Report, { type: "run.end" }>): readonly Event[] {
  if (!state.runs.has(input.run)) return [];
  const interrupted = [...state.working].flatMap((task): Event[] => {
    const phase = state.tasks.get(task)?.phase;
    return phase?.status === "in_progress" && phase.attempt.run === input.run && !isAsleep(phase.attempt)
      ? [{ type: "attempt.interrupted", task, attempt: phase.attempt.number }]
      : [];
  });
  const { run, failure } = input;
  const { reason, detail } = endOf(state, input);
  const fault: readonly Event[] = failure === undefined ? [] : [{ type: "run.faulted", run, task: null, failure }];
  return [...fault, ...interrupted, ...closing(state, run, reason, detail)];
}

/** Why it had to stop was decided before – but the answer to a question may have come meanwhile. */
function endOf(
  { runs, approvals }: ReadonlyState,
  { run, reason, detail, failure }: Extract<Report, { type: "run.end" }>,
): { readonly reason: EndReason; readonly detail: string } {
  const ending = runs.get(run)?.ending ?? null;
  const isDecided = ending?.now === true && reason === "stopped" && failure === undefined;
  const isAnswered = ending?.reason === "waiting" && approvals.size === 0;
  return isDecided && ending.reason !== "stopped" && !isAnswered ? ending : { reason, detail };
}

/** The session ends with the last run in it; a batch leaves it open for the next one (S2). */
export function closing(state: ReadonlyState, run: RunId, reason: EndReason, detail: string): readonly Event[] {
  const stays = reason === "batch" || [...state.runs.keys()].some((id) => id !== run);
  const counted: readonly Event[] =
    isOutsideRun(run) || state.session === null ? [] : [{ type: "stats.taken", stats: statsOf(state) }];
  return [...(stays ? counted : closingSession(state)), { type: "run.ended", run, reason, detail }];
}

export const closingSession = (state: ReadonlyState): readonly Event[] =>
  state.session === null ? [] : [{ type: "session.ended", session: state.session.number, stats: statsOf(state) }];
