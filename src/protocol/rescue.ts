// What a rescue says about itself (rule A6). A path is text with one character per byte: names need not be UTF-8.
import * as z from "zod";
import { CommitId, TaskId } from "./ids.ts";

const ObjectId = CommitId;

/** Where an entry's bytes are: an object of the rescue repository, a file of the vault from `at` on, or these lines. */
const Kept = z.discriminatedUnion("in", [
  z.object({ in: z.literal("git") }),
  z.object({ in: z.literal("vault"), file: z.string().regex(/^[0-9a-z]+$/), at: z.int().nonnegative() }),
  z.object({ in: z.literal("manifest") }),
]);

export const RescueEntry = z.object({
  path: z.string().min(1),
  kind: z.enum(["file", "link", "directory", "special"]),
  /** The permission bits. */
  mode: z.int().nonnegative(),
  size: z.int().nonnegative(),
  /** Of a file's bytes. */
  sha256: z.string().nullable(),
  /** Of a file or link that is work: neither ignored nor part of another repository. */
  blob: ObjectId.nullable(),
  /** Of a link. */
  target: z.string().nullable(),
  kept: Kept,
});
export type RescueEntry = z.infer<typeof RescueEntry>;

export const RescueManifest = z.object({ v: z.literal(1), entries: z.array(RescueEntry) });
export type RescueManifest = z.infer<typeof RescueManifest>;

export const RescueSummary = z.object({
  v: z.literal(1),
  task: TaskId,
  attempt: z.int().nonnegative(),
  /** The how manieth of its attempt, from 1. */
  copy: z.int().positive(),
  at: z.int().nonnegative(),
  why: z.string(),
  base: CommitId,
  /** The commit that holds the work; its parents are the base, and one that holds everything else of the place's git. */
  commit: CommitId,
  /** Annotated tags, which no commit can hold: each has a reference of its own. */
  tags: z.array(ObjectId),
  /** Commits whose parents were not kept: the user's repository has them. */
  shallow: z.array(CommitId),
  /** References that the place shared with the user's repository, as they were. */
  refs: z.record(z.string(), CommitId),
  /** Made by the declared set-up, ignored, and not kept. */
  exempt: z.array(z.string()),
  entries: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  /** SHA-256 of all that was found: the same place rescued twice is rescued once. */
  digest: z.string(),
  /** SHA-256 of the manifest's file. */
  manifest: z.string(),
});
export type RescueSummary = z.infer<typeof RescueSummary>;

/** `task-001/2`, and `task-001/2-2` for the second of one attempt. */
export const rescueName = ({ task, attempt, copy }: Pick<RescueSummary, "task" | "attempt" | "copy">): string =>
  `${task}/${attempt}${copy === 1 ? "" : `-${copy}`}`;
