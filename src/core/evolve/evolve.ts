// Applies one fact to the state. No policy: whatever was decided is in the event.
import { assertNever } from "../../kit/assert-never.ts";
import type { Recorded } from "../../protocol/event.ts";
import type { State } from "../state.ts";
import { evolveAttempt } from "./attempt.ts";
import { evolveBudget } from "./budget.ts";
import { evolveEffect } from "./effect.ts";
import { evolveMission } from "./mission.ts";
import { evolveTask } from "./task.ts";
import { evolveTold } from "./told.ts";
import { evolveWait } from "./wait.ts";

export function evolve(state: State, event: Recorded): void {
  state.position += 1;
  state.at = event.at;
  switch (event.type) {
    case "mission.created":
    case "mission.configured":
    case "mission.placed":
    case "plan.adopted":
    case "commands.trusted":
    case "project.trusted":
    case "trust.revoked":
    case "sandbox.changed":
    case "barrier.changed":
    case "mission.paused":
    case "mission.resumed":
    case "run.started":
    case "run.stopRequested":
    case "run.faulted":
    case "run.ended":
    case "session.checked":
    case "session.started":
    case "session.ended":
    case "approval.asked":
    case "approval.granted":
    case "approval.denied":
    case "approval.withdrawn":
    case "branch.caughtUp":
    case "branch.stayed":
    case "work.accepted":
    case "work.dropped":
    case "work.held":
      return evolveMission(state, event);
    case "task.adopted":
    case "task.added":
    case "task.edited":
    case "task.retried":
    case "task.reset":
    case "task.unblocked":
    case "task.claimed":
    case "task.completed":
    case "task.failed":
    case "task.returned":
    case "task.abandoned":
    case "task.blocked":
    case "loop.revised":
      return evolveTask(state, event);
    case "attempt.opened":
    case "agent.spoke":
    case "agent.checkpointed":
    case "iteration.ended":
    case "promise.unkept":
    case "phase.passed":
    case "attempt.interrupted":
    case "attempt.cancelled":
    case "candidate.committed":
    case "candidate.outdated":
    case "attempt.rebased":
    case "attempt.recovered":
    case "attempt.failed":
      return evolveAttempt(state, event);
    case "effect.requested":
    case "effect.adopted":
    case "effect.answered":
    case "process.started":
      return evolveEffect(state, event);
    case "agent.noted":
    case "agent.handedOff":
    case "agent.found":
    case "agent.proposed":
    case "left.refused":
      return evolveTold(state, event);
    case "wait.started":
    case "wait.ended":
    case "wait.cleared":
      return evolveWait(state, event);
    case "budget.set":
    case "budget.raised":
    case "budget.settled":
    case "budget.warned":
    case "budget.reached":
    case "time.passed":
      return evolveBudget(state, event);
    case "gate.judged":
    case "attempt.archived":
    case "cleanup.ended":
    case "task.splitProposed":
    case "stats.taken":
    case "lock.reclaimed":
    case "edit.refused":
    case "input.refused":
      // Facts for people and views; what follows from them is recorded by events of its own.
      return;
    default:
      return assertNever(event);
  }
}

export function fold(state: State, events: Iterable<Recorded>): State {
  for (const event of events) evolve(state, event);
  return state;
}
