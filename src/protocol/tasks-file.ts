// harness-tasks.json, version 2 (rule F2): what we write, and what the published JSON Schema says. Reading is more
// tolerant than this (rule F7): see core/tasks-file/read.ts.
import * as z from "zod";
import { TaskId } from "./ids.ts";
import { Outputs } from "./outputs.ts";
import { PhaseName } from "./phases.ts";
import { Checkpoint, Limits, Priority, TaskKind, TaskSpec, Validation } from "./task.ts";

export const tasksFileVersion = 2;

const Moment = z.iso.datetime({ offset: true });
const texts = z.array(z.string());

export const StoredStatus = z.enum(["pending", "in_progress", "completed", "failed"]);
export type StoredStatus = z.infer<typeof StoredStatus>;

const StoredValidation = z.looseObject({
  /** Without one nothing but the mission's default can judge the task. */
  command: Validation.shape.command.optional(),
  timeout_seconds: z.number().positive().max(86_400).default(300),
  quick: z.string().min(1).max(10_000).optional(),
});

const StoredMark = z.looseObject({
  step: Checkpoint.shape.step,
  total: Checkpoint.shape.total,
  description: Checkpoint.shape.description,
  timestamp: Moment,
});

/** Fields in the order in which they are written. */
export const TaskEntry = z.looseObject({
  id: TaskId,
  title: TaskSpec.shape.title,
  status: StoredStatus,
  priority: Priority.default("P1"),
  depends_on: z.array(TaskId).default([]),
  attempts: z.int().nonnegative().default(0),
  max_attempts: TaskSpec.shape.maxAttempts,
  started_at_commit: z.string().nullable().default(null),
  validation: StoredValidation.optional(),
  on_failure: z.looseObject({ cleanup: z.string().min(1).max(10_000).nullable().default(null) }).optional(),
  error_log: texts.default([]),
  checkpoints: z.array(StoredMark).default([]),
  completed_at: Moment.nullable().default(null),
  claimed_by: z.string().optional(),
  claimed_at: Moment.optional(),
  lease_expires_at: Moment.optional(),

  // From here on ours; readers that do not know them lose nothing.
  kind: TaskKind.optional(),
  phase: PhaseName.nullable().optional(),
  description: z.string().max(100_000).optional(),
  /** Files that the work must hold (G1). */
  output_artifacts: Outputs.optional(),
  claims: texts.optional(),
  acceptance_criteria: texts.optional(),
  output_files: texts.optional(),
  /** What happens inside `in_progress` (F3). */
  stage: z.string().optional(),
  fence: z.int().positive().optional(),
  failed_at: Moment.optional(),
  interruptions: z.int().nonnegative().optional(),
  qa_cycle_count: z.int().nonnegative().optional(),
  blocked_by: TaskId.optional(),
  unverified: z.boolean().optional(),
});
export type TaskEntry = z.infer<typeof TaskEntry>;

export const SessionConfig = z.looseObject({
  concurrency_mode: z.enum(["exclusive", "concurrent"]).default("exclusive"),
  max_tasks_per_session: Limits.shape.maxTasksPerSession,
  max_sessions: Limits.shape.maxSessions,
});

export const TasksFile = z.looseObject({
  version: z.literal(tasksFileVersion),
  created: Moment,
  session_config: SessionConfig,
  tasks: z.array(TaskEntry),
  session_count: z.int().nonnegative().default(0),
  last_session: Moment.nullable().default(null),
});
export type TasksFile = z.infer<typeof TasksFile>;

/** For editors and other tools: what a person may write, so fields with a default may be left out. */
export const tasksFileJsonSchema = (): Record<string, unknown> => z.toJSONSchema(TasksFile, { io: "input" });

const iso = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;
const endOfYear9999 = 253_402_300_799_999;

/** An ISO time as milliseconds; without a zone it is UTC, so that it means the same everywhere. Null: it is none. */
export function momentOf(text: string): number | null {
  const found = iso.exec(text);
  if (found === null || !isDay(text.slice(0, 10))) return null;
  const zoned = text.length > 10 && found[1] === undefined ? `${text}Z` : text;
  const at = Date.parse(zoned.replace(" ", "T"));
  return at >= 0 && at <= endOfYear9999 ? at : null;
}

/** Date.parse takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
