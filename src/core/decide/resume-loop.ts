// A loop that was stopped goes on where it was: same counters, same work, and another limit or promise if that is asked
// for (rule I4).
import type { Event } from "../../protocol/event.ts";
import type { Command } from "../../protocol/input.ts";
import type { Loop } from "../../protocol/task.ts";
import type { ReadonlyState } from "../state.ts";
import { refuse } from "./refuse.ts";
import { retryTask } from "./revise.ts";

export function resumeLoop(
  state: ReadonlyState,
  { task: id, maxIterations, promise }: Extract<Command, { type: "loop.resume" }>,
): readonly Event[] {
  const task = state.tasks.get(id);
  const no = (why: string, remedy?: string) => refuse("loop.resume", id, why, remedy);
  if (task === undefined) return no(`there is no task "${id}"`);
  const { loop: before } = task.spec;
  if (before === undefined) return no(`"${id}" is no loop`, "harness run goes on with it");
  const { status } = task.phase;
  if (status === "completed") return no(`"${id}" is done`, "harness accept takes it into your branch");
  if (status === "blocked") return no(`"${id}" is blocked`, "harness tasks shows by what");
  const loop = {
    ...before,
    ...(maxIterations !== undefined && { maxIterations }),
    ...(promise !== undefined && { promise }),
  };
  const used = task.iterations;
  // The next of one that is in progress may be decided already, and only wait for its turn.
  const isCut = loop.maxIterations < before.maxIterations;
  if (used >= loop.maxIterations && (status !== "in_progress" || isCut))
    return no(
      `all ${used} iterations of "${id}" are used up`,
      `allow more: --max-iterations ${used + before.maxIterations}`,
    );
  const isRevised = loop.maxIterations !== before.maxIterations || loop.promise !== before.promise;
  const revised: readonly Event[] = isRevised ? [{ type: "loop.revised", task: id, loop: loop as Loop }] : [];
  if (status !== "failed") return revised;
  const retried = retryTask(state, id);
  if (retried[0]?.type === "input.refused") return retried;
  return [
    ...revised,
    ...retried.map((event) => (event.type === "task.retried" ? { ...event, iterations: used } : event)),
  ];
}
