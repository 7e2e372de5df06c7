// What a mission may use and has used, as people are shown it.
import type { Budget, BudgetView, Capped, Forecast } from "../../protocol/budget.ts";
import type { EventOf } from "../../protocol/event.ts";
import { capOf, cappable, type ReadonlyLedger } from "../ledger.ts";
import { moneyText, tokensText } from "./used.ts";

const minuteMs = 60_000;

export function budgetView(ledger: ReadonlyLedger): BudgetView {
  const cap = (of: Capped, one: number) => {
    const most = capOf(ledger, of);
    return most === null ? null : most / one;
  };
  const { charged, reserved, over, untold, ms, reached } = ledger;
  return {
    caps: { usd: cap("nanoUsd", 1e9), tokens: cap("tokens", 1), minutes: cap("ms", minuteMs) },
    charged: { usd: charged.nanoUsd / 1e9, tokens: charged.tokens, minutes: ms / minuteMs },
    reserved: { usd: reserved.nanoUsd / 1e9, tokens: reserved.tokens },
    over: { usd: over.nanoUsd / 1e9, tokens: over.tokens },
    untold: { usd: untold.nanoUsd / 1e9, tokens: untold.tokens },
    reached: reached === null ? null : ({ nanoUsd: "usd", tokens: "tokens", ms: "minutes" } as const)[reached],
  };
}

/** `$0.90 of $1.00, 12.0k of 1.0M tokens`; empty where nothing is capped. */
export function budgetText({ caps, charged, reserved, over, untold }: BudgetView): string {
  const money = caps.usd === null ? [] : [`${moneyText(charged.usd)} of ${moneyText(caps.usd)}`];
  const words = caps.tokens === null ? [] : [`${tokensText(charged.tokens)} of ${tokensText(caps.tokens)} tokens`];
  const time = caps.minutes === null ? [] : [`${minutesText(charged.minutes)} of ${minutesText(caps.minutes)} minutes`];
  const out = caps.usd !== null && reserved.usd > 0 ? [`${moneyText(reserved.usd)} given to agents at work`] : [];
  const beyond = over.usd > 0 ? [`${moneyText(over.usd)} beyond what was given`] : [];
  const full = [
    ...(caps.usd !== null && untold.usd > 0 ? [moneyText(untold.usd)] : []),
    ...(caps.tokens !== null && untold.tokens > 0 ? [`${tokensText(untold.tokens)} tokens`] : []),
  ];
  const unknown = full.length === 0 ? [] : [`${full.join(" and ")} of it in full, for agents that did not tell`];
  const all = [...money, ...words, ...time];
  return all.length === 0 ? "" : [...all, ...unknown, ...out, ...beyond].join(", ");
}

/** `$0.30 a finished task; the 4 that are left: about $1.20, nine times in ten under $1.60`. */
export function forecastText({ perTaskUsd, left, p50Usd, p90Usd }: Forecast): string {
  const each = `${moneyText(perTaskUsd)} for each finished task`;
  if (left === 0) return each;
  const most = p90Usd === null ? "" : `, nine times in ten under ${moneyText(p90Usd)}`;
  return `${each}; the ${left === 1 ? "one" : left} left: about ${moneyText(p50Usd)}${most}`;
}

/** Why a run ends at a cap, in a line. */
export const reachedText = ({ of, used, cap }: Pick<EventOf<"budget.reached">, "of" | "used" | "cap">): string =>
  of === "ms"
    ? `the time is used up: ${amountText(of, used)} of ${amountText(of, cap)}`
    : `the budget is used up: ${amountText(of, used)} of ${amountText(of, cap)}, and no further iteration fits`;

/** `$1.00, 30 minutes`. */
export const capsText = (budget: Pick<Budget, Capped>): string =>
  cappable.flatMap((of) => (budget[of] === null ? [] : [amountText(of, budget[of])])).join(", ");

export function amountText(of: Capped, amount: number): string {
  if (of === "ms") return `${minutesText(amount / minuteMs)} minutes`;
  return of === "tokens" ? `${tokensText(amount)} tokens` : moneyText(amount / 1e9);
}

const minutesText = (minutes: number): string => String(Math.round(minutes * 10) / 10);
