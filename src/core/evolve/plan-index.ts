// The indexes over the plan: counts, ready heap, in-degrees. Kept in step with every change of a task's phase.

import type { TaskId } from "../../protocol/ids.ts";
import type { TaskSpec } from "../../protocol/task.ts";
import { phaseAwaited } from "../barrier.ts";
import { lacksJudge } from "../judging.ts";
import { naturalKey } from "../ready-heap.ts";
import type { Phase, State, TaskState } from "../state.ts";
import { countId } from "../task-numbers.ts";

export function taskOf(state: State, id: TaskId): TaskState {
  const task = state.tasks.get(id);
  if (task === undefined) throw new Error(`the journal speaks of ${id}, which was never added`);
  return task;
}

/** The only door to `task.phase`: moves the task between the counts and in or out of the indexes. */
export function enterPhase(state: State, task: TaskState, phase: Phase): void {
  const wasOpen = isOpen(task);
  leaveCounts(state, task);
  task.phase = phase;
  joinCounts(state, task);
  refreshReady(state, task);
  if (wasOpen !== isOpen(task)) countOpen(state, task.spec.phase, wasOpen ? -1 : 1);
}

/** A task is in the heap exactly if it could be claimed now. */
export function refreshReady(state: State, task: TaskState): void {
  const { id, priority } = task.spec;
  state.ready.remove(id);
  const { phase } = task;
  const claimable = phase.status === "pending" || (phase.status === "failed" && !phase.final);
  if (!claimable || task.waitingFor > 0 || task.holds > 0) return;
  if (phaseAwaited(state, task.spec.phase) !== null) return;
  const failedAt = phase.status === "failed" ? phase.at : 0;
  state.ready.add(id, { retry: phase.status === "failed" ? 1 : 0, priority, failedAt, key: naturalKey(id) });
}

export function addToPlan(state: State, task: TaskState): void {
  const { id } = task.spec;
  const isNew = !state.tasks.has(id);
  state.tasks.set(id, task);
  awaitDependencies(state, task);
  countId(state.numbers, id);
  joinCounts(state, task);
  if (isOpen(task)) countOpen(state, task.spec.phase, 1);
  refreshReady(state, task);
  // Tasks that name it may stand before it in an adopted plan.
  if (isNew && task.phase.status === "completed") releaseDependents(state, id);
}

/** A task's new specification: its place among the dependents of others may change. */
export function respecify(state: State, task: TaskState, spec: TaskSpec): void {
  const { id } = spec;
  for (const dependency of task.spec.dependsOn) {
    const list = state.dependents.get(dependency) ?? [];
    state.dependents.set(
      dependency,
      list.filter((name) => name !== id),
    );
  }
  const { phase } = task.spec;
  task.spec = spec;
  awaitDependencies(state, task);
  noteJudge(state, task);
  if (isOpen(task) && phase !== spec.phase) {
    countOpen(state, phase, -1);
    countOpen(state, spec.phase, 1);
  }
  refreshReady(state, task);
}

const isOpen = ({ phase }: TaskState): boolean => phase.status !== "completed";

/** When the first task of a phase opens, or the last is completed, those of later phases may have to wait, or not. */
function countOpen(state: State, phase: string | null, by: 1 | -1): void {
  if (phase === null) return;
  const before = state.openInPhase.get(phase) ?? 0;
  state.openInPhase.set(phase, before + by);
  if ((before === 0 || before + by === 0) && state.barrier?.includes(phase)) refreshPhases(state);
}

export function refreshPhases(state: State): void {
  for (const task of state.tasks.values()) if (task.spec.phase !== null) refreshReady(state, task);
}

/** Dependencies that are not in the plan yet count as not completed: an adopted plan may name them in any order. */
function awaitDependencies(state: State, task: TaskState): void {
  for (const dependency of task.spec.dependsOn) {
    const list = state.dependents.get(dependency);
    if (list === undefined) state.dependents.set(dependency, [task.spec.id]);
    else list.push(task.spec.id);
  }
  const open = task.spec.dependsOn.filter((id) => state.tasks.get(id)?.phase.status !== "completed");
  task.waitingFor = open.length;
}

export function releaseDependents(state: State, id: TaskId): void {
  for (const name of state.dependents.get(id) ?? []) {
    const dependent = taskOf(state, name);
    dependent.waitingFor -= 1;
    if (dependent.waitingFor === 0) refreshReady(state, dependent);
  }
}

const isOver = (phase: Phase): boolean =>
  phase.status === "completed" || phase.status === "blocked" || (phase.status === "failed" && phase.final);

function leaveCounts(state: State, task: TaskState): void {
  if (task.phase.status === "in_progress") state.working.delete(task.spec.id);
  else state.counts[task.phase.status] -= 1;
}

function joinCounts(state: State, task: TaskState): void {
  if (task.phase.status === "in_progress") state.working.add(task.spec.id);
  else state.counts[task.phase.status] += 1;
  noteJudge(state, task);
}

/** Whatever is not over and has nothing to judge it; what was given up may come back. */
function noteJudge(state: State, { spec, phase }: TaskState): void {
  if (lacksJudge(spec) && !isOver(phase)) state.unjudged.add(spec.id);
  else state.unjudged.delete(spec.id);
}
