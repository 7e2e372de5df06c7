// What people and programs ask for, at any time and from any process.
import { assertNever } from "../../kit/assert-never.ts";
import type { Event } from "../../protocol/event.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
import type { Command, TaskRequest } from "../../protocol/input.ts";
import { type Concurrency, PhaseName, type TaskChange, TaskSpec, usualAttempts } from "../../protocol/task.ts";
import type { ReadonlyState } from "../state.ts";
import { nextId } from "../task-numbers.ts";
import { adoptPlan } from "./adopt.ts";
import { blockDependents, isLostCause } from "./blocking.ts";
import { recordAccepted } from "./integration.ts";
import { refuse } from "./refuse.ts";
import { editTask, resetTasks, retryTask } from "./revise.ts";

type Dated = Command & { readonly at: number };

export const decideCommand = (state: ReadonlyState, command: Dated): readonly Event[] =>
  signed(answer(state, command), "by" in command ? command.by : undefined);

/** Whose word it was is part of what was said. */
const signed = (events: readonly Event[], by: string | undefined): readonly Event[] =>
  by === undefined ? events : events.map((event) => (words.has(event.type) ? ({ ...event, by } as Event) : event));
const words: ReadonlySet<Event["type"]> = new Set([
  "task.edited",
  "task.retried",
  "task.reset",
  "approval.granted",
  "approval.denied",
  "work.accepted",
]);

function answer(state: ReadonlyState, command: Dated): readonly Event[] {
  if (command.type === "mission.create") {
    if (state.mission !== null) return refuse(command.type, command.mission, "this project has a mission already");
    const { mission, branch, root, limits, concurrency = "exclusive" } = command;
    return [{ type: "mission.created", mission, branch, root, limits, concurrency }];
  }
  if (command.type === "plan.adopt") return adoptPlan(state, command, command.at);
  if (state.mission === null) {
    return refuse(command.type, "mission", "there is no mission here yet", "run: harness init");
  }
  switch (command.type) {
    case "mission.configure":
      return configure(state, command.concurrency);
    case "mission.place":
      return place(state, command);
    case "project.trust":
      return [{ type: "project.trusted", hash: command.hash }];
    case "trust.revoke":
      return state.runs.size > 0
        ? refuse(command.type, "mission", "a run is on, with what was accepted for it", "harness stop, then again")
        : [{ type: "trust.revoked", by: command.by }];
    case "task.add":
      return addTask(state, command.task);
    case "task.edit":
      return editTask(state, command.task, command.change);
    case "task.retry":
      return retryTask(state, command.task);
    case "task.reset":
      return resetTasks(state, command.tasks);
    case "mission.pause":
      return state.paused
        ? refuse(command.type, "mission", "the mission is paused already")
        : [{ type: "mission.paused", by: command.by }];
    case "mission.resume":
      return state.paused
        ? [{ type: "mission.resumed", by: command.by }]
        : refuse(command.type, "mission", "the mission is not paused");
    case "mission.stop":
      return stop(state, command.now);
    case "work.accept":
      return recordAccepted(state, command.accepted);
    case "edit.refuse":
      return [{ type: "edit.refused", task: command.task, field: command.field, why: command.why }];
    case "approval.ask":
      return ask(state, command);
    case "approval.grant":
      return grant(state, command.name);
    case "approval.deny":
      return deny(state, command);
    default:
      return assertNever(command);
  }
}

/** An outside worker has taken all it will take: there is nothing to stop. */
const stopAll = (state: ReadonlyState, now: boolean): readonly Event[] =>
  [...state.runs.keys()].flatMap((run): Event[] =>
    isOutsideRun(run) ? [] : [{ type: "run.stopRequested", run, now }],
  );

function stop(state: ReadonlyState, now: boolean): readonly Event[] {
  if (state.runs.size === 0) return refuse("mission.stop", "mission", "nothing is running");
  const events = stopAll(state, now);
  if (events.length > 0) return events;
  return refuse("mission.stop", "mission", "only outside workers are at work", "harness pause: they get nothing new");
}

