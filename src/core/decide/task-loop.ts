// The middle loop: what follows from each answer of an attempt's effects. The stages are drawn in core/attempt-state.ts.

import { assertNever } from "../../kit/assert-never.ts";
import type { IterationEnd } from "../../protocol/agent.ts";
import type { Answer, Effect } from "../../protocol/effect.ts";
import type { Event } from "../../protocol/event.ts";
import type { Report } from "../../protocol/input.ts";
import type { ReadonlyState } from "../state.ts";
import { afterSettling, settlement } from "./budget.ts";
import { complete } from "./complete.ts";
import { recordCaughtUp } from "./integration.ts";
import { decideLeft } from "./left.ts";
import { afterItsWord, afterVerdict } from "./loop.ts";
import { cleanUp, commit, iterate, iterateAgain, judge } from "./next-step.ts";
import { decidePreparation } from "./preparation.ts";
import { recover } from "./recover.ts";
import { refuse } from "./refuse.ts";
import { decideConflict, decideRebased, decideUnresolved } from "./repair.ts";
import { failAttempt, putAway, settleFailed } from "./settle.ts";
import { decideTold } from "./told.ts";
import { after, iterationEnded, type Turn, workspaceOf } from "./turn.ts";
import { agentServes, decideDelayed, decideRoom, decideWaited } from "./wait.ts";

type EffectReport = Extract<Report, { id: string; fence: number }>;

export function decideEffectReport(
  state: ReadonlyState,
  input: EffectReport & { readonly at: number },
): readonly Event[] {
  const effect = state.pending.get(input.id)?.effect as Effect | undefined;
  if (effect === undefined) return refuse(input.type, input.id, `late: ${input.id} was answered before`);
  if (!state.runs.has(input.run)) return refuse(input.type, input.id, `stale: run ${input.run} has ended`);
  if (effect.fence !== input.fence || effect.run !== input.run) {
    return refuse(
      input.type,
      input.id,
      `stale: fence ${input.fence} of ${input.run}, now ${effect.fence} of ${effect.run}`,
    );
  }
  if (effect.kind === "session.prepare") return decidePreparation(state, effect, input);
  const task = state.tasks.get(effect.task);
  if (task?.phase.status !== "in_progress")
    throw new Error(`${effect.id} is pending for a task that is not in progress`);
  const { attempt } = task.phase;
  const of = { task: effect.task, attempt: effect.attempt };
  switch (input.type) {
    case "process.start":
      return [{ type: "process.started", id: input.id, process: input.process }];
    case "agent.speak":
      return attempt.spoke ? [] : [{ type: "agent.spoke", ...of }];
    case "agent.checkpoint":
      return [{ type: "agent.checkpointed", ...of, checkpoint: input.checkpoint }];
    case "agent.tell":
      return decideTold({ state, task, attempt, effect, at: input.at }, input.told);
    case "effect.answer": {
      const turn = { state, task, attempt, effect, at: input.at };
      const settled = settlement(turn, input.answer);
      return [
        { type: "effect.answered", id: input.id },
        ...(settled === null ? [] : [settled]),
        ...decideAnswer(afterSettling(turn, settled), input.answer),
      ];
    }
    default:
      return assertNever(input);
  }
}

