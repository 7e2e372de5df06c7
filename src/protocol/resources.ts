// What programs may use of the machine, and how much of what they print is kept on disk.
import * as z from "zod";

const most = 1_000_000_000;

export const Resources = z.strictObject({
  memoryMb: z
    .int()
    .min(16)
    .max(most)
    .optional()
    .describe("Memory of one program and all that it starts; four fifths of the machine's if not given."),
  processes: z.int().min(8).max(most).default(2_000).describe("Processes of one program and all that it starts."),
  openFiles: z.int().min(64).max(most).default(65_536).describe("Open files of each process."),
  diskFloorMb: z
    .int()
    .positive()
    .max(most)
    .default(256)
    .describe("Less than this free for the state or for temporary files: nothing is begun, and a run stops."),
});
export type Resources = z.output<typeof Resources>;

/** What one program, with all that it starts, may use. */
export interface ProgramLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly openFiles: number;
}

export const OutputKeeping = z.strictObject({
  maxFileMb: z.int().positive().max(1_000_000).default(16).describe("The newest so much of each program's output."),
  maxTotalMb: z.int().positive().max(most).default(1_024).describe("Of all files together; the oldest go first."),
  maxFiles: z.int().positive().max(1_000_000).default(2_000).describe("The oldest go first."),
});
export type OutputKeeping = z.output<typeof OutputKeeping>;

/** Keys that a project may only make stricter than the user has them; what is stricter. */
export const tightenedKeys = [
  [["resources", "memoryMb"], "less"],
  [["resources", "processes"], "less"],
  [["resources", "openFiles"], "less"],
  [["resources", "diskFloorMb"], "more"],
  [["output", "maxFileMb"], "less"],
  [["output", "maxTotalMb"], "less"],
  [["output", "maxFiles"], "less"],
  [["maxCostUsd"], "less"],
  [["perIterationUsd"], "less"],
  [["maxTokens"], "less"],
  [["perIterationTokens"], "less"],
  [["maxMinutes"], "less"],
] as const satisfies readonly (readonly [readonly string[], "less" | "more"])[];
