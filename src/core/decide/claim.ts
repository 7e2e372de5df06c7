// How a run comes to its work: a task that is ready, or an attempt that nobody carries any more.
import type { Event } from "../../protocol/event.ts";
import type { RunId, TaskId } from "../../protocol/ids.ts";
import { lacksJudge } from "../judging.ts";
import type { ReadonlyRun, ReadonlyState } from "../state.ts";
import { effectFor } from "./effects.ts";
import { missingValidation } from "./session.ts";

export function claim(state: ReadonlyState, { id: run }: ReadonlyRun, id: TaskId): readonly Event[] {
  const task = state.tasks.get(id);
  if (task === undefined) throw new Error(`${id} is ready but not in the plan`);
  if (lacksJudge(task.spec)) return [missingValidation(run, id)];
  const attempt = task.claims + 1;
  const fence = state.fence + 1;
  const lane = lowestFreeLane(state);
  return [
    { type: "task.claimed", task: id, attempt, lane, fence },
    effectFor(
      { task: id, attempt, lane, run, fence, step: 1 },
      {
        kind: "workspace.open",
        resume: task.spec.kind === "feature" ? task.lastCandidate : null,
      },
    ),
  ];
}

/** The orphan keeps its lane number, for its workspace lies there; only how many are active is bounded by the lanes. */
export function adopt(state: ReadonlyState, run: RunId, task: TaskId): readonly Event[] {
  const phase = state.tasks.get(task)?.phase;
  const id = phase?.status === "in_progress" ? phase.attempt.effect : null;
  if (id === null) throw new Error(`${task} is in progress and waits for nothing`);
  return [{ type: "effect.adopted", id, run, fence: state.fence + 1 }];
}

function lowestFreeLane(state: ReadonlyState): number {
  const used = new Set<number>();
  for (const task of state.working) {
    const phase = state.tasks.get(task)?.phase;
    if (phase?.status === "in_progress") used.add(phase.attempt.lane);
  }
  let lane = 0;
  while (used.has(lane) || state.retiredLanes.has(lane)) lane++;
  return lane;
}
