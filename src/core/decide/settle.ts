// How an attempt that failed comes to its end: the remedy says what it costs and what happens next (rules E, A5).
import type { Event } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Costs } from "../attempt-state.ts";
import { conflictName, conflictQuestion } from "../conflict-text.ts";
import { remedies } from "../remedies.ts";
import { blockDependents } from "./blocking.ts";
import { nextEffect } from "./effects.ts";
import { type Turn, workspaceOf } from "./turn.ts";

/** Recorded, and charged, once; the workspace is archived before the task may be claimed again. */
export function failAttempt(turn: Turn, failure: Failure, costs?: Costs): readonly Event[] {
  const { attempt, effect } = turn;
  const charged: Costs = costs ?? (remedies[failure.kind].charge ? "attempt" : "nothing");
  const recorded: Event = {
    type: "attempt.failed",
    task: effect.task,
    attempt: effect.attempt,
    failure,
    costs: charged,
  };
  if (attempt.path !== null) {
    return [recorded, ...atOnce(turn, failure), keepsWork(turn, failure) ? keep(turn) : putAway(turn)];
  }
  return [
    recorded,
    ...atOnce(turn, failure),
    ...settle(turn, failure, charged, turn.task.attempts + (charged === "attempt" ? 1 : 0)),
  ];
}

/** The next attempt of a feature goes on with what this one did, so that is made a commit before it is put away (A1). */
const keepsWork = ({ task, attempt, effect }: Turn, failure: Failure): boolean =>
  task.spec.kind === "feature" &&
  attempt.candidate === null &&
  effect.kind !== "workspace.commit" &&
  failure.kind !== "cancelled";

const keep = (turn: Turn): Event =>
  nextEffect(turn.effect.task, turn.attempt, turn.effect.run, {
    kind: "workspace.commit",
    ...workspaceOf(turn),
    kept: turn.attempt.conflict?.kept ?? null,
  });

export const putAway = (turn: Turn): Event =>
  nextEffect(turn.effect.task, turn.attempt, turn.effect.run, {
    kind: "workspace.archive",
    path: workspaceOf(turn).path,
  });

/** What does not wait for the archive: nobody else shall run into the same fault, and a proposal is made once. */
function atOnce({ task, effect }: Turn, failure: Failure): readonly Event[] {
  // The fault is this run's: a later one that only puts the work away may find it mended.
  if (remedies[failure.kind].next === "stop-run") {
    return [{ type: "run.faulted", run: effect.run, task: effect.task, failure }];
  }
  const timeouts = task.failures.filter(({ kind }) => kind === "timeout").length;
  return failure.kind === "timeout" && timeouts === 1 ? [{ type: "task.splitProposed", task: effect.task }] : [];
}

/** After the archive: the attempt's failure was recorded before, its charge is in `task.attempts`. */
export function settleFailed(turn: Turn): readonly Event[] {
  const failed = turn.attempt.failure;
  if (failed === null) throw new Error(`${turn.effect.id} was archived without a failure`);
  return settle(turn, failed.failure, failed.costs, turn.task.attempts);
}

function settle(
  { state, task, attempt, effect }: Turn,
  failure: Failure,
  costs: Costs,
  attempts: number,
): readonly Event[] {
  const of = { task: effect.task, attempt: effect.attempt };
  const { next } = remedies[failure.kind];
  if (next === "give-up" || (costs === "attempt" && attempts >= task.spec.maxAttempts)) {
    return [{ type: "task.failed", ...of, final: true }, ...blockDependents(state, effect.task)];
  }
  if (costs === "attempt") return [{ type: "task.failed", ...of, final: false }];
  // Where the run ends for it, or a person called it off, that is the end of the matter: it belongs to no round.
  const stale = next === "ask" || next === "ask-for-task" ? { stale: true as const } : {};
  const returned: Event = { type: "task.returned", ...of, ...stale };
  if (failure.kind === "cancelled") return [returned, { type: "task.reset", task: effect.task }];
  switch (next) {
    case "ask":
      return state.approvals.has(failure.kind)
        ? [returned]
        : [
            returned,
            { type: "approval.asked", name: failure.kind, task: null, question: failure.message, change: null },
          ];
    case "ask-for-task": {
      const name = conflictName(effect.task, effect.attempt, state.approvals);
      const question = conflictQuestion(effect.task, failure, attempt);
      return [returned, { type: "approval.asked", name, task: effect.task, question, change: null }];
    }
    case "stop-run":
    case "retry":
      return [returned];
  }
}
