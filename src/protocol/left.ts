// What an agent leaves in its workspace for us (rules I5, I7): where it is looked for, how much of it is taken, and the
// facts that come of it.
import * as z from "zod";
import { Handoff } from "./handoff.ts";
import { TaskId } from "./ids.ts";

/** From the state root. Neither is part of a candidate, unless the project itself tracks it. */
export const leftPaths = { handoff: "state/handoff.json", results: "search_results" } as const;

/** What one look takes at most; the rest is named, and stays where it is. */
export const mostLeft = {
  handoffBytes: 64 * 1024,
  resultBytes: 512 * 1024,
  results: 40,
  /** Names, also of what is not taken. */
  looked: 100,
  allBytes: 4 * 1024 * 1024,
  /** Of one finding, in characters: a longer result becomes several. */
  finding: 20_000,
  /** Files and other things that are named as not taken. */
  named: 10,
} as const;

/** As it lies there, read without following, waiting for or believing anything. */
export interface LeftFiles {
  readonly handoff: string | null;
  /** In the order of their names, byte by byte. */
  readonly results: readonly { readonly name: string; readonly text: string }[];
  readonly untaken: readonly { readonly what: string; readonly why: string }[];
}

export const nothingLeft: LeftFiles = { handoff: null, results: [], untaken: [] };

const Untaken = z.object({ what: z.string(), why: z.string(), hash: z.string() });
/** Of a file that was taken: which part of it, and a hash of where it was and what it held. */
const Piece = z.object({ hash: z.string(), part: z.int().positive(), parts: z.int().positive() });

/** The same, redacted and in pieces, as an answer tells it. */
export const Left = z.object({
  handoff: z.object({ handoff: Handoff, hash: z.string() }).nullable(),
  findings: z.array(z.object({ title: z.string(), text: z.string(), file: Piece })),
  untaken: z.array(Untaken),
});
export type Left = z.infer<typeof Left>;
export const LeftPiece = Piece;

export const leftFacts = {
  /** What an agent left and was not taken; `more`: how many of these are not named. */
  "left.refused": z.object({
    task: TaskId,
    attempt: z.int().positive(),
    iteration: z.int().positive(),
    untaken: z.array(Untaken),
    more: z.int().nonnegative(),
  }),
} as const;
