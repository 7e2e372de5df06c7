// What a scripted model answers, request by request.
import * as z from "zod";

const Usage = z.strictObject({
  input: z.int().default(100),
  output: z.int().default(10),
  cacheRead: z.int().default(0),
  cacheWrite: z.int().default(0),
});

const Answer = z.strictObject({
  text: z.string().optional(),
  /** Many blocks of one long text each. */
  flood: z.strictObject({ blocks: z.int(), length: z.int() }).optional(),
  calls: z.array(z.strictObject({ tool: z.string(), input: z.record(z.string(), z.unknown()) })).default([]),
  /** The text comes after the calls, not before them. */
  textLast: z.boolean().default(false),
  usage: Usage.prefault({}),
  stop: z.string().optional(),
  /** The stream breaks off in its first block. */
  cut: z.boolean().default(false),
});

const Trouble = z.union([
  z.strictObject({
    status: z.int(),
    headers: z.record(z.string(), z.string()).default({}),
    error: z.looseObject({ type: z.string(), message: z.string() }),
  }),
  /** The stream begins, and then tells of an error. */
  z.strictObject({ streamError: z.looseObject({ type: z.string(), message: z.string() }) }),
  /** No answer: the connection is closed, or kept open for ever. */
  z.strictObject({ silent: z.enum(["closed", "open"]) }),
]);

const Step = z.union([Trouble, Answer]);

/** The last step repeats. */
export const Scenario = z.strictObject({
  /** What it is there to show. */
  about: z.string(),
  steps: z.array(Step).min(1),
  /** To requests that offer no tools. */
  aside: Answer.optional(),
});
export type Scenario = z.output<typeof Scenario>;
export type Answer = z.output<typeof Answer>;
export type Usage = z.output<typeof Usage>;
