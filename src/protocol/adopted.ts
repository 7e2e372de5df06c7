// A task as it was found in a plan file that has no journal behind it.
import * as z from "zod";
import { Mark, TaskSpec } from "./task.ts";

export const AdoptedTask = z.object({
  spec: TaskSpec,
  status: z.enum(["pending", "in_progress", "completed", "failed"]),
  attempts: z.int().nonnegative(),
  /** Attempts that ended before the agent said anything (V1). */
  interruptions: z.int().nonnegative().default(0),
  /** As written there: `[CATEGORY] text`. */
  errorLog: z.array(z.string().max(20_000)),
  checkpoints: z.array(Mark),
  /** As written there; it need not be a commit of this repository. */
  startedAtCommit: z.string().nullable(),
  completedAt: z.number().nullable(),
  failedAt: z.number().nullable(),
});
export type AdoptedTask = z.infer<typeof AdoptedTask>;

/** A whole plan file, read. */
export interface AdoptedPlan {
  readonly createdAt: number | null;
  readonly concurrencyMode: "exclusive" | "concurrent";
  readonly maxSessions: number;
  readonly maxTasksPerSession: number;
  readonly sessions: number;
  readonly lastSessionAt: number | null;
  readonly tasks: readonly AdoptedTask[];
  /** Top-level fields that mean nothing to us. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** What was left out or read with tolerance, one line each (F7). */
  readonly warnings: readonly string[];
}
