// Work that does not apply to the head of the mission branch any more: which files, and what others did to them (G5).
import * as z from "zod";
import { CommitId, TaskId } from "./ids.ts";

/** A brief and a journal hold this many; the workspace checks all of them. */
export const longest = { files: 50, path: 500, others: 20, subject: 200 };

export const ConflictFile = z.object({
  path: z.string().max(longest.path),
  /** Both sides are in the file, between markers; else one side removed, moved or cannot be merged by lines. */
  marked: z.boolean(),
});
export type ConflictFile = z.infer<typeof ConflictFile>;

/** A commit of the mission branch since the attempt's base that touched the files in conflict. */
export const OtherCommit = z.object({
  commit: CommitId,
  task: TaskId.nullable(),
  subject: z.string().max(longest.subject),
});
export type OtherCommit = z.infer<typeof OtherCommit>;

/** An attempt's work on the new head of the mission branch, both sides in the files that are in conflict. */
export const Rebased = z.object({
  /** The head it is on now. */
  base: CommitId,
  /** The work as it was, one commit on the base it had. */
  kept: CommitId,
  /** Of the workspace as it was left. */
  tree: z.string(),
  files: z.array(ConflictFile).max(longest.files),
  fileCount: z.int().nonnegative(),
  others: z.array(OtherCommit).max(longest.others),
});
export type Rebased = z.infer<typeof Rebased>;
