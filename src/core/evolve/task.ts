// Facts about tasks: where they stand in the plan.
import type { EventOf, Recorded } from "../../protocol/event.ts";
import type { Attempt, State } from "../state.ts";
import { addToPlan, enterPhase, releaseDependents, taskOf } from "./plan-index.ts";

type TaskEvent = Recorded<
  EventOf<
    | "task.added"
    | "task.claimed"
    | "task.completed"
    | "task.failed"
    | "task.returned"
    | "task.abandoned"
    | "task.blocked"
  >
>;

export function evolveTask(state: State, event: TaskEvent): void {
  if (event.type === "task.added") {
    return addToPlan(state, {
      spec: event.spec,
      phase: { status: "pending" },
      attempts: 0,
      claims: 0,
      interruptions: 0,
      checkpoints: 0,
      failures: [],
      waitingFor: 0,
      holds: 0,
    });
  }
  const task = taskOf(state, event.task);
  switch (event.type) {
    case "task.claimed":
      task.claims = event.attempt;
      state.fence = event.fence;
      return enterPhase(state, task, { status: "in_progress", attempt: freshAttempt(event) });
    case "task.completed":
      task.attempts += 1;
      state.counts.attempts += 1;
      settle(state);
      enterPhase(state, task, { status: "completed", commit: event.commit, at: event.at });
      return releaseDependents(state, event.task);
    case "task.failed":
      settle(state);
      return enterPhase(state, task, { status: "failed", at: event.at, final: event.final });
    case "task.returned":
      settle(state);
      return enterPhase(state, task, { status: "pending" });
    case "task.abandoned":
      task.failures.push(event.failure);
      return enterPhase(state, task, { status: "failed", at: event.at, final: true });
    case "task.blocked":
      return enterPhase(state, task, { status: "blocked", by: event.by });
  }
}

function settle(state: State): void {
  if (state.session !== null) state.session.settled += 1;
  if (state.run !== null) state.run.settled += 1;
}

const freshAttempt = (event: Recorded<EventOf<"task.claimed">>): Attempt => ({
  number: event.attempt,
  lane: event.lane,
  startedAt: event.at,
  fence: event.fence,
  stage: "opening",
  effect: null,
  steps: 0,
  path: null,
  base: null,
  iteration: 0,
  spoke: false,
  interrupted: false,
  lastCheckpoint: null,
  candidate: null,
  failure: null,
});
