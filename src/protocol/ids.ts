// Names of things, and how computable names are built. An effect's id can be computed again after a crash.
import * as z from "zod";

/** Safe in file names, git refs and log lines by construction; never starts with a dash. */
export const TaskId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    "must be 1–64 letters, digits, '-' or '_', starting with a letter or digit",
  );
export type TaskId = z.infer<typeof TaskId>;

export const RunId = z.string().min(1).max(128);
export type RunId = z.infer<typeof RunId>;

const outside = "outside:";
/** The run of an outside worker, who does the agent's work itself and comes back to say so (L4). */
export const outsideRunId = (id: string): RunId => `${outside}${id}`;
export const isOutsideRun = (run: RunId): boolean => run.startsWith(outside);

export const EffectId = z.string().min(1).max(256);
export type EffectId = z.infer<typeof EffectId>;

/** A full git object id, SHA-1 or SHA-256; the memory double uses the same shape. */
export const CommitId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, "must be a full commit id");
export type CommitId = z.infer<typeof CommitId>;

export const shortCommit = (commit: CommitId): string => commit.slice(0, 7);

/** `task/attempt/n/kind`: unique for ever, because `attempt` counts claims and `n` counts steps inside one attempt. */
export const effectId = (task: TaskId, attempt: number, step: number, kind: string): EffectId =>
  `${task}/${attempt}/${step}/${kind}`;
