// What surfaces and notifiers receive. Views are projections; nothing is decided from them.
import * as z from "zod";
import { RunId, TaskId } from "./ids.ts";
import { PhaseName, TaskKind } from "./task.ts";

export const EndReason = z.enum([
  "completed",
  "failed",
  /** It took what it was allowed to take, and there is more to do (S2). */
  "batch",
  "limit",
  "waiting",
  "stopped",
  "environment",
  "interrupted",
  "lost",
  "lapsed",
]);
/**
 * Why a run ended; exit codes follow from it. `lost`: its process died. `lapsed`: its lease ran out, and it may wake up
 * and not know.
 */
export type EndReason = z.infer<typeof EndReason>;

export const RunRow = z.object({
  run: RunId,
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  status: z.union([z.literal("running"), EndReason]),
  lanes: z.int().positive(),
  sessions: z.int().nonnegative(),
  settled: z.int().nonnegative(),
});
export type RunRow = z.infer<typeof RunRow>;

export const Stats = z.object({
  total: z.int(),
  completed: z.int(),
  failed: z.int(),
  pending: z.int(),
  blocked: z.int(),
  inProgress: z.int(),
  attempts: z.int(),
  checkpoints: z.int(),
});
/** Each task counts once: the counts add up to `total` (rule N3). */
export type Stats = z.infer<typeof Stats>;

export const TaskLine = z.object({
  id: TaskId,
  kind: TaskKind,
  phase: PhaseName.nullable(),
  title: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "failed", "blocked"]),
  stage: z.string().nullable(),
  lane: z.int().nullable(),
  attempts: z.int(),
  maxAttempts: z.int(),
  since: z.number().nullable(),
  commit: z.string().nullable(),
  /** Its work is in the user's branch. */
  accepted: z.boolean(),
  lastError: z.string().nullable(),
});
export type TaskLine = z.infer<typeof TaskLine>;

export const StatusView = z.object({
  mission: z.object({ id: z.string(), branch: z.string(), state: z.enum(["idle", "running", "paused", "stopping"]) }),
  stats: Stats,
  sessions: z.int(),
  lastSessionAt: z.number().nullable(),
  lanes: z.int(),
  /** Finished tasks that are, or are not yet, in the user's branch. */
  finished: z.object({ accepted: z.int(), waiting: z.int() }),
  waitingFor: z.array(z.object({ name: z.string(), question: z.string(), task: TaskId.nullable() })),
  tasks: z.array(TaskLine),
});
export type StatusView = z.infer<typeof StatusView>;

export interface Notification {
  readonly kind: "done" | "failed" | "approval" | "ended";
  readonly text: string;
}
