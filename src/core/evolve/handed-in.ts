// An outside worker hands its work in, and something comes of it.
import { isOutsideRun } from "../../protocol/ids.ts";
import type { Attempt } from "../attempt-state.ts";
import type { Holder, LastHandIn } from "../handed-in.ts";
import type { State, TaskState } from "../state.ts";

/** Null: our own lanes hand nothing in. */
export function holderOf({ runs }: State, { run, claim }: Attempt): Holder | null {
  const worker = isOutsideRun(run) ? runs.get(run)?.worker : null;
  return worker == null ? null : { worker, claim };
}

/** Before the task leaves the phase that knows its attempt. */
export function keepAnswer(task: TaskState, status: LastHandIn["status"]): void {
  if (task.phase.status !== "in_progress") return;
  const { handedIn, failure } = task.phase.attempt;
  if (handedIn === null) return;
  if (status === "completed") task.handedIn = { ...handedIn, status };
  else if (failure !== null) task.handedIn = { ...handedIn, status, failure: failure.failure };
}
