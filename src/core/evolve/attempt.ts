// Facts about the attempt that a task in progress carries.
import type { EventOf, Recorded } from "../../protocol/event.ts";
import { categoryOf } from "../../protocol/failure.ts";
import type { TaskId } from "../../protocol/ids.ts";
import type { Mark } from "../../protocol/task.ts";
import type { Attempt } from "../attempt-state.ts";
import { rememberedAfter } from "../repeats.ts";
import type { State } from "../state.ts";
import { holderOf } from "./handed-in.ts";
import { taskOf } from "./plan-index.ts";
import { accountTold, countForRun } from "./used.ts";

type AttemptEvent = Recorded<
  EventOf<
    | "attempt.opened"
    | "agent.spoke"
    | "agent.checkpointed"
    | "iteration.ended"
    | "promise.unkept"
    | "phase.passed"
    | "attempt.interrupted"
    | "attempt.cancelled"
    | "candidate.committed"
    | "candidate.outdated"
    | "attempt.rebased"
    | "attempt.recovered"
    | "attempt.failed"
  >
>;

const markOf = ({ checkpoint: { tree, ...mark }, at }: Recorded<EventOf<"agent.checkpointed">>): Mark => ({
  ...mark,
  at,
});

export function attemptOf(state: State, id: TaskId): Attempt {
  const { phase } = taskOf(state, id);
  if (phase.status !== "in_progress")
    throw new Error(`the journal speaks of an attempt of ${id}, which is ${phase.status}`);
  return phase.attempt;
}

export function evolveAttempt(state: State, event: AttemptEvent): void {
  const task = taskOf(state, event.task);
  const attempt = attemptOf(state, event.task);
  Object.assign(attempt, rememberedAfter(attempt, event));
  switch (event.type) {
    case "attempt.opened":
      attempt.path = event.path;
      attempt.base = event.base;
      task.startedAtCommit = event.base;
      return;
    case "agent.spoke":
      attempt.spoke = true;
      return;
    case "agent.checkpointed":
      attempt.lastCheckpoint = event.checkpoint;
      task.checkpoints.push(markOf(event));
      state.counts.checkpoints += 1;
      state.rounds.moved = true;
      return;
    case "iteration.ended":
      if (event.end.reason === "delayed") attempt.delays += 1;
      task.iterations = attempt.iteration - attempt.delays;
      countForRun(state.runs.get(attempt.run)?.used, event.end.account);
      if (event.agent !== undefined) task.agent = event.agent;
      accountTold([state.used, task.used], attempt, event.end.account);
      attempt.handedIn = holderOf(state, attempt);
      return;
    case "promise.unkept":
      // The work goes on from here: what was judged is no longer all of it.
      attempt.candidate = null;
      return;
    case "phase.passed":
      task.phasesPassed = event.number;
      attempt.candidate = null;
      return;
    case "attempt.interrupted":
      attempt.interrupted = true;
      return;
    case "attempt.cancelled":
      attempt.cancelled = true;
      return;
    case "candidate.committed":
      attempt.candidate = { commit: event.commit, parent: event.parent };
      task.lastCandidate = attempt.candidate;
      attempt.conflict = null;
      return;
    case "candidate.outdated":
      attempt.candidate = null;
      attempt.overtaken = true;
      return;
    case "attempt.rebased": {
      const { kept, tree, files, fileCount, others } = event;
      attempt.base = event.base;
      attempt.repairs += 1;
      attempt.overtaken = true;
      attempt.conflict = { kept, tree, files, fileCount, others, cut: false };
      // Its tree was that of the work on the old base.
      attempt.lastCheckpoint = null;
      return;
    }
    case "attempt.recovered":
      if (event.account !== undefined) {
        accountTold([state.used, task.used], attempt, event.account);
        countForRun(state.runs.get(attempt.run)?.used, event.account);
      }
      if (attempt.conflict !== null) attempt.conflict = { ...attempt.conflict, cut: true };
      return;
    case "attempt.failed":
      attempt.failure = { failure: event.failure, costs: event.costs };
      if (event.costs === "interruption") task.interruptions += 1;
      if (event.costs === "attempt") {
        task.attempts += 1;
        state.counts.attempts += 1;
        task.failures.push(event.failure);
        task.errorLog.push(`[${categoryOf(event.failure.kind)}] ${event.failure.message}`);
      }
      return;
  }
}
