// What an iteration used, as its agent counts it.
import * as z from "zod";

const count = z.int().nonnegative();

/** `input`: all that was not read from the model's cache, what was written to it included. `cached`: what was read. */
export const Tokens = z.object({ input: count, cached: count, output: count });
export type Tokens = z.infer<typeof Tokens>;

/** How full an agent's context was with its last request, and how much it can take. Others that it sent out have their own. */
export interface Context {
  readonly tokens: number;
  readonly window: number;
}

export const Cost = z.discriminatedUnion("basis", [
  /** The agent's own figure, by list prices. */
  z.object({ basis: z.literal("reported"), usd: z.number().nonnegative() }),
  /** Tokens by a price table of ours. */
  z.object({ basis: z.literal("computed"), usd: z.number().nonnegative() }),
  z.object({ basis: z.literal("unknown") }),
]);
export type Cost = z.infer<typeof Cost>;

/** Of an iteration that was cut short: at least this, and its cost is unknown. */
export const Account = z.object({ turns: count, tokens: Tokens, cost: Cost });
export type Account = z.infer<typeof Account>;

/** The accounts of several iterations together. */
export const Used = z.object({
  turns: count,
  tokens: Tokens,
  /** What is known of the cost, exact to a billionth of a dollar. */
  usd: z.number().nonnegative(),
  /** Iterations of which not all is known: more was used than is said here. */
  unknown: count,
  /** Those among them whose agent was lost before it told anything. */
  lost: count,
  /** Agents at work, or lost and not found yet: what they have used so far is not in it. */
  open: count,
});
export type Used = z.infer<typeof Used>;
