// Questions that wait for a person, and what a yes or a no brings about.
import type { Event } from "../../protocol/event.ts";
import type { Command } from "../../protocol/input.ts";
import type { TaskChange } from "../../protocol/task.ts";
import type { ReadonlyState } from "../state.ts";
import { addTask } from "./add-task.ts";
import { blockDependents, isLostCause } from "./blocking.ts";
import { budgetQuestion, raiseBudget } from "./budget.ts";
import { refuse } from "./refuse.ts";
import { editTask } from "./revise.ts";
import { stopAll } from "./stop.ts";

export function ask(state: ReadonlyState, command: Extract<Command, { type: "approval.ask" }>): readonly Event[] {
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
export function grant(
  state: ReadonlyState,
  { name, note }: Extract<Command, { type: "approval.grant" }>,
): readonly Event[] {
  const approval = state.approvals.get(name);
  if (approval === undefined) return refuse("approval.grant", name, `nobody asked "${name}"`);
  const granted: Event = { type: "approval.granted", name, ...(note === undefined ? {} : { note }) };
  if (name === budgetQuestion && approval.task === null && approval.from === null)
    return [granted, ...raiseBudget(state)];
  if (approval.proposal !== null) {
    const added = addTask(state, approval.proposal);
    return added[0]?.type === "input.refused" ? added : [granted, ...added];
  }
  if (approval.task === null || approval.change === null) return [granted];
  const changed = editTask(state, approval.task, approval.change as TaskChange);
  return changed[0]?.type === "input.refused" ? changed : [granted, ...changed];
}

/** A denied task is given up; a denied mission takes no new work. */
export function deny(state: ReadonlyState, command: Extract<Command, { type: "approval.deny" }>): readonly Event[] {
  const approval = state.approvals.get(command.name);
  if (approval === undefined) return refuse(command.type, command.name, `nobody asked "${command.name}"`);
  const denied: Event = { type: "approval.denied", name: command.name, note: command.note };
  // What was only a wish – to change the task, or of an agent – leaves everything as it was.
  if (approval.change !== null || approval.from !== null) return [denied];
  if (approval.task === null) {
    return [denied, ...stopAll(state, false)];
  }
  const failure = {
    kind: "denied",
    message: `"${command.name}" was denied: ${command.note || "no reason given"}`,
  } as const;
  return [denied, { type: "task.abandoned", task: approval.task, failure }, ...blockDependents(state, approval.task)];
}
