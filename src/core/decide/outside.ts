// What an outside worker says of its claim (rules L3, L4). It shows the number it was given; one that is no longer
// the claim's changes nothing.
import type { Event } from "../../protocol/event.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
import type { OutsideReport } from "../../protocol/input.ts";
import type { ReadonlyState } from "../state.ts";
import { refuse } from "./refuse.ts";
import { decideAnswer } from "./task-loop.ts";
import type { Turn } from "./turn.ts";

export function decideOutsideReport(
  state: ReadonlyState,
  input: OutsideReport & { readonly at: number },
): readonly Event[] {
  const { task: id, claim } = input;
  const task = state.tasks.get(id);
  if (task === undefined) return refuse(input.type, id, `there is no task "${id}"`);
  if (task.phase.status !== "in_progress") return refuse(input.type, id, `stale: ${id} is ${task.phase.status}`);
  const { attempt } = task.phase;
  if (attempt.claim !== claim) return refuse(input.type, id, `stale: fence ${claim}, now ${attempt.claim}`);
  if (!state.runs.has(attempt.run) || attempt.run !== input.run || attempt.cancelled) {
    return refuse(input.type, id, `stale: the claim on ${id} has ended`);
  }
  const effect = attempt.effect === null ? undefined : state.pending.get(attempt.effect)?.effect;
  if (effect === undefined || effect.kind === "session.prepare") throw new Error(`${id} waits for nothing`);
  const turn = { state, task, attempt, effect, at: input.at } as Turn;
  if (input.type === "claim.checkpoint") return checkpoint(turn, input);
  if (!isOutsideRun(attempt.run)) {
    return refuse(input.type, id, `${id} is carried by a run, which settles it itself`, "end your turn instead");
  }
  if (effect.kind !== "agent.run") return takeBack(turn, input);
  const end =
    input.type === "claim.finish"
      ? ({ reason: "finished", message: input.message } as const)
      : ({ reason: "failed", failure: input.failure } as const);
  return [
    { type: "effect.answered", id: effect.id },
    ...decideAnswer(turn, { kind: "agent.ended", end, left: input.left }),
  ];
}

function checkpoint({ attempt, effect }: Turn, input: Extract<OutsideReport, { type: "claim.checkpoint" }>) {
  const { task, checkpoint } = input;
  if (effect.kind !== "agent.run") return refuse(input.type, task, `${task} is ${attempt.stage}: its work is over`);
  const { step, total } = checkpoint;
  if (step > total) {
    return refuse(
      input.type,
      task,
      `there is no step ${step} of ${total}`,
      "say the step that is done, and of how many",
    );
  }
  return [{ type: "agent.checkpointed", task, attempt: attempt.number, checkpoint }] as const;
}

/**
 * It said so before, and whoever then went on with it has not come to the end: the new fence shuts that one out. What
 * was handed in as done and not judged yet is not failed by a second word.
 */
function takeBack({ state, attempt, effect }: Turn, { type, task }: OutsideReport): readonly Event[] {
  if (type === "claim.fail" && attempt.failure === null) {
    const message = `${task} is ${attempt.stage}: it was handed in before`;
    return refuse(type, task, message, `to see it to its end: harness done ${task}`);
  }
  return [{ type: "effect.adopted", id: effect.id, run: attempt.run, fence: state.fence + 1 }];
}
