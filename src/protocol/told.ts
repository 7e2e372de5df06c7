// What the agent of an attempt tells by a tool, and the facts that come of it. Bounded here once: the tools, the socket
// and the core are of one mind about what is too long.
import * as z from "zod";
import { Handoff } from "./handoff.ts";
import { TaskId } from "./ids.ts";
import { LeftPiece } from "./left.ts";
import { Priority, TaskSpec, Validation } from "./task.ts";

const text = (most: number) => z.string().trim().min(1).max(most);

/** By the name of its tool. None of them names a mission, a task or an attempt: who is asked knows whose words they are. */
export const toldWords = {
  note: z.strictObject({ text: text(2_000) }),
  handoff: z.strictObject({ summary: text(8_000), next: z.string().trim().max(2_000).default("") }),
  inbox_add: z.strictObject({ title: text(200), text: text(20_000) }),
  ask_human: z.strictObject({ question: text(1_000) }),
  add_task: z.strictObject({
    title: text(200),
    description: z.string().max(8_000).default(""),
    /** The command that would judge it. */
    command: text(2_000).nullable().default(null),
    priority: Priority.default("P1"),
    dependsOn: z.array(TaskId).max(50).default([]),
  }),
} as const;

export const Told = z.discriminatedUnion("verb", [
  toldWords.note.extend({ verb: z.literal("note") }),
  toldWords.handoff.extend({ verb: z.literal("handoff") }),
  toldWords.inbox_add.extend({ verb: z.literal("inbox_add") }),
  toldWords.ask_human.extend({ verb: z.literal("ask_human") }),
  toldWords.add_task.extend({ verb: z.literal("add_task") }),
]);
export type Told = z.infer<typeof Told>;
export type ToldVerb = Told["verb"];

/** A task that an agent wants in the plan, as a grant adds it. */
export const Proposal = TaskSpec.pick({
  title: true,
  description: true,
  priority: true,
  dependsOn: true,
  extra: true,
}).extend({ validation: Validation });
export type Proposal = z.infer<typeof Proposal>;

const of = { task: TaskId, attempt: z.int().positive() };
/** Whose agent asked. */
export const Asker = z.object(of);
export type Asker = z.infer<typeof Asker>;

export const toldFacts = {
  /** A remark that stays with the task. */
  "agent.noted": z.object({ ...of, text: z.string() }),
  /** For whoever goes on with the task, in a context that knows nothing; the last one counts. */
  "agent.handedOff": z.object({
    ...of,
    iteration: z.int().positive(),
    handoff: Handoff,
    /** Of the file it was left in; null: it was told by a tool. */
    hash: z.string().nullable(),
  }),
  /** For the inbox; `number` counts the findings of the mission. `file`: it was left in the workspace, not told. */
  "agent.found": z.object({
    ...of,
    number: z.int().positive(),
    title: z.string(),
    text: z.string(),
    file: LeftPiece.optional(),
  }),
  /** `added`: the task that it became; null: a person is asked first. */
  "agent.proposed": z.object({ ...of, title: z.string(), added: TaskId.nullable() }),
} as const;
