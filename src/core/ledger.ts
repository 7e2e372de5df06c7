// The ledger of a mission (rule B2). An iteration is given a part of what is left before it begins; when it is over it
// is charged with what it used – or with all it was given, if nobody knows – and the rest is free again. So the sum of
// what was charged and what is given out never passes a cap, but for what an agent used beyond what it was given.
import type { Amounts, Budget, BudgetOrigin, Capped, Unit } from "../protocol/budget.ts";
import type { EventOf } from "../protocol/event.ts";
import type { DeepReadonly } from "./deep-readonly.ts";

export interface Ledger {
  /** As it was set; `grants`: how often as much again was allowed. */
  readonly budget: Budget;
  readonly from: BudgetOrigin;
  readonly grants: number;
  readonly charged: Amounts;
  readonly reserved: Amounts;
  /** Used beyond what was reserved. */
  readonly over: Amounts;
  /** Of what is charged: in full, because nobody told. */
  readonly untold: Amounts;
  /** How long runs were on. */
  readonly ms: number;
  /** What the last iterations told that they used: what a further one is likely to use. */
  readonly told: readonly Amounts[];
  readonly warned: readonly Capped[];
  readonly reached: Capped | null;
}
export type ReadonlyLedger = DeepReadonly<Ledger>;

export const units: readonly Unit[] = ["nanoUsd", "tokens"];
export const cappable: readonly Capped[] = [...units, "ms"];

/** As many as say something about the next, and no more. */
const remembered = 50;

export const nothing: Amounts = { nanoUsd: 0, tokens: 0 };

const each = (amount: (unit: Unit) => number): Amounts => ({ nanoUsd: amount("nanoUsd"), tokens: amount("tokens") });
export const plus = (a: Amounts, b: Amounts): Amounts =>
  each((unit) => Math.min(Number.MAX_SAFE_INTEGER, a[unit] + b[unit]));

export function settle(ledger: ReadonlyLedger, event: EventOf<"budget.settled">): Ledger {
  const { reserved: given, charged, basis } = event;
  const reserved = given ?? nothing;
  return {
    ...(ledger as Ledger),
    charged: plus(ledger.charged, charged),
    reserved: each((unit) => Math.max(0, ledger.reserved[unit] - reserved[unit])),
    over:
      given === null
        ? ledger.over
        : plus(
            ledger.over,
            each((unit) => Math.max(0, charged[unit] - reserved[unit])),
          ),
    untold: basis === "unknown" ? plus(ledger.untold, charged) : ledger.untold,
    told: basis === "told" ? [...ledger.told, charged].slice(-remembered) : ledger.told,
  };
}

/** What is allowed by now; null: not capped. */
export function capOf({ budget, grants }: ReadonlyLedger, of: Capped): number | null {
  const cap = budget[of];
  return cap === null ? null : Math.min(Number.MAX_SAFE_INTEGER, cap * (1 + grants));
}

export const usedOf = (ledger: ReadonlyLedger, of: Capped): number => (of === "ms" ? ledger.ms : ledger.charged[of]);

/** `later`: agents at work may leave enough. `never`: nobody is at work, and it is not enough. */
export type Room =
  | { readonly kind: "fits"; readonly amounts: Amounts }
  | { readonly kind: "later" }
  | { readonly kind: "never"; readonly of: Capped };

/**
 * What a further iteration would be given: the least of what is left and what one is given at most. Less than the most
 * only while nobody else is at work, for they may leave more; and never less than iterations of this mission have used,
 * nine times out of ten: that would begin what cannot be ended.
 */
export function roomIn(ledger: ReadonlyLedger): Room {
  const time = capOf(ledger, "ms");
  if (time !== null && ledger.ms >= time) return { kind: "never", of: "ms" };
  const given = { ...nothing };
  let isLater = false;
  for (const unit of units) {
    const cap = capOf(ledger, unit);
    const most = ledger.budget.perIteration[unit];
    const free = cap === null ? most : cap - ledger.charged[unit] - ledger.reserved[unit];
    given[unit] = Math.min(most, free);
    const likely = cap === null ? 0 : usual(ledger, unit);
    if (free >= Math.max(most, likely)) continue;
    if (ledger.reserved[unit] > 0) isLater = true;
    else if (free <= 0 || free < likely) return { kind: "never", of: unit };
  }
  return isLater ? { kind: "later" } : { kind: "fits", amounts: given };
}

/** What nine of ten iterations did not pass; nothing, where none has told. */
function usual({ told }: ReadonlyLedger, unit: Unit): number {
  const sorted = told.map((amounts) => amounts[unit]).sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.9) - 1] ?? 0;
}
