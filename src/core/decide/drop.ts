// What may be dropped, and what is recorded of it (rule G5).
import type { Event } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { CommitId, TaskId } from "../../protocol/ids.ts";
import type { ReadonlyState } from "../state.ts";

/** The commit of the task's work; or why it stays where it is. */
export function workToDrop(state: ReadonlyState, id: TaskId): CommitId | Failure {
  const task = state.tasks.get(id);
  if (task === undefined)
    return { kind: "usage", message: `there is no task "${id}"`, remedy: "harness tasks shows them all" };
  const { phase, accepted } = task;
  if (phase.status !== "completed")
    return {
      kind: "usage",
      message: `${id} is ${phase.status}: only finished work can be dropped`,
      remedy: `harness reset ${id} puts away what is under way`,
    };
  if (phase.commit === null)
    return {
      kind: "usage",
      message: `${id} was completed before it came here: nothing of it is on the mission branch`,
    };
  if (accepted !== null || state.mission?.workspace === "in-place")
    return {
      kind: "usage",
      message: `the work of ${id} is in your branch already`,
      remedy: `git revert ${accepted ?? phase.commit}`,
    };
  const builders = [...state.tasks.values()].filter(
    ({ spec, dropped }) => spec.dependsOn.includes(id) && dropped === null,
  );
  if (builders.length === 0) return phase.commit;
  const names = builders.slice(0, 10).map(({ spec }) => spec.id);
  return { kind: "dependency", message: `${names.join(", ")} depends on ${id}`, remedy: "drop or edit that first" };
}

/** It is done by now: whatever came between, the branch is without it. */
export function recordDropped(state: ReadonlyState, id: TaskId, commit: CommitId): readonly Event[] {
  const task = state.tasks.get(id);
  return task?.phase.status === "completed" && task.dropped === null
    ? [{ type: "work.dropped", task: id, commit }]
    : [];
}
