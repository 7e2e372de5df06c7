// The outer loop: while a task is ready and the limits hold, claim it. Asked again and again until it answers nothing.
//
// In this order, each a reason to do nothing further down:
//   1. no session open        → ask harness-init.sh, then open the next one, or end the run at the session limit (S1, S2)
//   2. orphans of a dead run  → adopt them, as many as there are lanes (V1 comes before picking)
//   3. the run is ending      → when it carries nothing: end
//   4. paused                 → hold
//   5. a free lane and a task → claim
//   6. it has taken all it may (--once, an outside worker) → end the batch
//   7. others are at work     → wait for what they leave
//   8. nothing under way and nothing to claim → end the session or the run, with a reason
import type { Event } from "../../protocol/event.ts";
import { isOutsideRun, type RunId, type TaskId } from "../../protocol/ids.ts";
import type { EndReason } from "../../protocol/view.ts";
import type { ReadonlyRun, ReadonlyState } from "../state.ts";
import { effectFor } from "./effects.ts";
import { closing } from "./run.ts";
import { endSession, missingValidation, openSession } from "./session.ts";

export function advance(state: ReadonlyState, id: RunId): readonly Event[] {
  const { mission } = state;
  const run = state.runs.get(id);
  if (mission === null || run === undefined) return [];
  if (state.session === null) return isForNothing(state, run) ? nothingToTake(state, id) : openSession(state, run);

  const { own, orphan } = work(state, id);
  const free = run.lanes - own;
  /** It has taken what it may take; whatever else there is, is left to others. */
  const spent = run.claims === 0;
  if (orphan !== undefined && !spent) return free > 0 ? adopt(state, id, orphan) : [];
  if (own === 0 && run.ending !== null) return closing(state, id, run.ending.reason, run.ending.detail);
  if (own > 0 && (run.ending !== null || spent)) return [];
  if (state.paused)
    return own === 0 && run.claims !== null ? closing(state, id, "stopped", "the mission is paused") : [];

  const task = isMissionHeld(state) ? undefined : state.ready.peek();
  const room = state.session.settled + state.working.size < mission.limits.maxTasksPerSession;
  if (task !== undefined && free > 0 && room && !spent) return claim(state, run, task);
  if (own > 0) return [];
  if (spent && task !== undefined) return closing(state, id, "batch", "there is more to do");
  // Others are at work: what they leave may be ours to do. Who only came for one task does not wait for it.
  if (state.working.size > 0 && run.claims === null) return [];
  if (state.working.size > 0 || task === undefined) return nothingToTake(state, id);
  // Nothing is under way and yet there is no room: this session has used its tasks.
  return endSession(state, id);
}

/** Who came for a batch and cannot have one does not use up a session: an outside worker in vain, anyone in a pause. */
const isForNothing = (state: ReadonlyState, { id, ending, claims }: ReadonlyRun): boolean =>
  ending === null &&
  work(state, id).orphan === undefined &&
  ((isOutsideRun(id) && state.ready.peek() === undefined) || (claims !== null && state.paused));

function nothingToTake(state: ReadonlyState, run: RunId): readonly Event[] {
  if (state.paused) return closing(state, run, "stopped", "the mission is paused");
  if (state.working.size > 0) return closing(state, run, "batch", "nothing is ready now");
  return closing(state, run, ...whyNothingIsLeft(state));
}

/** How many attempts the run carries, and one that nobody carries any more. */
function work(state: ReadonlyState, run: RunId): { own: number; orphan: TaskId | undefined } {
  let own = 0;
  let orphan: TaskId | undefined;
  for (const task of state.working) {
    const owner = ownerOf(state, task);
    if (owner === run) own += 1;
    else if (owner === undefined || !state.runs.has(owner)) orphan ??= task;
  }
  return { own, orphan };
}

function claim(state: ReadonlyState, { id: run }: ReadonlyRun, id: TaskId): readonly Event[] {
  const task = state.tasks.get(id);
  if (task === undefined) throw new Error(`${id} is ready but not in the plan`);
  if (task.spec.validation === null) return [missingValidation(run, id)];
  const attempt = task.claims + 1;
  const fence = state.fence + 1;
  const lane = lowestFreeLane(state);
  return [
    { type: "task.claimed", task: id, attempt, lane, fence },
    effectFor(
      { task: id, attempt, lane, run, fence, step: 1 },
      {
        kind: "workspace.open",
        resume: task.spec.kind === "feature" ? task.lastCandidate : null,
      },
    ),
  ];
}

/** The orphan keeps its lane number, for its workspace lies there; only how many are active is bounded by the lanes. */
function adopt(state: ReadonlyState, run: RunId, task: TaskId): readonly Event[] {
  const phase = state.tasks.get(task)?.phase;
  const id = phase?.status === "in_progress" ? phase.attempt.effect : null;
  if (id === null) throw new Error(`${task} is in progress and waits for nothing`);
  return [{ type: "effect.adopted", id, run, fence: state.fence + 1 }];
}

function ownerOf(state: ReadonlyState, task: TaskId): RunId | undefined {
  const phase = state.tasks.get(task)?.phase;
  return phase?.status === "in_progress" ? phase.attempt.run : undefined;
}

function lowestFreeLane(state: ReadonlyState): number {
  const used = new Set<number>();
  for (const task of state.working) {
    const phase = state.tasks.get(task)?.phase;
    if (phase?.status === "in_progress") used.add(phase.attempt.lane);
  }
  let lane = 0;
  while (used.has(lane) || state.retiredLanes.has(lane)) lane++;
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
