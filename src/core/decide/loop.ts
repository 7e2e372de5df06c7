// A loop goes on until its promise was given and kept (rules I1, I2): work that does not pass is no end of the attempt,
// but what the next iteration is told about. All else about it is as with any other task.
import type { Event } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/failure.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
import type { Loop } from "../../protocol/task.ts";
import type { DeepReadonly } from "../deep-readonly.ts";
import { hearPromise } from "../promise.ts";
import { commit, iterateAgain } from "./next-step.ts";
import { failAttempt } from "./settle.ts";
import { after, type Turn } from "./turn.ts";

/** An outside worker has its own way of working: its verb is its word, and there is nobody to start again. */
const loopOf = ({ task, effect }: Turn): DeepReadonly<Loop> | undefined =>
  isOutsideRun(effect.run) ? undefined : task.spec.loop;

/** The agent says that it has finished. Who repairs a conflict was asked for that, and for no promise. */
export function afterItsWord(turn: Turn, message: string): readonly Event[] {
  const loop = loopOf(turn);
  if (loop === undefined || turn.attempt.conflict !== null) return [commit(turn)];
  const heard = hearPromise(message, loop.promise);
  return heard.kept ? [commit(turn)] : goOn(turn, notPromised(loop.promise, heard.near));
}

/** What stands in the way of judging is nothing that an agent could mend. */
export function afterVerdict(turn: Turn, failure: Failure): readonly Event[] {
  const isItsOwn = failure.kind === "test_fail" || failure.kind === "timeout";
  return loopOf(turn) !== undefined && isItsOwn ? goOn(turn, failure) : failAttempt(turn, failure);
}

function goOn(turn: Turn, failure: Failure): readonly Event[] {
  const { attempt, effect } = turn;
  const { iteration } = attempt;
  const unkept: Event = { type: "promise.unkept", task: effect.task, attempt: effect.attempt, iteration, failure };
  return [unkept, ...iterateAgain(after(turn, unkept))];
}

const notPromised = (promise: string, near: string | null): Failure => ({
  kind: "task_exec",
  message:
    near === null
      ? `it ended without the promise ${promise}`
      : `the promise ${promise} was not given alone on the last line, nor as a <promise> tag; what came closest: ${near}`,
});
