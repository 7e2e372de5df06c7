// What is done about each kind of failure (rule E). The compiler asks for a missing row; a test walks all of them.
import type { FailureKind } from "../protocol/failure.ts";

export interface Remedy {
  /** Does the attempt count against `maxAttempts`? */
  readonly charge: boolean;
  /**
   * - `retry`: archive the workspace and try again while attempts are left.
   * - `stop-run`: nobody can go on until a person has mended the cause; the run ends.
   * - `ask`: hold the mission with a question to a person.
   * - `ask-for-task`: hold the task alone with a question to a person; the mission goes on.
   * - `give-up`: the task has failed for good.
   */
  readonly next: "retry" | "stop-run" | "ask" | "ask-for-task" | "give-up";
}

export const remedies: Record<FailureKind, Remedy> = {
  env_setup: { charge: false, next: "stop-run" },
  config: { charge: false, next: "stop-run" },
  task_exec: { charge: true, next: "retry" },
  test_fail: { charge: true, next: "retry" },
  timeout: { charge: true, next: "retry" },
  dependency: { charge: false, next: "give-up" },
  session_timeout: { charge: true, next: "retry" },
  auth: { charge: false, next: "ask" },
  // Others were faster; nobody did anything wrong, and a person decides on each further try (G5).
  merge_conflict: { charge: false, next: "ask-for-task" },
  unresolved: { charge: false, next: "ask-for-task" },
  iterations_used_up: { charge: true, next: "retry" },
  resources: { charge: true, next: "retry" },
  machine_full: { charge: false, next: "stop-run" },
  stuck: { charge: true, next: "retry" },
  denied: { charge: false, next: "give-up" },
  trust: { charge: false, next: "ask" },
  usage: { charge: false, next: "stop-run" },
  cancelled: { charge: false, next: "retry" },
  // Waited for first, as long as core/waiting.ts says.
  usage_limit: { charge: false, next: "stop-run" },
  overloaded: { charge: false, next: "stop-run" },
  rate_limited: { charge: false, next: "stop-run" },
  network: { charge: false, next: "stop-run" },
};
