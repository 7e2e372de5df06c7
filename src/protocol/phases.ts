// Phases: stretches of work, each with its own goal and the gate that ends it (rule I8).
import * as z from "zod";
import { Outputs } from "./outputs.ts";

/** A stretch of the plan such as `engineering`; ids begin with it (K5). Or one of a loop. */
export const PhaseName = z
  .string()
  .trim()
  .regex(/^[a-z][a-z0-9-]{0,63}$/i, "must be 1–64 letters, digits or '-', starting with a letter");
export type PhaseName = z.infer<typeof PhaseName>;

export const LoopPhase = z.strictObject({
  name: PhaseName,
  prefix: z.string().trim().min(1).max(8_000).describe("What the agent is told before the objective."),
  gate: z
    .strictObject({
      outputs: Outputs.min(1).optional().describe("Files that must be there, well-formed."),
      command: z.string().trim().min(1).max(10_000).optional().describe("Shell command: exit 0 passes."),
    })
    .refine(({ outputs, command }) => outputs !== undefined || command !== undefined, "must name outputs or a command")
    .describe("What must pass, on a clean checkout of the work, before the next phase begins."),
});
export type LoopPhase = z.infer<typeof LoopPhase>;

export const LoopPhases = z
  .array(LoopPhase)
  .min(1)
  .max(20)
  .refine((phases) => new Set(phases.map(({ name }) => name)).size === phases.length, "must not name a phase twice");
export type LoopPhases = z.infer<typeof LoopPhases>;

/** Phases that have a name of their own. */
export const PhasesPreset = z.enum(["standard", "product"]);
export type PhasesPreset = z.infer<typeof PhasesPreset>;
export const presetPhases = {
  standard: ["plan", "research", "build", "verify"],
  product: ["architecture", "uiux", "engineering", "qa"],
} as const satisfies Record<PhasesPreset, readonly PhaseName[]>;

const of = { task: z.string(), attempt: z.int().positive() };
export const phaseFacts = {
  /** Its gate passed, and the next phase begins with the next iteration; the last one ends with the merge. */
  "phase.passed": z.object({
    ...of,
    iteration: z.int().positive(),
    phase: PhaseName,
    /** Which one it was, of how many. */
    number: z.int().positive(),
    of: z.int().positive(),
    commit: z.string(),
  }),
  /** From this run on phases of the plan begin one after the other, in this order; null: only dependencies bind. */
  "barrier.changed": z.object({ run: z.string(), phases: z.array(PhaseName).nullable() }),
} as const;
