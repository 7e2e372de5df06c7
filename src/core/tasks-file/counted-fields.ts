// What is counted and recorded here; an edit of it would be a claim without proof, so it is refused (F6).
import type { AdoptedPlan, AdoptedTask } from "../../protocol/adopted.ts";
import type { TaskId } from "../../protocol/ids.ts";

interface Counted {
  readonly field: string;
  readonly of: (task: AdoptedTask) => unknown;
  readonly why: (id: TaskId) => string;
}
const reset = (id: TaskId): string => `only a passed validation completes a task; to start over: harness reset ${id}`;
const recorded = (): string => "it is recorded in the journal and only shown here";
export const countedFields: readonly Counted[] = [
  { field: "status", of: ({ status }) => status, why: reset },
  { field: "attempts", of: ({ attempts }) => attempts, why: (id) => `attempts are counted; use: harness reset ${id}` },
  {
    field: "max_attempts",
    of: ({ spec }) => spec.maxAttempts,
    why: (id) => `limits are not changed by hand; for one more: harness retry ${id}`,
  },
  { field: "interruptions", of: ({ interruptions }) => interruptions, why: recorded },
  { field: "started_at_commit", of: ({ startedAtCommit }) => startedAtCommit, why: recorded },
  { field: "error_log", of: ({ errorLog }) => errorLog, why: recorded },
  { field: "checkpoints", of: ({ checkpoints }) => checkpoints, why: recorded },
  { field: "completed_at", of: ({ completedAt }) => completedAt, why: recorded },
  { field: "failed_at", of: ({ failedAt }) => failedAt, why: recorded },
];

/** The same for the file itself. */
export const fieldsOfFile: Readonly<Record<string, (plan: AdoptedPlan) => unknown>> = {
  created: ({ createdAt }) => createdAt,
  "session_config.concurrency_mode": ({ concurrencyMode }) => concurrencyMode,
  "session_config.max_tasks_per_session": ({ maxTasksPerSession }) => maxTasksPerSession,
  "session_config.max_sessions": ({ maxSessions }) => maxSessions,
  session_count: ({ sessions }) => sessions,
  last_session: ({ lastSessionAt }) => lastSessionAt,
};
