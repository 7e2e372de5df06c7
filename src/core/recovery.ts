// The recovery table (rule V1): what becomes of an attempt whose agent was lost, judged by what can be seen.
import type { Answer } from "../protocol/effect.ts";
import type { ReadonlyAttempt, ReadonlyTask } from "./state.ts";

export type Lost = Extract<Answer, { kind: "agent.lost" }>;

export type RecoveryRow =
  | "conflict"
  | "loop"
  | "unheard"
  | "no-progress"
  | "resume"
  | "checkpoint-lost"
  | "commits"
  | "changes"
  | "both";
export interface RecoveryStep {
  /** `validate`: the work is judged as if the agent had just finished. */
  readonly next: "validate" | "resume" | "repair" | "return" | "fail";
  readonly action: string;
  readonly reason: string;
}

export const recoveryTable: Record<RecoveryRow, RecoveryStep> = {
  conflict: {
    next: "repair",
    action: "repair the conflict again",
    reason: "the workspace still is as the conflict was put into it",
  },
  loop: {
    next: "resume",
    action: "start the next iteration",
    reason: "a loop goes on with what its agent left, until the promise is kept",
  },
  unheard: { next: "return", action: "try again, not charged", reason: "interrupted before the agent did anything" },
  "no-progress": { next: "fail", action: "mark failed", reason: "no uncommitted work, no commits, no checkpoints" },
  resume: {
    next: "resume",
    action: "resume from the last checkpoint",
    reason: "the workspace still is what the checkpoint recorded",
  },
  "checkpoint-lost": {
    next: "fail",
    action: "mark failed",
    reason: "the workspace is not what the last checkpoint recorded",
  },
  commits: { next: "validate", action: "validate the commits", reason: "commits since the base, nothing uncommitted" },
  changes: {
    next: "validate",
    action: "validate with the uncommitted changes",
    reason: "uncommitted work, no commits",
  },
  both: {
    next: "validate",
    action: "commit the rest and validate",
    reason: "commits since the base and uncommitted work",
  },
};

/** Which row fits. Free interruptions are bounded: past `maxFree` the same sight is charged as no progress. */
export function recoveryRow(task: ReadonlyTask, attempt: ReadonlyAttempt, seen: Lost, maxFree: number): RecoveryRow {
  // Both sides of a conflict are uncommitted work too, but not the lost agent's.
  if (attempt.conflict?.tree === seen.tree) return "conflict";
  // A session that was started counts, however it ended (I3).
  if (task.spec.loop !== undefined) return "loop";
  if (seen.uncommitted && seen.commits) return "both";
  if (seen.uncommitted) return "changes";
  if (seen.commits) return "commits";
  if (attempt.lastCheckpoint !== null) return attempt.lastCheckpoint.tree === seen.tree ? "resume" : "checkpoint-lost";
  const unheard = !attempt.spoke || attempt.interrupted;
  return unheard && task.interruptions < maxFree ? "unheard" : "no-progress";
}
