// Why the program ended, as a number that scripts can rely on.
import type { Failure } from "../../protocol/failure.ts";
import type { EndReason } from "../../protocol/view.ts";
import type { RunEnd } from "../../runtime/run.ts";

export const exitCodes = {
  done: 0,
  /** The command was used wrongly, or another run is active. */
  usage: 1,
  limit: 5,
  budget: 6,
  /** A person must answer first. */
  waiting: 8,
  stopped: 9,
  environment: 10,
  failedTasks: 11,
  bug: 70,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const byReason: Record<EndReason, ExitCode> = {
  completed: exitCodes.done,
  failed: exitCodes.failedTasks,
  /** One batch was asked for, and work remains (S2). */
  batch: exitCodes.limit,
  limit: exitCodes.limit,
  budget: exitCodes.budget,
  waiting: exitCodes.waiting,
  stopped: exitCodes.stopped,
  environment: exitCodes.environment,
  interrupted: exitCodes.interrupted,
  /** Another run took the mission over. */
  lost: exitCodes.usage,
  lapsed: exitCodes.usage,
};

export const exitOfRun = (end: RunEnd): ExitCode => (end.started ? byReason[end.reason] : exitOfFailure(end.failure));

/** For what failed before a run: the machine is not fit for it, a person must say yes first, or it was asked wrongly. */
export function exitOfFailure({ kind }: Failure): ExitCode {
  if (kind === "usage") return exitCodes.usage;
  if (kind === "dependency") return exitCodes.usage;
  if (kind === "machine_full") return exitCodes.stopped;
  return ["auth", "merge_conflict", "trust"].includes(kind) ? exitCodes.waiting : exitCodes.environment;
}