export function decideAnswer(turn: Turn, answer: Answer): readonly Event[] {
  const { attempt, effect } = turn;
  const of = { task: effect.task, attempt: effect.attempt };
  if (attempt.cancelled && attempt.failure === null && answer.kind !== "workspace.merged") return abandon(turn, answer);
  switch (answer.kind) {
    case "workspace.opened": {
      const { path, base, caughtUp } = answer;
      return [
        ...recordCaughtUp(caughtUp),
        { type: "attempt.opened", ...of, path, base },
        iterate(turn, { path, base }),
      ];
    }
    case "agent.ended": {
      const ended = iterationEnded(turn, answer);
      return [ended, ...decideLeft(turn, answer.left), ...afterIteration(after(turn, ended), answer.end)];
    }
    case "agent.waited":
      return effect.kind === "agent.wait" ? decideWaited(turn, effect) : misfit(turn, answer);
    case "budget.waited":
      return decideRoom(turn);
    case "agent.lost":
      return recover(turn, answer);
    case "workspace.committed": {
      const { candidate } = answer;
      const committed: Event = { type: "candidate.committed", ...of, ...candidate };
      // Kept for the next attempt of a feature; this one has failed already.
      if (attempt.failure !== null) return [committed, putAway(turn)];
      return [committed, ...judge(turn, candidate, null)];
    }
    case "gate.judged": {
      if (effect.kind !== "gate.check") return misfit(turn, answer);
      const { gate, candidate } = effect;
      const judged: Event = {
        type: "gate.judged",
        ...of,
        gate: gate.use,
        commit: candidate.commit,
        verdict: answer.verdict,
        ...(effect.phase !== undefined && { phase: effect.phase }),
      };
      if (answer.verdict.verdict !== "pass") return [judged, ...afterVerdict(turn, answer.verdict.failure)];
      return [judged, ...judge(turn, candidate, effect)];
    }
    case "workspace.merged":
      return complete(turn, answer);
    case "workspace.moved":
      if (effect.kind !== "workspace.merge") return misfit(turn, answer);
      // Others merged first: the same work on the new head is a new candidate, judged again (PR-9).
      return [{ type: "candidate.outdated", ...of, commit: effect.candidate.commit }, commit(turn)];
    case "workspace.rebased":
      return decideRebased(turn, answer);
    case "workspace.archived":
      return [
        { type: "attempt.archived", ...of, archive: answer.archive, base: workspaceOf(turn).base },
        ...cleanUp(turn),
      ];
    case "command.ended":
      return [{ type: "cleanup.ended", ...of, failure: answer.failure }, ...settleFailed(turn)];
    case "failed":
      // Even unarchived nothing is lost: whoever opens the slot next must archive what lies there first.
      if (effect.kind === "workspace.archive") return [fault(turn, answer.failure), ...settleFailed(turn)];
      if (attempt.failure !== null && effect.kind === "workspace.commit") return [putAway(turn)];
      // A cleanup that fails is told and changes nothing.
      if (effect.kind === "cleanup.run")
        return [{ type: "cleanup.ended", ...of, failure: answer.failure }, ...settleFailed(turn)];
      if (answer.failure.kind === "unresolved") return decideUnresolved(turn, answer.failure);
      if (effect.kind === "workspace.commit" && answer.failure.kind === "merge_conflict")
        return decideConflict(turn, answer.failure);
      return failAttempt(turn, answer.failure);
    default:
      return assertNever(answer);
  }
}

function afterIteration(turn: Turn, end: IterationEnd): readonly Event[] {
  const { attempt, effect } = turn;
  switch (end.reason) {
    case "finished":
      return [...agentServes(turn), ...afterItsWord(turn, end.message)];
    case "unfinished":
      return [...agentServes(turn), ...iterateAgain(turn)];
    case "delayed":
      return decideDelayed(turn, end);
    case "failed":
      return failAttempt(turn, end.failure);
    case "interrupted":
      return failAttempt(turn, {
        kind: "session_timeout",
        message: `iteration ${attempt.iteration} of ${effect.task} was cut short`,
      });
    default:
      return assertNever(end);
  }
}

/** A person reset the task: whatever the answer was, the attempt is put away and costs nothing. */
function abandon(turn: Turn, answer: Answer): readonly Event[] {
  const failure = { kind: "cancelled", message: `${turn.effect.task} was reset` } as const;
  // What was used is used.
  if (answer.kind === "agent.ended") return [iterationEnded(turn, answer), ...failAttempt(turn, failure)];
  if (answer.kind !== "workspace.opened") return failAttempt(turn, failure);
  const { path, base } = answer;
  const opened: Event = { type: "attempt.opened", task: turn.effect.task, attempt: turn.effect.attempt, path, base };
  return [
    ...recordCaughtUp(answer.caughtUp),
    opened,
    ...failAttempt({ ...turn, attempt: { ...turn.attempt, path, base } }, failure),
  ];
}

const fault = ({ effect }: Turn, failure: Extract<Answer, { kind: "failed" }>["failure"]): Event => ({
  type: "run.faulted",
  run: effect.run,
  task: effect.task,
  failure,
});

/** A performer answered something its effect never asks for: a bug in the shell, and no reason to lose the work. */
const misfit = (turn: Turn, answer: Answer): readonly Event[] =>
  failAttempt(turn, { kind: "task_exec", message: `${turn.effect.kind} was answered with ${answer.kind}` });
