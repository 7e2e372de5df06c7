// Facts about one life of the engine, or of an outside worker, which is a run of its own.
import * as z from "zod";
import { ProcessIdentity } from "./agent.ts";
import { Failure } from "./failure.ts";
import { RunId, TaskId } from "./ids.ts";
import { EndReason } from "./view.ts";

export const runFacts = {
  "run.started": z.object({
    run: RunId,
    owner: ProcessIdentity,
    lanes: z.int().positive(),
    initScript: z.boolean(),
    /** How it is named where its claims are shown (L2); null in journals from before there were names. */
    worker: z.string().nullable(),
    /** How many tasks it may take at most; null: as many as there are. */
    claims: z.int().positive().nullable(),
    /** Null: alive as long as its process is. */
    leaseSeconds: z.number().positive().nullable(),
    /** The name of its driver; not known before there were waits. */
    agent: z.string().optional(),
  }),
  /** How what runs in a workspace is kept in it from this run on. */
  "sandbox.changed": z.object({ run: RunId, sandbox: z.string() }),
  /** A visible lock that named a dead process was replaced, other than that of a run which this journal knows as lost. */
  "lock.reclaimed": z.object({ pid: z.int().positive() }),
  /** No new claims from here on; `now`: what is under way is interrupted as well. */
  "run.stopRequested": z.object({ run: RunId, now: z.boolean() }),
  /** Nobody can go on until a person has mended this; what is under way is finished first. */
  "run.faulted": z.object({ run: RunId, task: TaskId.nullable(), failure: Failure }),
  "run.ended": z.object({ run: RunId, reason: EndReason, detail: z.string() }),
} as const;
