// Rule K2: what depends on a task that failed for good can never run; it is said at once, to the last descendant.
import type { Event } from "../../protocol/event.ts";
import type { TaskId } from "../../protocol/ids.ts";
import type { ReadonlyState } from "../state.ts";

/** The task will never be completed. */
export function isLostCause(state: ReadonlyState, id: TaskId): boolean {
  const phase = state.tasks.get(id)?.phase;
  return phase?.status === "blocked" || (phase?.status === "failed" && phase.final);
}

export function blockDependents(state: ReadonlyState, cause: TaskId): readonly Event[] {
  const events: Event[] = [];
  const seen = new Set<TaskId>();
  const front: TaskId[] = [cause];
  for (let by = front.pop(); by !== undefined; by = front.pop()) {
    for (const task of state.dependents.get(by) ?? []) {
      if (seen.has(task) || isLostCause(state, task)) continue;
      seen.add(task);
      front.push(task);
      events.push({ type: "task.blocked", task, by });
    }
  }
  return events;
}
