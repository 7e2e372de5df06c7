// Plan files of other harnesses, as their tools write them: what the published JSON Schemas say. Reading is more tolerant
// than this (rule F7): see core/plan-files.
import * as z from "zod";
import { TaskId } from "./ids.ts";
import { PhaseName } from "./phases.ts";
import { TaskKind, TaskSpec, Validation } from "./task.ts";

const texts = z.array(z.string());

const judged = {
  validation: z
    .union([
      Validation.shape.command,
      z.looseObject({
        command: Validation.shape.command.optional(),
        timeout_seconds: z.number().positive().max(86_400).default(300),
      }),
    ])
    .optional()
    .describe("The command that judges the work; without one the configured default does."),
  max_attempts: z.int().positive().max(1_000).optional(),
};

const Feature = z.looseObject({
  id: TaskId,
  title: TaskSpec.shape.title,
  kind: TaskKind.optional().describe("Without it a feature, or a fix if the id begins with F-FIX-."),
  phase: PhaseName.nullable().optional(),
  claims: texts.optional().describe("Ids of the assertions that must be shown true."),
  status: z.enum(["todo", "in_progress", "validating", "passed", "failing", "blocked"]).default("todo"),
  attempts: z.int().nonnegative().default(0),
  dependencies: z.array(TaskId).default([]),
  outputs: texts.optional(),
  ...judged,
});

export const FeaturesFile = z.union([z.looseObject({ features: z.array(Feature) }), z.array(Feature)]);

const PhaseTask = z.looseObject({
  id: TaskId.describe("Begins with arch-, uiux-, eng-, eng-fix- or qa-."),
  title: TaskSpec.shape.title,
  description: TaskSpec.shape.description,
  phase: PhaseName.nullable().optional(),
  status: z.enum(["pending", "in_progress", "done", "blocked"]).default("pending"),
  dependencies: z.array(TaskId).default([]),
  acceptance_criteria: texts.optional(),
  output_files: texts.optional(),
  retry_count: z.int().nonnegative().default(0),
  started_at: z.string().nullable().optional(),
  completed_at: z.string().nullable().optional(),
  notes: z.string().nullable().optional(),
  qa_cycle_count: z.int().nonnegative().optional(),
  ...judged,
});

export const PhaseTasksFile = z.looseObject({
  metadata: z.looseObject({ project_name: z.string().optional(), created_at: z.string().optional() }).optional(),
  tasks: z.array(PhaseTask),
});
