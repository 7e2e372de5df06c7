// Facts about what the mission may use and what it has used.
import type { Budget } from "../../protocol/budget.ts";
import type { EventOf } from "../../protocol/event.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
import { type Ledger, nothing, plus, settle } from "../ledger.ts";
import type { State } from "../state.ts";
import { reachedText } from "../views/budget.ts";

type BudgetEvent = EventOf<
  "budget.set" | "budget.raised" | "budget.settled" | "budget.warned" | "budget.reached" | "time.passed"
>;

export function evolveBudget(state: State, event: BudgetEvent): void {
  if (event.type === "budget.set") {
    const { budget, from, anew } = event;
    state.ledger = budget === null ? null : opened(state, budget, { from, anew });
    return goOn(state);
  }
  const { ledger } = state;
  if (ledger === null) return;
  switch (event.type) {
    case "budget.raised":
      state.ledger = { ...ledger, grants: event.grants, warned: [], reached: null };
      return goOn(state);
    case "budget.settled":
      state.ledger = settle(ledger, event);
      return;
    case "budget.warned":
      state.ledger = { ...ledger, warned: [...ledger.warned, event.of] };
      return;
    case "time.passed":
      state.ledger = { ...ledger, ms: ledger.ms + event.ms };
      return;
    case "budget.reached":
      state.ledger = { ...ledger, reached: event.of };
      for (const run of state.runs.values()) {
        if (isOutsideRun(run.id)) continue;
        // Nobody is at work when an amount is used up; time runs out under the agents' hands.
        const now = event.of === "ms";
        if (run.ending === null || (now && !run.ending.now))
          run.ending = { reason: event.ask ? "waiting" : "budget", detail: reachedText(event), now };
      }
      return;
  }
}

/** Who was about to end for want of room, and is still there, has some again. */
function goOn(state: State): void {
  for (const run of state.runs.values()) {
    const { ending } = run;
    if (ending !== null && !ending.now && (ending.reason === "budget" || ending.reason === "waiting"))
      run.ending = null;
  }
}

function opened(
  state: State,
  budget: Budget,
  { from, anew }: Pick<Ledger, "from"> & { readonly anew: boolean },
): Ledger {
  const { ledger, used, pending } = state;
  const given = [...pending.values()].flatMap(({ effect }) =>
    effect.kind === "agent.run" && effect.reserved !== undefined ? [effect.reserved] : [],
  );
  const fresh = { budget, from, grants: 0, reserved: given.reduce(plus, nothing), warned: [], reached: null };
  if (ledger !== null && !anew) return { ...ledger, ...fresh };
  const { nanoUsd, tokens, unknown } = used;
  // What was used before there was a budget: what was told of it, and in full what was not.
  const full = { nanoUsd: unknown * budget.perIteration.nanoUsd, tokens: unknown * budget.perIteration.tokens };
  const before = plus({ nanoUsd, tokens: tokens.input + tokens.cached + tokens.output }, full);
  const [charged, untold] = anew ? [nothing, nothing] : [before, plus(nothing, full)];
  return { ...fresh, charged, untold, over: nothing, ms: 0, told: [] };
}
