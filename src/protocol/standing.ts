// What an iteration left for the one after it: facts about its workspace, and why it was cut short.
import * as z from "zod";

/**
 * `overflow`: its context could not take any more. `repeating`: the same call of a tool failed again and again.
 * `context`: its context was nearly full.
 */
export const CutBecause = z.enum(["overflow", "repeating", "context"]);
export type CutBecause = z.infer<typeof CutBecause>;

/** How much of where the work stands is kept; a text may grow a little when secrets are taken out of it. */
export const longestStanding = { files: 30, commits: 10, subject: 200, lists: 5, items: 5, item: 200 };

const count = z.int().nonnegative();
const text = z.string().max(400);
const path = z.string().max(500);
/** Where the work stands, for whoever goes on with it: nobody had to write it down. */
export const Standing = z.object({
  /** Against the base, all files together; null: of one that is not made of lines. */
  changed: z.object({
    files: count,
    added: count,
    removed: count,
    most: z.array(z.object({ path, added: count.nullable(), removed: count.nullable() })).max(longestStanding.files),
  }),
  /** Of the agent's own, newest first. */
  commits: z.array(text).max(longestStanding.commits),
  /** Lists to tick off at the top of the project. */
  lists: z
    .array(z.object({ path, done: count, open: count, next: z.array(text).max(longestStanding.items) }))
    .max(longestStanding.lists),
});
export type Standing = z.infer<typeof Standing>;

/** How the workspace was when the iteration ended. */
export const Stood = z.object({
  /** Of all files that a candidate would hold. */
  tree: z.string(),
  standing: Standing.optional(),
});
export type Stood = z.infer<typeof Stood>;
