// What follows when the agent could not serve, and when it was waited for (rule E). No attempt is charged: the same one
// goes on in the same workspace, with an iteration that is not counted.
import type { AttemptEffect } from "../../protocol/effect.ts";
import type { Event } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/failure.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
import type { Wait } from "../../protocol/wait.ts";
import { awakeOf } from "../room.ts";
import { type Delayed, isAsleep, longerWait, nextWait, waitOf } from "../waiting.ts";
import { nextEffect } from "./effects.ts";
import { iterate, startAgent, waitFor } from "./next-step.ts";
import { failAttempt } from "./settle.ts";
import { type Turn, workspaceOf } from "./turn.ts";

export function decideDelayed(turn: Turn, end: Delayed): readonly Event[] {
  const { state, effect, at } = turn;
  const agent = state.runs.get(effect.run)?.agent ?? null;
  if (agent === null) return failAttempt(turn, end.failure);
  const before = waitOf(state, effect.run);
  const next = before?.on === true ? (longerWait(before, end, at) ?? before) : nextWait(agent, before, end, at);
  if (next !== null) return [...(next === before ? [] : [started(next)]), waitFor(turn, next)];
  const { run, task } = effect;
  const failure = waitedEnough(end, before?.counts[end.failure.kind]);
  // The attempt stays as it is, due at once: a person mends the cause, and the next run goes on with it.
  return [
    { type: "wait.cleared", agent },
    { type: "run.faulted", run, task, failure },
    waitFor(turn, { agent, until: at, delayMs: 0 }),
  ];
}

const started = ({ agent, kind, message, until, delayMs, times, waitedMs, quiet }: Wait): Event => ({
  type: "wait.started",
  agent,
  kind,
  message,
  until,
  delayMs,
  times,
  waitedMs,
  ...(quiet && { quiet }),
});

function waitedEnough({ failure }: Delayed, count = { times: 0, waitedMs: 0 }): Failure {
  const waits = `waited ${count.times} times in vain, ${Math.round(count.waitedMs / 60_000)} minutes in all`;
  return { ...failure, message: `${waits}: ${failure.message}`.slice(0, 4_000) };
}

export function decideWaited(turn: Turn, effect: Extract<AttemptEffect, { kind: "agent.wait" }>): readonly Event[] {
  const { state, attempt } = turn;
  const run = state.runs.get(effect.run);
  const wait = waitOf(state, effect.run);
  // What is to end wakes nobody up.
  if (run !== undefined && run.ending !== null && isAsleep(attempt)) return [waitFor(turn, effect)];
  // It was another agent's: this one may be there, or have a wait of its own.
  if (wait?.on !== true || run?.agent !== effect.agent) return [iterate(turn, workspaceOf(turn))];
  if (wait.until > effect.until) return [waitFor(turn, wait)];
  return [{ type: "wait.ended", agent: wait.agent }, startAgent(turn, workspaceOf(turn))];
}

/** Others have left enough, or it is no longer needed; what is to end wakes nobody up. */
export function decideRoom(turn: Turn): readonly Event[] {
  const { state, attempt, effect } = turn;
  const run = state.runs.get(effect.run);
  const isEnding = (run?.ending ?? null) !== null;
  // An orphan may have been given the lane meanwhile.
  const isFull = run !== undefined && !isOutsideRun(run.id) && awakeOf(state, run.id) >= run.lanes;
  if ((isEnding || isFull) && isAsleep(attempt))
    return [nextEffect(effect.task, attempt, effect.run, { kind: "budget.wait" })];
  return [iterate(turn, workspaceOf(turn))];
}

/** It answered after the wait was over: what is counted in a row begins anew. */
export function agentServes({ state, effect }: Turn): readonly Event[] {
  const wait = waitOf(state, effect.run);
  return wait === undefined || wait.on ? [] : [{ type: "wait.cleared", agent: wait.agent }];
}
