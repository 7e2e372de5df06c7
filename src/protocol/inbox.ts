// A processed result of research, as it lies in `.harness/search_results/processed_json/` (rule I7).
import * as z from "zod";
import { TaskId } from "./ids.ts";

export const InboxRecord = z.object({
  v: z.literal(1),
  /** The name of the file it was. */
  source: z.string(),
  /** Of that name and of what the file held. */
  hash: z.string(),
  /** Null: of no task. */
  task: TaskId.nullable(),
  title: z.string(),
  /** When it was found, or the file last changed. */
  at: z.string(),
  bytes: z.int().nonnegative(),
  /** Put together they are the text of the file. */
  chunks: z.array(z.string()),
});
export type InboxRecord = z.infer<typeof InboxRecord>;

/** Null when the text is no record. */
export function readInboxRecord(text: string): InboxRecord | null {
  try {
    return InboxRecord.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // No JSON.
    return null;
  }
}

export const isTaskId = (text: unknown): text is TaskId => TaskId.safeParse(text).success;
