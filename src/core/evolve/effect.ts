// Facts about effects: asked for, taken over, answered.
import type { AttemptEffect } from "../../protocol/effect.ts";
import type { EventOf } from "../../protocol/event.ts";
import { isOutsideRun, type TaskId } from "../../protocol/ids.ts";
import type { Attempt, Stage } from "../attempt-state.ts";
import { plus } from "../ledger.ts";
import type { State } from "../state.ts";
import { attemptOf } from "./attempt.ts";
import { taskOf } from "./plan-index.ts";
import { agentLost, agentStarted, countForRun, type Tally } from "./used.ts";

type EffectEvent = EventOf<"effect.requested" | "effect.adopted" | "effect.answered" | "process.started">;

const stageOf: Record<AttemptEffect["kind"], Stage> = {
  "workspace.open": "opening",
  "agent.run": "working",
  "agent.wait": "waiting",
  "budget.wait": "waiting",
  "workspace.commit": "committing",
  "workspace.rebase": "rebasing",
  "gate.check": "validating",
  "workspace.merge": "merging",
  "workspace.archive": "archiving",
  "cleanup.run": "cleaning",
};

export function evolveEffect(state: State, event: EffectEvent): void {
  if (event.type === "effect.requested") {
    const { effect } = event;
    state.pending.set(effect.id, { effect, processes: [], adopted: false });
    state.fence = Math.max(state.fence, effect.fence);
    if (effect.kind === "session.prepare") {
      state.preparation.effect = effect.id;
      return;
    }
    const attempt = attemptOf(state, effect.task);
    // The attempt goes on without the end of its iteration: its agent was lost, and with it what it could have told.
    if (attempt.untold) {
      agentLost(tallies(state, effect.task), attempt);
      countForRun(state.runs.get(effect.run)?.used, undefined);
    }
    attempt.effect = effect.id;
    attempt.run = effect.run;
    attempt.steps += 1;
    attempt.stage = stageOf[effect.kind];
    // What begins from nothing begins with the first phase.
    if (effect.kind === "workspace.open" && effect.resume === null) taskOf(state, effect.task).phasesPassed = 0;
    if (effect.kind === "agent.run") {
      countIteration(state, attempt, effect);
      // It is the worker's again: to be repaired, or to go on with.
      attempt.handedIn = null;
    }
    if (effect.kind === "agent.run" && effect.reserved !== undefined && state.ledger !== null)
      state.ledger = { ...state.ledger, reserved: plus(state.ledger.reserved, effect.reserved) };
    if (effect.kind === "agent.run" && attempt.conflict !== null)
      attempt.conflict = { ...attempt.conflict, cut: false };
    attempt.place = placeInLine(state, attempt, effect);
    countClaim(state, effect);
    return;
  }
  const pending = state.pending.get(event.id);
  if (pending === undefined) throw new Error(`the journal speaks of effect ${event.id}, which is not pending`);
  switch (event.type) {
    case "effect.adopted":
      state.fence = event.fence;
      if (pending.effect.kind !== "session.prepare") {
        const attempt = attemptOf(state, pending.effect.task);
        attempt.fence = event.fence;
        if (attempt.run !== event.run) attempt.claim = event.fence;
        // Whoever takes it over joins the line at its end: somebody else has had the turn meanwhile.
        if (attempt.run !== event.run && attempt.place !== null)
          attempt.place = isOutsideRun(event.run) ? null : state.position;
        attempt.run = event.run;
      }
      state.pending.set(event.id, {
        ...pending,
        adopted: true,
        effect: { ...pending.effect, run: event.run, fence: event.fence },
      });
      return;
    case "effect.answered":
      state.pending.delete(event.id);
      if (pending.effect.kind === "session.prepare") state.preparation.effect = null;
      else attemptOf(state, pending.effect.task).effect = null;
      return;
    case "process.started":
      pending.processes.push(event.process);
      if (pending.effect.kind === "agent.run")
        agentStarted(tallies(state, pending.effect.task), attemptOf(state, pending.effect.task));
      return;
  }
}

function countIteration(state: State, attempt: Attempt, effect: Extract<AttemptEffect, { kind: "agent.run" }>): void {
  attempt.iteration = effect.iteration;
  const task = taskOf(state, effect.task);
  task.iterations = attempt.iteration - attempt.delays;
  const run = state.runs.get(effect.run);
  if (run === undefined) return;
  run.iterations += 1;
  if (task.spec.loop !== undefined) run.loop = effect.task;
}

const tallies = (state: State, task: TaskId): readonly Tally[] => [state.used, taskOf(state, task).used];

/** A run that takes a bounded number of tasks counts them down; an outside worker has its hands full with one. */
function countClaim(state: State, { kind, run }: AttemptEffect): void {
  const owner = state.runs.get(run);
  if (owner === undefined || owner.claims === null) return;
  if (kind === "workspace.open") owner.claims -= 1;
  if (kind === "agent.run" && isOutsideRun(run)) owner.claims = 0;
}

/** Who merges stands in line, and who was overtaken before from the commit on; an outside worker never does (G5). */
function placeInLine(state: State, attempt: Attempt, { kind, run }: AttemptEffect): number | null {
  if (isOutsideRun(run) || attempt.failure !== null) return null;
  const stands =
    kind === "workspace.merge" || (attempt.overtaken && (kind === "workspace.commit" || kind === "gate.check"));
  return stands ? (attempt.place ?? state.position) : null;
}
