// The outer loop: while a task is ready and the limits hold, claim it. Asked again and again until it answers nothing.
//
// In this order, each a reason to do nothing further down:
//   1. no session open        → ask harness-init.sh, then open the next one, or end the run at the session limit (S1, S2)
//   2. orphans of a dead run  → adopt them, as many as there are lanes (V1 comes before picking)
//   3. the run is ending      → when nothing is under way: end
//   4. paused                 → hold
//   5. a free lane and a task → claim
//   6. nothing under way and nothing to claim → end the session or the run, with a reason
import type { Event } from "../../protocol/event.ts";
import type { RunId, TaskId } from "../../protocol/ids.ts";
import type { EndReason } from "../../protocol/view.ts";
import type { ReadonlyState } from "../state.ts";
import { statsOf } from "../stats.ts";
import { effectFor } from "./effects.ts";
import { closing, closingSession } from "./run.ts";

export function advance(state: ReadonlyState, run: RunId): readonly Event[] {
  const { mission } = state;
  if (mission === null || state.run?.id !== run) return [];
  if (state.session === null) return openSession(state, run);

  const orphans = [...state.working].filter((task) => ownerOf(state, task) !== run);
  const active = state.working.size - orphans.length;
  const free = state.run.lanes - active;
  const orphan = orphans[0];
  if (orphan !== undefined) return free > 0 ? adopt(state, run, orphan) : [];

  const { ending } = state.run;
  if (ending !== null) return active === 0 ? closing(state, run, ending.reason, ending.detail) : [];
  if (state.paused) return [];

  const task = isMissionHeld(state) ? undefined : state.ready.peek();
  const room = state.session.settled + active < mission.limits.maxTasksPerSession;
  if (task !== undefined && free > 0 && room) return claim(state, run, task);
  if (active > 0) return [];
  if (task === undefined) return closing(state, run, ...whyNothingIsLeft(state));
  // Nothing is under way and yet there is no room: this session has used its tasks.
  return endSession(state, run);
}

function openSession(state: ReadonlyState, run: RunId): readonly Event[] {
  // A fault before the session was counted: nothing is under way that could be waited for.
  const ending = state.run?.ending ?? null;
  if (ending !== null) return closing(state, run, ending.reason, ending.detail);
  const limit = state.mission?.limits.maxSessions ?? 0;
  if (state.sessions >= limit) {
    const taken: Event = { type: "stats.taken", stats: statsOf(state) };
    const isDone = state.counts.completed === state.tasks.size;
    return [taken, ...(isDone ? closing(state, run, "completed", "") : closing(state, run, "limit", usedUp(limit)))];
  }
  if (state.run?.initScript === true && !state.preparation.passed) return prepare(state, run);
  const started: Event = { type: "session.started", session: state.sessions + 1 };
  const [unjudged] = state.unjudged;
  // Said before any agent is paid for (A3); later additions are caught when they would be claimed.
  if (unjudged !== undefined && state.run?.sessions === 0) return [started, missingValidation(run, unjudged)];
  return [started];
}

/** Recovery runs validations too, so the environment is asked about before anything else. */
function prepare(state: ReadonlyState, run: RunId): readonly Event[] {
  const { effect } = state.preparation;
  const fence = state.fence + 1;
  if (effect !== null) {
    return state.pending.get(effect)?.effect.run === run ? [] : [{ type: "effect.adopted", id: effect, run, fence }];
  }
  const session = state.sessions + 1;
  const id = `session/${session}/${fence}/session.prepare`;
  return [{ type: "effect.requested", effect: { id, run, fence, kind: "session.prepare", session } }];
}

function endSession(state: ReadonlyState, run: RunId): readonly Event[] {
  const limit = state.mission?.limits.maxSessions ?? 0;
  if (state.sessions >= limit) return closing(state, run, "limit", usedUp(limit));
  return closingSession(state);
}

const usedUp = (limit: number): string => `all ${limit} sessions are used (max_sessions)`;

function claim(state: ReadonlyState, run: RunId, id: TaskId): readonly Event[] {
  const task = state.tasks.get(id);
  if (task === undefined) throw new Error(`${id} is ready but not in the plan`);
  if (task.spec.validation === null) return [missingValidation(run, id)];
  const attempt = task.claims + 1;
  const fence = state.fence + 1;
  const lane = lowestFreeLane(state);
  return [
    { type: "task.claimed", task: id, attempt, lane, fence },
    effectFor({ task: id, attempt, lane, run, fence, step: 1 }, { kind: "workspace.open" }),
  ];
}

const missingValidation = (run: RunId, task: TaskId): Event => ({
  type: "run.faulted",
  run,
  task,
  failure: {
    kind: "config",
    message: `Missing validation.command: nothing could judge ${task}`,
    remedy: `harness edit ${task} --validate CMD`,
  },
});

/** The orphan keeps its lane number, for its workspace lies there; only how many are active is bounded by the lanes. */
function adopt(state: ReadonlyState, run: RunId, task: TaskId): readonly Event[] {
  const phase = state.tasks.get(task)?.phase;
  const id = phase?.status === "in_progress" ? phase.attempt.effect : null;
  if (id === null) throw new Error(`${task} is in progress and waits for nothing`);
  return [{ type: "effect.adopted", id, run, fence: state.fence + 1 }];
}

function ownerOf(state: ReadonlyState, task: TaskId): RunId | undefined {
  const phase = state.tasks.get(task)?.phase;
  if (phase?.status !== "in_progress" || phase.attempt.effect === null) return undefined;
  return state.pending.get(phase.attempt.effect)?.effect.run;
}

function lowestFreeLane(state: ReadonlyState): number {
  const used = new Set<number>();
  for (const task of state.working) {
    const phase = state.tasks.get(task)?.phase;
    if (phase?.status === "in_progress") used.add(phase.attempt.lane);
  }
  let lane = 0;
  while (used.has(lane)) lane++;
  return lane;
}

const isMissionHeld = (state: ReadonlyState): boolean =>
  [...state.approvals.values()].some((approval) => approval.task === null);

function whyNothingIsLeft(state: ReadonlyState): [EndReason, string] {
  if (state.approvals.size > 0)
    return ["waiting", `waiting for an answer to ${[...state.approvals.keys()].join(", ")}`];
  if (state.counts.completed === state.tasks.size) return ["completed", ""];
  return ["failed", `${state.counts.failed} failed, ${state.counts.blocked} blocked`];
}
