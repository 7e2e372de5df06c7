// The steps an attempt can take next, as requests to the shell.
import type { AttemptEffect } from "../../protocol/effect.ts";
import type { Event } from "../../protocol/event.ts";
import { type CommitId, isOutsideRun } from "../../protocol/ids.ts";
import { checksOf, commandGate, isBeforeLast, type PresentPhase, phaseOf } from "../judging.ts";
import { roomFor } from "../room.ts";
import type { ReadonlyState, ReadonlyTask } from "../state.ts";
import { waitOf } from "../waiting.ts";
import { circling } from "./breaker.ts";
import { nextEffect } from "./effects.ts";
import { tooLarge } from "./overflow.ts";
import { failAttempt, settleFailed } from "./settle.ts";
import { after, type Turn, type Workspace, workspaceOf } from "./turn.ts";

type Due = Pick<Extract<AttemptEffect, { kind: "agent.wait" }>, "agent" | "until" | "delayMs">;
type GateCheck = Extract<AttemptEffect, { kind: "gate.check" }>;
type Candidate = GateCheck["candidate"];

/** A loop has its own (I1). */
export const iterationLimit = ({ mission }: ReadonlyState, { spec }: ReadonlyTask): number =>
  spec.loop?.maxIterations ?? mission?.limits.maxIterations ?? 0;

/** The next iteration, or the end of the attempt if it was the last (I3) or goes in circles (B4). */
export function iterateAgain(turn: Turn): readonly Event[] {
  const { state, task, attempt, effect } = turn;
  const limit = iterationLimit(state, task);
  if (attempt.iteration - attempt.delays >= limit) {
    return failAttempt(turn, {
      kind: "iterations_used_up",
      message: `${effect.task} was not finished in ${limit} iterations`,
    });
  }
  const stuck = tooLarge(turn) ?? circling(turn);
  return stuck === null ? [iterate(turn, workspaceOf(turn))] : failAttempt(turn, stuck);
}

/** While its agent cannot serve, an attempt waits with all others that have the same. */
export function iterate(turn: Turn, workspace: Workspace): Event {
  const wait = waitOf(turn.state, turn.effect.run);
  return wait?.on === true ? waitFor(turn, wait) : startAgent(turn, workspace);
}

export const waitFor = ({ attempt, effect }: Turn, { agent, until, delayMs }: Due): Event =>
  nextEffect(effect.task, attempt, effect.run, { kind: "agent.wait", agent, until, delayMs });

/** With what it is given of the budget; what does not fit is not begun (B2). */
export function startAgent({ state, attempt, effect }: Turn, workspace: Workspace): Event {
  const room = roomFor(state, effect.run);
  if (room !== null && room.kind !== "fits")
    return nextEffect(effect.task, attempt, effect.run, { kind: "budget.wait" });
  return nextEffect(effect.task, attempt, effect.run, {
    kind: "agent.run",
    iteration: attempt.iteration + 1,
    ...workspace,
    timeoutMs: state.mission?.limits.iterationTimeoutMs ?? 0,
    ...(room !== null && { reserved: room.amounts }),
  });
}

/** After a repair the commit is told of the work before it: markers that are left are looked for, not believed away. */
export const commit = (turn: Turn): Event =>
  commitIn(turn, { ...workspaceOf(turn), kept: turn.attempt.conflict?.kept ?? null });

export const commitIn = ({ attempt, effect }: Turn, from: Workspace & { readonly kept: CommitId | null }): Event =>
  nextEffect(effect.task, attempt, effect.run, { kind: "workspace.commit", ...from });

/**
 * What the candidate has to pass next, after the check that it has passed. After the last one the work is merged – or
 * the loop goes on with its next phase (G1, I8).
 */
export function judge(turn: Turn, candidate: Candidate, passed: GateCheck | null): readonly Event[] {
  const { task, attempt, effect } = turn;
  const isOutside = isOutsideRun(effect.run);
  const checks = checksOf(task, isOutside);
  const last = checks.findIndex(({ which, phase }) => which === passed?.which && phase === passed.phase);
  const next = checks[last + 1];
  if (next !== undefined)
    return [nextEffect(effect.task, attempt, effect.run, { kind: "gate.check", ...next, candidate })];
  const present = phaseOf(task);
  if (isBeforeLast(present) && !isOutside) {
    const behind = phasePassed(turn, present, candidate.commit);
    return [behind, ...iterateAgain(after(turn, behind))];
  }
  const { path } = workspaceOf(turn);
  return [nextEffect(effect.task, attempt, effect.run, { kind: "workspace.merge", path, candidate })];
}

const phasePassed = ({ attempt, effect }: Turn, { phase, number, of }: PresentPhase, commit: CommitId): Event => ({
  type: "phase.passed",
  task: effect.task,
  attempt: effect.attempt,
  iteration: attempt.iteration,
  phase: phase.name,
  number,
  of,
  commit,
});

/** After the archive: the cleanup if there is one, then the settlement (A5). */
export function cleanUp(turn: Turn): readonly Event[] {
  const { cleanup, validation } = turn.task.spec;
  if (cleanup === null) return settleFailed(turn);
  const gate = commandGate(cleanup, validation?.timeoutMs ?? 300_000);
  const { base } = workspaceOf(turn);
  return [nextEffect(turn.effect.task, turn.attempt, turn.effect.run, { kind: "cleanup.run", gate, base })];
}
