// When an iteration may begin, what it is charged with, and what follows when nothing more fits (rule B2).
import type { Account } from "../../protocol/account.ts";
import { type Amounts, type Budget, type BudgetWish, type Capped, defaultBudget } from "../../protocol/budget.ts";
import type { Answer } from "../../protocol/effect.ts";
import type { Event, EventOf } from "../../protocol/event.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
import { capOf, cappable, nothing, settle, usedOf } from "../ledger.ts";
import { isAnyoneShort, roomFor } from "../room.ts";
import type { ReadonlyRun, ReadonlyState } from "../state.ts";
import { amountText, reachedText } from "../views/budget.ts";
import type { Turn } from "./turn.ts";

/** The name of the question to a person. */
export const budgetQuestion = "budget";

/** What a run that starts wants the mission to be bounded by. */
export function setBudget({ ledger, approvals }: ReadonlyState, wish: BudgetWish | undefined): readonly Event[] {
  if (wish === undefined) return [];
  const { from, anew, ...said } = wish;
  // What was said for this work holds until something else is said for it.
  if (!anew && from === "config" && ledger?.from === "flags") return [];
  const budget: Budget = { ...(anew || ledger === null ? defaultBudget : (ledger.budget as Budget)), ...said };
  const isCapped = cappable.some((of) => budget[of] !== null);
  if (!isCapped && ledger === null) return [];
  if (!anew && ledger !== null && isSame(budget, ledger.budget as Budget)) return [];
  const asked: readonly Event[] = approvals.has(budgetQuestion)
    ? [{ type: "approval.withdrawn", name: budgetQuestion }]
    : [];
  return [{ type: "budget.set", budget: isCapped ? budget : null, from, anew }, ...asked];
}

const isSame = (a: Budget, b: Budget): boolean =>
  a.nanoUsd === b.nanoUsd &&
  a.tokens === b.tokens &&
  a.ms === b.ms &&
  a.warnAt === b.warnAt &&
  a.ask === b.ask &&
  a.perIteration.nanoUsd === b.perIteration.nanoUsd &&
  a.perIteration.tokens === b.perIteration.tokens;

/** As much again as was set. */
export const raiseBudget = ({ ledger }: ReadonlyState): readonly Event[] =>
  ledger === null ? [] : [{ type: "budget.raised", grants: ledger.grants + 1 }];

/** What the iteration whose end this is is charged with. */
export function settlement({ state, attempt, effect }: Turn, answer: Answer): EventOf<"budget.settled"> | null {
  if (state.ledger === null || effect.kind !== "agent.run") return null;
  const { task, attempt: number, iteration, reserved = null } = effect;
  // An outside worker's agent is its own; but it may have taken over one that a run had started.
  const isEnd = answer.kind === "agent.ended";
  if (reserved === null && !attempt.untold && (!isEnd || isOutsideRun(effect.run))) return null;
  const about = { type: "budget.settled", task, attempt: number, iteration, reserved } as const;
  const account =
    answer.kind === "agent.ended" ? answer.end.account : answer.kind === "agent.lost" ? answer.account : undefined;
  // Who was never started has used nothing; who ended was, and without a process of its own it was in ours.
  if (account === undefined && !isEnd && !attempt.untold) return { ...about, charged: nothing, basis: "unstarted" };
  return { ...about, ...chargeFor(account, reserved ?? state.ledger.budget.perIteration) };
}

/** What is not known is charged in full: with all it was given, and more if it told more. */
function chargeFor(account: Account | undefined, full: Amounts): Pick<EventOf<"budget.settled">, "charged" | "basis"> {
  if (account === undefined) return { charged: { ...full }, basis: "unknown" };
  const { cost, tokens } = account;
  const all = tokens.input + tokens.cached + tokens.output;
  if (cost.basis === "unknown")
    return { charged: { nanoUsd: full.nanoUsd, tokens: Math.max(full.tokens, all) }, basis: "unknown" };
  return { charged: { nanoUsd: Math.round(cost.usd * 1e9), tokens: all }, basis: "told" };
}

/** The turn as it is once its iteration is settled: what follows may have what it left. */
export const afterSettling = (turn: Turn, settled: EventOf<"budget.settled"> | null): Turn =>
  settled === null || turn.state.ledger === null
    ? turn
    : { ...turn, state: { ...turn.state, ledger: settle(turn.state.ledger, settled) } };

/** Told once for each cap. */
export function warnOfBudget({ ledger }: ReadonlyState): readonly Event[] {
  if (ledger === null) return [];
  return cappable.flatMap((of): Event[] => {
    const cap = capOf(ledger, of);
    const used = usedOf(ledger, of);
    if (cap === null || ledger.warned.includes(of) || used < cap * ledger.budget.warnAt) return [];
    return [{ type: "budget.warned", of, used, cap }];
  });
}

/** Something is to be begun, nobody is at work who could leave enough for it, and what is left is not enough. */
export function endOfBudget(state: ReadonlyState, run: ReadonlyRun, isClaimable: boolean): readonly Event[] {
  const room = roomFor(state, run.id);
  if (room?.kind !== "never" || run.ending !== null) return [];
  // Once its time is up nothing goes on, judging and merging and waiting in a pause included.
  const isLate = room.of === "ms" && (state.working.size > 0 || state.paused);
  return isClaimable || isLate || isAnyoneShort(state) ? reached(state, room.of) : [];
}

export function timePassed(state: ReadonlyState, run: string, ms: number): readonly Event[] {
  const { ledger } = state;
  const cap = ledger === null ? null : capOf(ledger, "ms");
  // Its last moments are told when it has ended.
  const isKnown = state.runs.has(run) || state.lastRun?.id === run;
  if (ledger === null || cap === null || !isKnown || ms === 0) return [];
  const passed: Event = { type: "time.passed", run, ms };
  return ledger.ms + ms < cap || ledger.reached === "ms"
    ? [passed]
    : [passed, ...reached({ ...state, ledger: { ...ledger, ms: ledger.ms + ms } }, "ms")];
}

function reached({ ledger, approvals }: ReadonlyState, of: Capped): readonly Event[] {
  if (ledger === null) return [];
  const used = usedOf(ledger, of);
  const cap = capOf(ledger, of) ?? 0;
  const { ask } = ledger.budget;
  const end: Event = { type: "budget.reached", of, used, cap, ask };
  if (!ask || approvals.has(budgetQuestion)) return [end];
  const question = `${reachedText({ of, used, cap })}; go on with ${amountText(of, ledger.budget[of] ?? 0)} more?`;
  return [end, { type: "approval.asked", name: budgetQuestion, task: null, question, change: null }];
}
