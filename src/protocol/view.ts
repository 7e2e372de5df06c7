// What surfaces and notifiers receive. Views are projections; nothing is decided from them.
import * as z from "zod";
import { Used } from "./account.ts";
import { AgentIdentity } from "./agent.ts";
import { BudgetView, Forecast } from "./budget.ts";
import { RunId, TaskId } from "./ids.ts";
import { PhaseName } from "./phases.ts";
import { TaskKind } from "./task.ts";
import { Wait } from "./wait.ts";

export const EndReason = z.enum([
  "completed",
  "failed",
  /** It took what it was allowed to take, and there is more to do (S2). */
  "batch",
  "limit",
  /** No further iteration fits into what the mission may use (B2). */
  "budget",
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
  /** The loop it worked on last, with its counters as they were then; null: it worked on none. */
  task: TaskId.nullable(),
  objective: z.string().nullable(),
  maxIterations: z.int().positive().nullable(),
  promise: z.string().nullable(),
  /** Of that loop, earlier runs included; else the agent sessions of this run. */
  iterations: z.int().nonnegative(),
  /** What its iterations told that they used; `unknown`: how many did not tell all. */
  nanoUsd: z.int().nonnegative(),
  tokens: z.int().nonnegative(),
  unknown: z.int().nonnegative(),
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
  /** Files that its work must hold. */
  outputs: z.array(z.string()).readonly(),
  status: z.enum(["pending", "in_progress", "completed", "failed", "blocked"]),
  stage: z.string().nullable(),
  lane: z.int().nullable(),
  /** Which phase of a loop it is in; null: it has none, or has ended. */
  loopPhase: z.object({ name: z.string(), number: z.int(), of: z.int() }).nullable(),
  attempts: z.int(),
  maxAttempts: z.int(),
  since: z.number().nullable(),
  commit: z.string().nullable(),
  /** Completed by its agent's word alone: nothing checked it. */
  unverified: z.literal(true).optional(),
  /** Its work is in the user's branch. */
  accepted: z.boolean(),
  /** Its work was taken out of the mission branch: nobody wanted it. */
  dropped: z.boolean(),
  lastError: z.string().nullable(),
  /** By the agents of all its attempts. */
  used: Used,
  /** Who did its last iteration; null: nobody told. */
  agent: AgentIdentity.nullable(),
  /** The last remarks of its agents. */
  notes: z.array(z.string()).readonly(),
  /** The phase of the plan that has to be done first (I8). */
  waitsForPhase: z.string().optional(),
});
export type TaskLine = z.infer<typeof TaskLine>;

export const StatusView = z.object({
  mission: z.object({ id: z.string(), branch: z.string(), state: z.enum(["idle", "running", "paused", "stopping"]) }),
  stats: Stats,
  /** By the agents of all tasks. */
  used: Used,
  /** What they may use, and what is charged to it; null: nothing is capped. */
  budget: BudgetView.nullable(),
  /** What finished tasks have cost, and what the rest is likely to; null: nobody told. */
  forecast: Forecast.nullable(),
  /** Why nothing more is begun, although something is ready; null: it is. */
  roundsOver: z.string().nullable(),
  sessions: z.int(),
  lastSessionAt: z.number().nullable(),
  lanes: z.int(),
  /** What keeps agents in their place, in the present or else the last run; null: nobody noted it. */
  sandbox: z.string().nullable(),
  /** Finished tasks that are, or are not yet, in the user's branch. */
  finished: z.object({ accepted: z.int(), waiting: z.int() }),
  /** Agents that cannot serve now, and when they are tried again. */
  waits: z.array(Wait.pick({ agent: true, kind: true, message: true, until: true, quiet: true })),
  waitingFor: z.array(z.object({ name: z.string(), question: z.string(), task: TaskId.nullable() })),
  tasks: z.array(TaskLine),
});
export type StatusView = z.infer<typeof StatusView>;

export interface Notification {
  readonly kind: "done" | "failed" | "approval" | "limit-wait" | "ended";
  readonly text: string;
}
