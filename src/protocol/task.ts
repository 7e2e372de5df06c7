// What a person or a planner writes down: tasks, how they are judged, and the limits of a mission.
import * as z from "zod";
import { TaskId } from "./ids.ts";
import { Outputs } from "./outputs.ts";
import { LoopPhases, PhaseName } from "./phases.ts";

export const Priority = z.enum(["P0", "P1", "P2"]);
export type Priority = z.infer<typeof Priority>;

export const Validation = z.object({
  command: z.string().min(1).max(10_000),
  timeoutMs: z.int().positive().max(86_400_000).default(300_000),
  /** Cheaper check that runs first; both must pass (A3). */
  quick: z.string().min(1).max(10_000).nullable().default(null),
});
export type Validation = z.infer<typeof Validation>;
/** As it is asked for: what is not given has its default. */
export type ValidationRequest = z.input<typeof Validation>;

/** `feature`: something a user can do afterwards; `fix`: mends what was found; `task`: anything else. */
export const TaskKind = z.enum(["task", "feature", "fix"]);
export type TaskKind = z.infer<typeof TaskKind>;

/** Attempts of a task that does not say how many (A1). */
export const usualAttempts: Readonly<Record<TaskKind, number>> = { task: 3, feature: 5, fix: 3 };

/** A task that is worked on, iteration after iteration, until its agent promises that it is done (rules I1, I2). */
export const Loop = z.object({
  /** The words by which it does. */
  promise: z.string().trim().min(1).max(200).default("TASK_COMPLETE"),
  maxIterations: z.int().positive().max(10_000).default(10),
  /** One after the other, each until its gate passes (I8). */
  phases: LoopPhases.optional(),
});
export type Loop = z.infer<typeof Loop>;

export const TaskSpec = z.object({
  id: TaskId,
  kind: TaskKind.default("task"),
  phase: PhaseName.nullable().default(null),
  title: z.string().trim().min(1).max(500),
  description: z.string().max(100_000).default(""),
  priority: Priority.default("P1"),
  dependsOn: z.array(TaskId).default([]),
  validation: Validation.nullable().default(null),
  maxAttempts: z.int().positive().max(1_000).default(3),
  /** Runs after a failed attempt was archived, in a clean checkout of its base (A5). */
  cleanup: z.string().min(1).max(10_000).nullable().default(null),
  loop: Loop.optional(),
  /** Files that the work must hold, well-formed, before anything else judges it (G1). */
  outputs: Outputs.optional(),
  /** Fields of a task file that mean nothing to us: they survive (F2). */
  extra: z.record(z.string(), z.unknown()).default({}),
});
export type TaskSpec = z.infer<typeof TaskSpec>;

/** Changes to a task that is not under way; what is not given stays. */
export const TaskChange = z
  .object({
    kind: TaskKind,
    phase: PhaseName.nullable(),
    title: TaskSpec.shape.title,
    description: z.string().max(100_000),
    priority: Priority,
    dependsOn: z.array(TaskId),
    validation: Validation.nullable(),
    cleanup: z.string().min(1).max(10_000).nullable(),
    outputs: Outputs,
    extra: z.record(z.string(), z.unknown()),
  })
  .partial();
export type TaskChange = z.infer<typeof TaskChange>;

/** Every limit is exact and no value means "unlimited" (rules B1, S2, I3). */
export const Limits = z.object({
  maxSessions: z.int().positive().max(100_000).default(50),
  maxTasksPerSession: z.int().positive().max(100_000).default(20),
  maxIterations: z.int().positive().max(10_000).default(10),
  /** Attempts cut short before the agent said anything are free this many times; the next one is charged (V1). */
  maxFreeInterruptions: z.int().nonnegative().max(1_000).default(5),
  iterationTimeoutMs: z
    .int()
    .positive()
    .max(7 * 86_400_000)
    .default(3_600_000),
  /** Rounds of the mission in all (B3); the one limit that need not be there, for others end every run. */
  maxRounds: z.int().positive().max(100_000).optional(),
});
export type Limits = z.infer<typeof Limits>;

/** `concurrent`: several runs and outside workers at once, each with a lease (L2). */
export const Concurrency = z.enum(["exclusive", "concurrent"]);
export type Concurrency = z.infer<typeof Concurrency>;

/** Where attempts work: a private clone, a linked work tree, or the user's own checkout. */
export const WorkspaceKind = z.enum(["clone", "worktree", "in-place"]);
export type WorkspaceKind = z.infer<typeof WorkspaceKind>;

export const Checkpoint = z.object({
  step: z.int().nonnegative(),
  total: z.int().positive(),
  description: z.string().max(2_000),
  /** The workspace's tree when the mark was made: recovery resumes only if it is still so (V1). */
  tree: z.string(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** A checkpoint as people see it: when, and which step. */
export const Mark = Checkpoint.omit({ tree: true }).extend({ at: z.number() });
export type Mark = z.infer<typeof Mark>;
