// The outer loop: while a task is ready and the limits hold, claim it. Asked again and again until it answers nothing.
//
// In this order, each a reason to do nothing further down:
//   0. nothing more fits into the budget, and there is something to begin → end, or ask (B2)
//   1. no session open        → ask harness-init.sh, then open the next one, or end the run at the session limit (S1, S2)
//   2. orphans of a dead run  → adopt them, as many as there are lanes (V1 comes before picking)
//   3. the run is ending      → when it carries nothing, or nothing but what waits for the agent: end
//   4. paused                 → hold; its rounds lead nowhere → claim nothing more, and end (B3)
//   5. a free lane and a task → claim
//   6. it has taken all it may, or came for a batch and the agent cannot serve (--once, an outside worker) → end the batch
//   7. others are at work     → wait for what they leave
//   8. nothing under way and nothing to claim → end the session or the run, with a reason
import type { Event } from "../../protocol/event.ts";
import { isOutsideRun, type RunId } from "../../protocol/ids.ts";
import { awakeOf, roomFor } from "../room.ts";
import { areRoundsOver, whyRoundsAreOver } from "../rounds-over.ts";
import type { ReadonlyRun, ReadonlyState } from "../state.ts";
import { waitText } from "../views/wait-text.ts";
import { presentWait, waitOf } from "../waiting.ts";
import { endOfBudget, warnOfBudget } from "./budget.ts";
import { adopt, claim } from "./claim.ts";
import { closing } from "./run.ts";
import { endSession, openSession } from "./session.ts";
import { isMissionHeld, work } from "./under-way.ts";
import { whyNothingIsLeft } from "./why-ended.ts";

export function advance(state: ReadonlyState, id: RunId): readonly Event[] {
  const { mission } = state;
  const run = state.runs.get(id);
  if (mission === null || run === undefined) return [];
  const told = warnOfBudget(state);
  if (told.length > 0) return told;
  const overdrawn = endOfBudget(state, run, !state.paused && !isMissionHeld(state) && state.ready.peek() !== undefined);
  if (overdrawn.length > 0) return overdrawn;
  if (state.session === null) return isForNothing(state, run) ? nothingToTake(state, id) : openSession(state, run);

  const { own, asleep, orphan } = work(state, id);
  const wait = presentWait(state, id);
  if (asleep > 0 && asleep === own && (run.ending !== null || (wait !== undefined && run.claims !== null)))
    return run.ending === null ? leave(state, id) : closing(state, id, run.ending.reason, run.ending.detail);
  const free = run.lanes - own;
  /** It has taken what it may take; whatever else there is, is left to others. */
  const spent = run.claims === 0;
  // Who waits for room does not keep an orphan out: what that was given may be what it waits for.
  if (orphan !== undefined && !spent) return run.lanes > awakeOf(state, id) ? adopt(state, id, orphan) : [];
  if (own === 0 && run.ending !== null) return closing(state, id, run.ending.reason, run.ending.detail);
  if (own > 0 && (run.ending !== null || spent)) return [];
  if (state.paused)
    return own === 0 && run.claims !== null ? closing(state, id, "stopped", "the mission is paused") : [];

  const task = isMissionHeld(state) ? undefined : state.ready.peek();
  const room = state.session.settled + state.working.size < mission.limits.maxTasksPerSession;
  if (task !== undefined && own === 0 && wait !== undefined && run.claims !== null) return leave(state, id);
  // One task is enough to wait for the agent: the others are claimed when it serves again.
  const waits = own > 0 && waitOf(state, id)?.on === true;
  // Agents at work may leave enough for another one.
  const short = roomFor(state, id)?.kind === "later";
  const over = areRoundsOver(state, run);
  if (task !== undefined && free > 0 && room && !over && !spent && !waits && !short) return claim(state, run, task);
  if (own > 0) return [];
  if (spent && task !== undefined) return closing(state, id, "batch", "there is more to do");
  // Others are at work: what they leave may be ours to do. Who only came for one task does not wait for it.
  if (state.working.size > 0 && run.claims === null) return [];
  if (state.working.size > 0 || task === undefined || over) return nothingToTake(state, id);
  // Nothing is under way and yet there is no room: this session has used its tasks.
  return endSession(state, id);
}

/** Who came for a batch and cannot have one does not use up a session: an outside worker in vain, anyone in a pause. */
const isForNothing = (state: ReadonlyState, run: ReadonlyRun): boolean =>
  run.ending === null &&
  work(state, run.id).orphan === undefined &&
  ((isOutsideRun(run.id) && state.ready.peek() === undefined) ||
    (run.claims !== null && (state.paused || presentWait(state, run.id) !== undefined)) ||
    (!state.paused && isKeptBack(state, run)));

/** Something is ready, and there have been too many rounds to begin it (B3). */
const isKeptBack = (state: ReadonlyState, run: ReadonlyRun): boolean =>
  state.ready.peek() !== undefined && !isMissionHeld(state) && areRoundsOver(state, run);

function nothingToTake(state: ReadonlyState, run: RunId): readonly Event[] {
  if (state.paused) return closing(state, run, "stopped", "the mission is paused");
  if (presentWait(state, run) !== undefined && state.ready.peek() !== undefined) return leave(state, run);
  if (state.working.size > 0) return closing(state, run, "batch", "nothing is ready now");
  const of = state.runs.get(run);
  if (of !== undefined && isKeptBack(state, of)) return closing(state, run, "limit", whyRoundsAreOver(state));
  return closing(state, run, ...whyNothingIsLeft(state));
}

/** Waiting is no work: who came for one batch does not stay for it. */
function leave(state: ReadonlyState, run: RunId): readonly Event[] {
  const wait = presentWait(state, run);
  return closing(state, run, "batch", wait === undefined ? "there is more to do" : waitText(wait));
}
