// What is recorded of the way between the mission branch and the user's branch (rule G5).
import type { Accepted, Answer } from "../../protocol/effect.ts";
import type { Event } from "../../protocol/event.ts";
import type { ReadonlyState } from "../state.ts";
import type { Turn } from "./turn.ts";

type Opened = Extract<Answer, { kind: "workspace.opened" }>;
type Merged = Extract<Answer, { kind: "workspace.merged" }>;

export function recordCaughtUp(caughtUp: Opened["caughtUp"]): readonly Event[] {
  if (caughtUp === undefined || caughtUp === null) return [];
  return "failure" in caughtUp
    ? [{ type: "branch.stayed", theirs: caughtUp.theirs, failure: caughtUp.failure }]
    : [{ type: "branch.caughtUp", theirs: caughtUp.theirs, commit: caughtUp.commit }];
}

/** One notice for as long as something is in the way, however many tasks are held up by it. */
export function recordDelivered({ state, effect }: Turn, accepted: Merged["accepted"]): readonly Event[] {
  if (accepted === undefined || accepted === null) return [];
  if ("failure" in accepted) return state.held ? [] : [{ type: "work.held", failure: accepted.failure }];
  return recordAccepted(state, accepted, effect.task);
}

/** Each task is accepted once, and only when it is completed; `completing` is about to be. */
export function recordAccepted(state: ReadonlyState, accepted: Accepted, completing?: string): readonly Event[] {
  const tasks = accepted.tasks.filter((id) => {
    const task = state.tasks.get(id);
    return task?.accepted === null && task.dropped === null && (task.phase.status === "completed" || id === completing);
  });
  return tasks.length === 0 ? [] : [{ type: "work.accepted", ...accepted, tasks }];
}
