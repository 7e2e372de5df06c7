// What a person may change about a task later: its text, another try, a fresh start (rules F6, K2, K6).
import type { Event } from "../../protocol/event.ts";
import { isOutsideRun, type TaskId } from "../../protocol/ids.ts";
import { type TaskChange, TaskSpec } from "../../protocol/task.ts";
import { circles, describeCircle } from "../circles.ts";
import type { ReadonlyState, ReadonlyTask } from "../state.ts";
import { blockDependents, isLostCause } from "./blocking.ts";
import { refuse } from "./refuse.ts";

export function editTask(state: ReadonlyState, id: TaskId, change: TaskChange): readonly Event[] {
  const task = state.tasks.get(id);
  if (task === undefined) return refuse("task.edit", id, `there is no task "${id}"`);
  const { status } = task.phase;
  if (status === "in_progress" || status === "completed") {
    return refuse("task.edit", id, `"${id}" is ${status}: it cannot be changed now`);
  }
  const parsed = TaskSpec.safeParse({ ...task.spec, ...change });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return refuse("task.edit", id, `task field "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "not valid"}`);
  }
  const missing = parsed.data.dependsOn.find((dependency) => !state.tasks.has(dependency));
  if (missing !== undefined) return refuse("task.edit", id, `"${id}" depends on "${missing}", which does not exist`);
  const circle = circles(graphOf(state).set(id, parsed.data.dependsOn)).find(({ members }) => members.includes(id));
  if (circle !== undefined) {
    return refuse("task.edit", id, `Circular dependency detected: ${describeCircle(circle, id)}`);
  }
  return [{ type: "task.edited", spec: parsed.data }, ...standingAfter(state, task, parsed.data.dependsOn)];
}

/** Other dependencies may block a task, or free one that was blocked. */
function standingAfter(
  state: ReadonlyState,
  { spec: { id: task }, phase }: ReadonlyTask,
  dependsOn: readonly TaskId[],
): readonly Event[] {
  const by = dependsOn.find((dependency) => isLostCause(state, dependency));
  if (phase.status === "blocked") {
    // Still blocked, but perhaps by another: what is named must be the reason now.
    if (by !== undefined) return [{ type: "task.blocked", task, by }];
    return [{ type: "task.unblocked", task }, ...unblock(state, new Set([task]), [task])];
  }
  if (by === undefined || isLostCause(state, task)) return [];
  return [{ type: "task.blocked", task, by }, ...blockDependents(state, task)];
}

/** A mutable copy, for asking what another edge would do. */
const graphOf = (state: ReadonlyState): Map<TaskId, readonly TaskId[]> =>
  new Map([...state.tasks].map(([name, { spec }]) => [name, spec.dependsOn]));

const tasksInCircles = (state: ReadonlyState): ReadonlySet<TaskId> =>
  new Set(circles(graphOf(state)).flatMap(({ members }) => members));

/** One attempt more; what it blocked is pending again. */
export function retryTask(state: ReadonlyState, id: TaskId): readonly Event[] {
  const task = state.tasks.get(id);
  if (task === undefined) return refuse("task.retry", id, `there is no task "${id}"`);
  if (task.phase.status !== "failed") return refuse("task.retry", id, `"${id}" is ${task.phase.status}, not failed`);
  if (tasksInCircles(state).has(id))
    return refuse("task.retry", id, `"${id}" waits for itself`, "change its dependencies first");
  const lost = task.spec.dependsOn.find((dependency) => isLostCause(state, dependency));
  if (lost !== undefined)
    return refuse("task.retry", id, `"${id}" needs "${lost}", which is lost`, `retry ${lost} first`);
  const maxAttempts = Math.max(task.attempts, task.spec.maxAttempts) + 1;
  return [{ type: "task.retried", task: id, maxAttempts }, ...unblock(state, new Set([id]), [id])];
}

