// Taking over a plan that was found in a file, without a journal behind it (rules F6, K1, K2).
import type { AdoptedPlan, AdoptedTask } from "../../protocol/adopted.ts";
import type { Event } from "../../protocol/event.ts";
import type { TaskId } from "../../protocol/ids.ts";
import type { Command } from "../../protocol/input.ts";
import type { Limits } from "../../protocol/task.ts";
import { circles, describeCircle } from "../circles.ts";
import type { ReadonlyState } from "../state.ts";
import { refuse } from "./refuse.ts";

export function adoptPlan(
  state: ReadonlyState,
  command: Extract<Command, { type: "plan.adopt" }>,
  at: number,
): readonly Event[] {
  const { plan, source, mission, branch, root, limits } = command;
  if (state.tasks.size > 0) {
    return refuse(command.type, source, `the mission has a plan already: ${source} is not taken over`);
  }
  const created: readonly Event[] =
    state.mission === null
      ? [{ type: "mission.created", mission, branch, root, limits, concurrency: plan.concurrencyMode }]
      : [];
  const tasks = plan.tasks.map(interrupted).map(withoutVerdictsOfOthers);
  return [
    ...created,
    adopted(plan, source, { limits: state.mission?.limits ?? limits, at }),
    ...tasks.map((task): Event => ({ type: "task.adopted", task })),
    ...lostCauses(tasks),
  ];
}

function adopted(plan: AdoptedPlan, source: string, { limits, at }: { limits: Limits; at: number }): Event {
  const { maxSessions, maxTasksPerSession, sessions, lastSessionAt, extra } = plan;
  return {
    type: "plan.adopted",
    source,
    limits: { ...limits, maxSessions, maxTasksPerSession },
    concurrency: plan.concurrencyMode,
    createdAt: plan.createdAt ?? at,
    sessions,
    lastSessionAt,
    extra,
  };
}

/** Nothing of an unfinished attempt can be seen from here: by the recovery table that is no progress (V1). */
const interrupted = (task: AdoptedTask): AdoptedTask =>
  task.status === "in_progress"
    ? {
        ...task,
        status: "failed",
        attempts: task.attempts + 1,
        errorLog: [...task.errorLog, "[SESSION_TIMEOUT] No progress detected"],
      }
    : task;

/** Who is blocked or in a circle is found anew: the file may have been mended since. */
function withoutVerdictsOfOthers(task: AdoptedTask): AdoptedTask {
  const errorLog = task.errorLog.filter((entry) => !entry.startsWith("[DEPENDENCY]"));
  if (errorLog.length === task.errorLog.length) return task;
  return { ...task, errorLog, status: task.status === "completed" ? task.status : "pending" };
}

function lostCauses(tasks: readonly AdoptedTask[]): readonly Event[] {
  const open = tasks.filter(({ status }) => status !== "completed");
  const events: Event[] = [];
  const lost = new Set<TaskId>();
  for (const circle of circles(new Map(open.map(({ spec }) => [spec.id, spec.dependsOn])))) {
    for (const task of circle.members) {
      lost.add(task);
      const message = `Circular dependency detected: ${describeCircle(circle, task)}`;
      events.push({ type: "task.abandoned", task, failure: { kind: "dependency", message } });
    }
  }
  for (const { spec, status, attempts } of open) {
    if (status === "failed" && attempts >= spec.maxAttempts) lost.add(spec.id);
  }
  return [...events, ...blocked(open, lost)];
}

function blocked(tasks: readonly AdoptedTask[], lost: Set<TaskId>): readonly Event[] {
  const dependents = new Map<TaskId, TaskId[]>();
  for (const { spec } of tasks) {
    for (const dependency of spec.dependsOn) {
      const list = dependents.get(dependency);
      if (list === undefined) dependents.set(dependency, [spec.id]);
      else list.push(spec.id);
    }
  }
  const events: Event[] = [];
  const front = [...lost];
  for (let by = front.pop(); by !== undefined; by = front.pop()) {
    for (const task of dependents.get(by) ?? []) {
      if (lost.has(task)) continue;
      lost.add(task);
      front.push(task);
      events.push({ type: "task.blocked", task, by });
    }
  }
  return events;
}
