// Ends an agent that has used all the tokens it was given (rule B2): what it does not know of, it cannot keep to.

import type { ReadonlyState } from "../../core/state.ts";
import { amountText } from "../../core/views/budget.ts";
import type { Tokens } from "../../protocol/account.ts";
import type { IterationEnd } from "../../protocol/agent.ts";
import type { Effect } from "../../protocol/effect.ts";

type AgentRun = Extract<Effect, { kind: "agent.run" }>;

/** What it may cost; not given where money is not capped. */
export const givenUsd = ({ ledger }: ReadonlyState, { reserved }: AgentRun): number | undefined =>
  reserved === undefined || ledger === null || ledger.budget.nanoUsd === null ? undefined : reserved.nanoUsd / 1e9;

export interface TokenWatch {
  /** Aborts with the outer one, or when all is used. */
  readonly signal: AbortSignal;
  /** All that was used so far. */
  see(used: Tokens): void;
  /** An agent that was ended for it wants a fresh context, like one that came to a limit of its own. */
  end(end: IterationEnd): IterationEnd;
  close(): void;
}

export function watchTokens({ ledger }: ReadonlyState, { reserved }: AgentRun, outer: AbortSignal): TokenWatch {
  const most = reserved === undefined || ledger === null || ledger.budget.tokens === null ? null : reserved.tokens;
  const controller = new AbortController();
  let isSpent = false;
  const onAbort = (): void => controller.abort(outer.reason);
  outer.addEventListener("abort", onAbort, { once: true });
  if (outer.aborted) onAbort();
  return {
    signal: controller.signal,
    see({ input, cached, output }) {
      if (most === null || controller.signal.aborted || input + cached + output <= most) return;
      isSpent = true;
      controller.abort();
    },
    end(end) {
      if (!isSpent || end.reason !== "interrupted" || most === null) return end;
      const message = `it was ended because it had used the ${amountText("tokens", most)} it was given`;
      return { reason: "unfinished", message, account: end.account };
    },
    close: () => outer.removeEventListener("abort", onAbort),
  };
}