/** In progress: fenced off, ended and put away first. Failed: pending at once. */
export function resetTasks(state: ReadonlyState, ids: readonly TaskId[]): readonly Event[] {
  const unknown = ids.find((id) => !state.tasks.has(id));
  if (unknown !== undefined) return refuse("task.reset", unknown, `there is no task "${unknown}"`);
  const circular = tasksInCircles(state);
  const canReset = (id: TaskId): boolean => isResettable(state.tasks.get(id)) && !circular.has(id);
  const chosen = ids.length > 0 ? ids : [...state.tasks.keys()].filter(canReset);
  const fixed = chosen.find((id) => !canReset(id));
  if (fixed !== undefined) {
    return refuse("task.reset", fixed, `"${fixed}" is ${state.tasks.get(fixed)?.phase.status}: nothing to reset`);
  }
  const failed = chosen.filter((id) => state.tasks.get(id)?.phase.status === "failed");
  const working = chosen.filter((id) => state.tasks.get(id)?.phase.status === "in_progress");
  return [
    ...failed.map((task): Event => ({ type: "task.reset", task })),
    ...standingsAfterReset(state, failed),
    ...working.flatMap((task, place) => cancel(state, task, state.fence + 1 + place)),
  ];
}

const isResettable = (task: ReadonlyTask | undefined): boolean =>
  task?.phase.status === "failed" || (task?.phase.status === "in_progress" && !task.phase.attempt.cancelled);

/** A new fence makes the answers of what is under way worthless; whoever holds the lane ends and puts it away. */
function cancel(state: ReadonlyState, task: TaskId, fence: number): readonly Event[] {
  const phase = state.tasks.get(task)?.phase;
  if (phase?.status !== "in_progress") return [];
  const { number, effect } = phase.attempt;
  const owner = effect === null ? undefined : state.pending.get(effect)?.effect.run;
  if (effect === null || owner === undefined) throw new Error(`${task} is in progress and waits for nothing`);
  return [
    { type: "attempt.cancelled", task, attempt: number },
    { type: "effect.adopted", id: effect, run: owner, fence },
    // Nobody of ours is at work there: whoever runs next puts it away.
    ...(isOutsideRun(owner)
      ? [{ type: "run.ended", run: owner, reason: "lapsed", detail: `${task} was reset` } as const]
      : []),
  ];
}

/** Reset tasks whose dependencies are still lost are blocked; the others free what they blocked – to a fixpoint. */
function standingsAfterReset(state: ReadonlyState, reset: readonly TaskId[]): readonly Event[] {
  const mended = new Set<TaskId>();
  const freed: Event[] = [];
  let waiting = reset;
  for (let before = -1; before !== mended.size; ) {
    before = mended.size;
    const ready = waiting.filter((id) => lostNeed(state, id, mended) === undefined);
    waiting = waiting.filter((id) => !ready.includes(id));
    for (const id of ready) mended.add(id);
    freed.push(...unblock(state, mended, ready));
  }
  const still = waiting.flatMap((task): Event[] => {
    const by = lostNeed(state, task, mended);
    return by === undefined ? [] : [{ type: "task.blocked", task, by }];
  });
  return [...freed, ...still];
}

/** A dependency that is lost even though all of `mended` no longer are. */
const lostNeed = (state: ReadonlyState, id: TaskId, mended: ReadonlySet<TaskId>): TaskId | undefined =>
  state.tasks.get(id)?.spec.dependsOn.find((dependency) => isLostCause(state, dependency) && !mended.has(dependency));

/** What `causes` blocked is pending again – and joins `mended` – unless something else of what it needs is lost. */
function unblock(state: ReadonlyState, mended: Set<TaskId>, causes: readonly TaskId[]): readonly Event[] {
  const events: Event[] = [];
  const front = [...causes];
  for (let cause = front.pop(); cause !== undefined; cause = front.pop()) {
    for (const task of state.dependents.get(cause) ?? []) {
      if (state.tasks.get(task)?.phase.status !== "blocked" || mended.has(task)) continue;
      const by = lostNeed(state, task, mended);
      if (by !== undefined) {
        events.push({ type: "task.blocked", task, by });
        continue;
      }
      mended.add(task);
      front.push(task);
      events.push({ type: "task.unblocked", task });
    }
  }
  return events;
}
