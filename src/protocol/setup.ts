// What makes a fresh checkout of a project work: dependencies, files that no commit holds, variables, ports (A1, A4).
import * as z from "zod";
import { ProcessIdentity } from "./agent.ts";

/** From the state root, with slashes; never out of it, and nothing of git's. */
const ProjectPath = z
  .string()
  .max(1_000)
  .regex(
    /^(?!\/)(?!(?:.*\/)?\.(?:\.|git)?(?:\/|$))[^\0\n]+$/,
    "must be a path inside the project, such as .env, and nothing of .git",
  );
const VariableName = z
  .string()
  .regex(/^(?!HARNESS_|GIT_)[A-Za-z_][A-Za-z0-9_]{0,99}$/, "must be the name of a variable, not of HARNESS_… or GIT_…");

export const Setup = z.strictObject({
  command: z.string().trim().min(1).max(10_000).nullable().default(null).describe("Makes a fresh checkout work."),
  inputs: z
    .array(ProjectPath)
    .max(100)
    .default([])
    .describe("Files it depends on, such as lock files; * and ** match."),
  share: z
    .array(z.union([ProjectPath, z.strictObject({ path: ProjectPath, how: z.enum(["copy", "link"]).default("copy") })]))
    .max(100)
    .default([])
    .describe("Ignored files of your checkout that every other checkout gets as well, such as .env."),
  env: z
    .record(VariableName, z.string().max(10_000))
    .default({})
    .describe("For agent, validation, set-up and cleanup."),
  ports: z.array(VariableName).max(20).default([]).describe("Variables that hold a free port, another in each lane."),
  timeoutSeconds: z.int().positive().max(86_400).default(600).describe("How long the command may take."),
});
export type Setup = z.output<typeof Setup>;

/** A port of this machine that is somebody's, as it lies in a file. */
export const PortLease = z.object({
  /** Which variable of which lane of which mission. */
  holder: z.string(),
  owner: ProcessIdentity,
  /** Until when it holds although its owner is gone: an outside worker outlives the verb that leased for it. */
  until: z.number(),
});
export type PortLease = z.infer<typeof PortLease>;
