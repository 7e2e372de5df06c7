// Questions that wait for a person, and their answers.
import * as z from "zod";
import { TaskId } from "./ids.ts";
import { TaskChange } from "./task.ts";
import { Asker, Proposal } from "./told.ts";

export const approvalFacts = {
  "approval.asked": z.object({
    name: z.string(),
    task: TaskId.nullable(),
    question: z.string(),
    /** What a grant brings about for the task. */
    change: TaskChange.nullable(),
    /** An agent asked: its task waits for the answer, which is told to the next iteration and has no other consequence. */
    from: Asker.optional(),
    /** What a grant adds to the plan; then nothing waits for the answer. */
    proposal: Proposal.optional(),
  }),
  "approval.granted": z.object({ name: z.string(), note: z.string().optional(), by: z.string().optional() }),
  "approval.denied": z.object({ name: z.string(), note: z.string(), by: z.string().optional() }),
  /** Nobody needs the answer any more. */
  "approval.withdrawn": z.object({ name: z.string() }),
} as const;
