// What a mission may use, and the ledger of it (rule B2): reserved before an iteration begins, settled when it is over.
import * as z from "zod";
import { RunId, TaskId } from "./ids.ts";

const count = z.int().nonnegative();

/** What agents use up. Money in billionths of a dollar: whole numbers add up exactly. */
export const Amounts = z.object({ nanoUsd: count, tokens: count });
export type Amounts = z.infer<typeof Amounts>;
export type Unit = keyof Amounts;

/** What can be capped: the amounts, and the time of runs in milliseconds. */
export const Capped = z.enum(["nanoUsd", "tokens", "ms"]);
export type Capped = z.infer<typeof Capped>;

/** Null: not capped. */
const cap = z.int().positive().nullable();

export const Budget = z.object({
  nanoUsd: cap,
  tokens: cap,
  ms: cap,
  /** What one iteration is given at most, and charged with when nobody knows what it used. */
  perIteration: z.object({ nanoUsd: z.int().positive(), tokens: z.int().positive() }),
  /** The part of a cap at which people are warned, once. */
  warnAt: z.number().gt(0).max(1),
  /** Whether a person is asked at the end of it; else the run stops. */
  ask: z.boolean(),
});
export type Budget = z.infer<typeof Budget>;

/** What is not said stays as it is. `flags`: said for this work, so that no configuration takes it back. */
export const BudgetOrigin = z.enum(["flags", "config"]);
export type BudgetOrigin = z.infer<typeof BudgetOrigin>;
export interface BudgetWish extends Partial<Budget> {
  readonly from: BudgetOrigin;
  /** For new work: what was used before does not count, and neither does what was said before. */
  readonly anew: boolean;
}

export const defaultBudget: Budget = {
  nanoUsd: null,
  tokens: null,
  ms: null,
  perIteration: { nanoUsd: 5_000_000_000, tokens: 5_000_000 },
  warnAt: 0.8,
  ask: false,
};

export const budgetFacts = {
  /** From now on; null: nothing is capped. `anew`: what was used before does not count. */
  "budget.set": z.object({ budget: Budget.nullable(), from: BudgetOrigin, anew: z.boolean() }),
  /** A person allowed as much again as was set. */
  "budget.raised": z.object({ grants: z.int().positive() }),
  /**
   * An iteration is over, and this is what it is charged with: what it told, all it was given if that is not known, or
   * nothing if no agent was started. `reserved`: null, when it began before there was a budget.
   */
  "budget.settled": z.object({
    task: TaskId,
    attempt: z.int().positive(),
    iteration: z.int().positive(),
    reserved: Amounts.nullable(),
    charged: Amounts,
    basis: z.enum(["told", "unknown", "unstarted"]),
  }),
  "budget.warned": z.object({ of: Capped, used: count, cap: count }),
  /** No further iteration fits: runs end, or a person is asked. */
  "budget.reached": z.object({ of: Capped, used: count, cap: count, ask: z.boolean() }),
  /** So long a run was on since it last told; told only where time is capped. */
  "time.passed": z.object({ run: RunId, ms: count }),
} as const;

/** In US dollars. `tasks`: finished ones that it is known from; `left`: those to come. Null: too few to say. */
export const Forecast = z.object({
  perTaskUsd: z.number(),
  tasks: z.int().positive(),
  left: count,
  p50Usd: z.number(),
  p90Usd: z.number().nullable(),
});
export type Forecast = z.infer<typeof Forecast>;

export const BudgetView = z.object({
  /** In dollars, tokens, minutes; null: not capped. */
  caps: z.object({ usd: z.number().nullable(), tokens: count.nullable(), minutes: z.number().nullable() }),
  /** Charged so far: what iterations told, and in full what they did not. */
  charged: z.object({ usd: z.number(), tokens: count, minutes: z.number() }),
  /** Given to agents at work. */
  reserved: z.object({ usd: z.number(), tokens: count }),
  /** Used beyond what was reserved. */
  over: z.object({ usd: z.number(), tokens: count }),
  /** Of what is charged: in full, because nobody told what was used. */
  untold: z.object({ usd: z.number(), tokens: count }),
  /** Which cap leaves no room for a further iteration. */
  reached: z.enum(["usd", "tokens", "minutes"]).nullable(),
});
export type BudgetView = z.infer<typeof BudgetView>;
