// A new task of the plan, whoever wants it there.
import type { Event } from "../../protocol/event.ts";
import type { TaskRequest } from "../../protocol/input.ts";
import { PhaseName } from "../../protocol/phases.ts";
import { TaskSpec, usualAttempts } from "../../protocol/task.ts";
import type { ReadonlyState } from "../state.ts";
import { nextId } from "../task-numbers.ts";
import { isLostCause } from "./blocking.ts";
import { refuse } from "./refuse.ts";

export function addTask(state: ReadonlyState, request: TaskRequest): readonly Event[] {
  // A phase that is none gives no id, and is refused by its own name below.
  // Most tasks have none, and to be told why that is no name costs more than all else here.
  const phase = request.phase === undefined ? null : (PhaseName.safeParse(request.phase).data ?? null);
  const id = request.id ?? nextId(state.numbers, phase);
  // A loop is one attempt with many iterations.
  const maxAttempts = request.maxAttempts ?? (request.loop ? 1 : usualAttempts[request.kind ?? "task"]);
  const parsed = TaskSpec.safeParse({ ...request, id, maxAttempts });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.join(".") ?? "";
    const remedy =
      field === "id" && request.id === undefined ? "give it an id of its own, or a shorter phase" : undefined;
    return refuse("task.add", id, `task field "${field}": ${issue?.message ?? "not valid"}`, remedy);
  }
  const spec = parsed.data;
  if (state.tasks.has(id))
    return refuse("task.add", id, `there is a task "${id}" already`, "leave the id out to get the next one");
  const missing = spec.dependsOn.find((dependency) => !state.tasks.has(dependency));
  if (missing !== undefined) {
    return refuse("task.add", id, `"${id}" depends on "${missing}", which does not exist`, "run: harness status");
  }
  const repeated = spec.dependsOn.find((dependency, place) => spec.dependsOn.indexOf(dependency) !== place);
  if (repeated !== undefined) return refuse("task.add", id, `"${id}" names its dependency "${repeated}" twice`);
  const lost = spec.dependsOn.find((dependency) => isLostCause(state, dependency));
  const added: Event = { type: "task.added", spec };
  return lost === undefined ? [added] : [added, { type: "task.blocked", task: id, by: lost }];
}