function configure(state: ReadonlyState, concurrency: Concurrency): readonly Event[] {
  if (state.mission?.concurrency === concurrency) return [];
  if (state.runs.size > 0 || state.working.size > 0) {
    const remedy = "end what runs, and let a run settle what is in progress, first";
    return refuse("mission.configure", "mission", `it cannot become ${concurrency} while it is worked on`, remedy);
  }
  return [{ type: "mission.configured", concurrency }];
}

/** An attempt ends where it began; and what was merged stays on the branch that later tasks build on. */
function place(
  state: ReadonlyState,
  { workspace, branch }: Extract<Command, { type: "mission.place" }>,
): readonly Event[] {
  const present = state.mission;
  if (present?.workspace === workspace && present.branch === branch) return [];
  const away = (why: string, remedy: string) => refuse("mission.place", "workspace", why, remedy);
  const now = present?.workspace ?? "clone";
  if (state.runs.size > 0 || state.working.size > 0)
    return away(
      `it cannot change from ${now} to ${workspace} while an attempt is open`,
      `let a run with --workspace ${now} settle what is in progress first`,
    );
  const isMerged = [...state.tasks.values()].some(({ phase }) => phase.status === "completed" && phase.commit !== null);
  if (isMerged && present?.branch !== branch)
    return away(
      `finished tasks of this mission are on ${present?.branch}: with ${workspace} the others would not build on them`,
      `go on with --workspace ${now}`,
    );
  return [{ type: "mission.placed", workspace, branch }];
}

function addTask(state: ReadonlyState, request: TaskRequest): readonly Event[] {
  // A phase that is none gives no id, and is refused by its own name below.
  const phase = PhaseName.safeParse(request.phase).data ?? null;
  const id = request.id ?? nextId(state.numbers, phase);
  const maxAttempts = request.maxAttempts ?? usualAttempts[request.kind ?? "task"];
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

function ask(state: ReadonlyState, command: Extract<Command, { type: "approval.ask" }>): readonly Event[] {
  const { name, task, question } = command;
  if (state.approvals.has(name)) return refuse(command.type, name, `"${name}" is being asked already`);
  if (task !== null) {
    const status = state.tasks.get(task)?.phase.status;
    if (status === undefined) return refuse(command.type, task, `there is no task "${task}"`);
    if (status !== "pending" && status !== "failed")
      return refuse(command.type, task, `"${task}" is ${status}: nothing to hold`);
    if (isLostCause(state, task)) return refuse(command.type, task, `"${task}" has failed for good: nothing to hold`);
  }
  return [{ type: "approval.asked", name, task, question, change: command.change ?? null }];
}

/** A question about a change of a task: the grant makes it, if it can still be made. */
function grant(state: ReadonlyState, name: string): readonly Event[] {
  const approval = state.approvals.get(name);
  if (approval === undefined) return refuse("approval.grant", name, `nobody asked "${name}"`);
  const granted: Event = { type: "approval.granted", name };
  if (approval.task === null || approval.change === null) return [granted];
  const changed = editTask(state, approval.task, approval.change as TaskChange);
  return changed[0]?.type === "input.refused" ? changed : [granted, ...changed];
}

/** A denied task is given up; a denied mission takes no new work. */
function deny(state: ReadonlyState, command: Extract<Command, { type: "approval.deny" }>): readonly Event[] {
  const approval = state.approvals.get(command.name);
  if (approval === undefined) return refuse(command.type, command.name, `nobody asked "${command.name}"`);
  // What was only a wish to change the task leaves it as it was.
  if (approval.change !== null) return [{ type: "approval.denied", name: command.name, note: command.note }];
  const denied: Event = { type: "approval.denied", name: command.name, note: command.note };
  if (approval.task === null) {
    return [denied, ...stopAll(state, false)];
  }
  const failure = {
    kind: "denied",
    message: `"${command.name}" was denied: ${command.note || "no reason given"}`,
  } as const;
  return [denied, { type: "task.abandoned", task: approval.task, failure }, ...blockDependents(state, approval.task)];
}
