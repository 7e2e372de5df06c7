// The state as people are shown it; every surface prints this one projection (PR-22).
import type { ProcessIdentity } from "../../protocol/agent.ts";
import { categoryOf } from "../../protocol/failure.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
import type { StatusView, TaskLine } from "../../protocol/view.ts";
import { phaseAwaited } from "../barrier.ts";
import { phaseOf } from "../judging.ts";
import { naturalKey } from "../ready-heap.ts";
import { roundsOverIn } from "../rounds-over.ts";
import type { ReadonlyState, ReadonlyTask } from "../state.ts";
import { statsOf } from "../stats.ts";
import { budgetView } from "./budget.ts";
import { forecastOf } from "./forecast.ts";
import { usedView } from "./used.ts";

export function statusView(state: ReadonlyState): StatusView | null {
  if (state.mission === null) return null;
  const runs = [...state.runs.values()];
  return {
    mission: {
      id: state.mission.id,
      branch: state.mission.branch,
      state: state.paused
        ? "paused"
        : runs.length === 0
          ? "idle"
          : runs.some(({ ending }) => ending === null)
            ? "running"
            : "stopping",
    },
    stats: statsOf(state),
    used: usedView(state.used),
    budget: state.ledger === null ? null : budgetView(state.ledger),
    forecast: forecastOf(state),
    roundsOver: roundsOverIn(state),
    sessions: state.sessions,
    lastSessionAt: state.lastSessionAt,
    lanes: runs.reduce((lanes, run) => lanes + run.lanes, 0),
    sandbox: state.sandbox,
    finished: finishedOf(state),
    waits: [...state.waits.values()]
      .filter(({ on }) => on)
      .map(({ agent, kind, message, until, quiet }) => ({ agent, kind, message, until, ...(quiet && { quiet }) })),
    waitingFor: [...state.approvals.values()].map(({ name, question, task }) => ({ name, question, task })),
    tasks: [...state.tasks.values()]
      .map((task) => ({ task, key: naturalKey(task.spec.id) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ task }) => taskLine(task, state)),
  };
}

/**
 * What was completed before we knew it has no commit of ours, and waits for nobody, nor does what was dropped; in place it
 * is in the user's branch.
 */
function finishedOf(state: ReadonlyState): StatusView["finished"] {
  const finished = { accepted: 0, waiting: 0 };
  const inPlace = state.mission?.workspace === "in-place";
  for (const { phase, accepted, dropped } of state.tasks.values()) {
    const isOurs = phase.status === "completed" && phase.commit !== null;
    if (accepted !== null || (isOurs && inPlace)) finished.accepted += 1;
    else if (isOurs && dropped === null) finished.waiting += 1;
  }
  return finished;
}

/** The processes that carry the mission now, as far as the journal knows: they may be gone. */
export const runOwners = (state: ReadonlyState): readonly ProcessIdentity[] =>
  [...state.runs.values()].filter(({ id }) => !isOutsideRun(id)).map(({ owner }) => owner);

function phaseShown(task: ReadonlyTask): TaskLine["loopPhase"] {
  const present = task.phase.status === "completed" ? null : phaseOf(task);
  return present && { name: present.phase.name, number: present.number, of: present.of };
}

export function taskLine(task: ReadonlyTask, state: ReadonlyState): TaskLine {
  const { phase, spec } = task;
  const awaited = phase.status === "pending" ? phaseAwaited(state, spec.phase) : null;
  const working = phase.status === "in_progress" ? phase.attempt : null;
  const last = task.failures.at(-1);
  return {
    id: spec.id,
    kind: spec.kind,
    phase: spec.phase,
    title: spec.title,
    outputs: spec.outputs ?? [],
    status: phase.status,
    stage: working?.stage ?? null,
    lane: working?.lane ?? null,
    loopPhase: phaseShown(task),
    attempts: task.attempts,
    maxAttempts: spec.maxAttempts,
    since: working?.startedAt ?? null,
    commit: phase.status === "completed" ? phase.commit : null,
    ...(phase.status === "completed" && phase.unverified && { unverified: true as const }),
    accepted: task.accepted !== null,
    dropped: task.dropped !== null,
    lastError:
      phase.status === "blocked"
        ? `[DEPENDENCY] Blocked by failed ${phase.by}`
        : last === undefined || phase.status === "completed"
          ? null
          : `[${categoryOf(last.kind)}] ${last.message}`,
    used: usedView(task.used),
    agent: task.agent,
    notes: task.notes.slice(-3).map(({ text }) => text),
    ...(awaited !== null && { waitsForPhase: awaited }),
  };
}
