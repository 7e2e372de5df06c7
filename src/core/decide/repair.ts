// Work that does not apply to what others merged meanwhile: an iteration repairs it, then a person decides (rules G5, E).
import type { Rebased } from "../../protocol/conflict.ts";
import type { Event } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/failure.ts";
import { nextEffect } from "./effects.ts";
import { commitIn, iterate, iterationLimit } from "./next-step.ts";
import { failAttempt } from "./settle.ts";
import { type Turn, workspaceOf } from "./turn.ts";

/**
 * Conflicts of one attempt for which an iteration is given. A second one comes from what others merged during the first
 * repair; from then on the attempt stands in the merge line, so a third means that its files are fought over, and more
 * iterations would only pay for the fight.
 */
export const maxRepairs = 2;

/** The candidate could not be made: others changed the same files since the base. */
export function decideConflict(turn: Turn, failure: Failure): readonly Event[] {
  const { attempt, effect } = turn;
  if (attempt.repairs >= maxRepairs || !hasIteration(turn)) return failAttempt(turn, failure);
  return [nextEffect(effect.task, attempt, effect.run, { kind: "workspace.rebase", ...workspaceOf(turn) })];
}

/** The work is on the new head: an iteration repairs what is in conflict – if anything is by now. */
export function decideRebased(turn: Turn, rebased: Rebased): readonly Event[] {
  const { base, kept, tree, files, fileCount, others } = rebased;
  const { path } = workspaceOf(turn);
  const of = { task: turn.effect.task, attempt: turn.effect.attempt };
  const recorded: Event = { type: "attempt.rebased", ...of, base, kept, tree, files, fileCount, others };
  return [recorded, fileCount === 0 ? commitIn(turn, { path, base, kept }) : iterate(turn, { path, base })];
}

/** Markers were left: one iteration per conflict – unless that one was lost before it could end. */
export function decideUnresolved(turn: Turn, failure: Failure): readonly Event[] {
  return turn.attempt.conflict?.cut === true ? repairAgain(turn, failure) : failAttempt(turn, failure);
}

/** The same conflict once more, within the limit of iterations (I3); past it a person decides, and nothing is charged. */
export const repairAgain = (turn: Turn, failure: Failure): readonly Event[] =>
  hasIteration(turn) ? [iterate(turn, workspaceOf(turn))] : failAttempt(turn, failure);

const hasIteration = ({ state, task, attempt }: Turn): boolean =>
  attempt.iteration - attempt.delays < iterationLimit(state, task);
