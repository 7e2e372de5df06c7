// What agents used, summed up from what their iterations told (rule B2). Unknown is never taken for nothing.
import type { Account } from "../../protocol/account.ts";

/** The accounts of iterations, summed up. Money is counted in billionths of a dollar: whole numbers add up exactly. */
export interface Tally {
  turns: number;
  readonly tokens: { input: number; cached: number; output: number };
  nanoUsd: number;
  /** Iterations of which not all is known. */
  unknown: number;
  /** Those among them whose agent was lost before it told anything. */
  lost: number;
  /** Agents that were started and have not told what they used. */
  open: number;
}

/** Of an attempt: its agent was started, and nobody has told what it used. */
interface Telling {
  untold: boolean;
}

export const noTally = (): Tally => ({
  turns: 0,
  tokens: { input: 0, cached: 0, output: 0 },
  nanoUsd: 0,
  unknown: 0,
  lost: 0,
  open: 0,
});

/** Until its account is told it is open; some agents start several processes. */
export function agentStarted(tallies: readonly Tally[], attempt: Telling): void {
  if (attempt.untold) return;
  attempt.untold = true;
  for (const tally of tallies) tally.open += 1;
}

/** It is gone with what it could have told. */
export function agentLost(tallies: readonly Tally[], attempt: Telling): void {
  accountTold(tallies, attempt, undefined);
  for (const tally of tallies) tally.lost += 1;
}

/** No account: nobody knows, or will ever know, what it used. */
export function accountTold(tallies: readonly Tally[], attempt: Telling, account: Account | undefined): void {
  for (const tally of tallies) {
    if (attempt.untold) tally.open -= 1;
    if (account === undefined || account.cost.basis === "unknown") tally.unknown += 1;
    if (account === undefined) continue;
    const { turns, tokens, cost } = account;
    tally.turns = plus(tally.turns, turns);
    tally.tokens.input = plus(tally.tokens.input, tokens.input);
    tally.tokens.cached = plus(tally.tokens.cached, tokens.cached);
    tally.tokens.output = plus(tally.tokens.output, tokens.output);
    // Accounts are exact to a billionth, so this is the number they mean.
    if (cost.basis !== "unknown") tally.nanoUsd = plus(tally.nanoUsd, Math.round(cost.usd * 1e9));
  }
  attempt.untold = false;
}

/** The same, for the run in whose time it was told. */
export function countForRun(
  used: { nanoUsd: number; unknown: number; tokens: number } | undefined,
  account: Account | undefined,
): void {
  if (used === undefined) return;
  if (account === undefined || account.cost.basis === "unknown") used.unknown += 1;
  if (account === undefined) return;
  const { tokens, cost } = account;
  used.tokens = plus(used.tokens, tokens.input + tokens.cached + tokens.output);
  if (cost.basis !== "unknown") used.nanoUsd = plus(used.nanoUsd, Math.round(cost.usd * 1e9));
}

/** An agent may claim anything: what cannot be counted stays at the most that can, nine million dollars or so. */
const plus = (a: number, b: number): number => Math.min(Number.MAX_SAFE_INTEGER, a + b);
