// The ledger reckoned from the journal alone, in another way than the core does it: a list of what was given out, and
// sums over it (B2). Nothing is begun that does not fit, nothing is charged twice, forgotten, or taken for nothing.

import { units } from "../../src/core/ledger.ts";
import type { State } from "../../src/core/state.ts";
import type { Account } from "../../src/protocol/account.ts";
import type { Amounts, Budget, Capped } from "../../src/protocol/budget.ts";
import type { Effect } from "../../src/protocol/effect.ts";
import type { EventOf, Recorded } from "../../src/protocol/event.ts";
import { isOutsideRun } from "../../src/protocol/ids.ts";
import type { Coverage } from "./coverage.ts";

interface Given {
  readonly id: string;
  readonly task: string;
  readonly reserved: Amounts | undefined;
  started: boolean;
}

export class BudgetCheck {
  readonly #coverage: Coverage;
  #budget: Budget | null = null;
  #grants = 0;
  #charged: Amounts = { nanoUsd: 0, tokens: 0 };
  #ms = 0;
  readonly #given = new Map<string, Given>();
  /** What was charged for an end that is told next. */
  #due: { readonly task: string; readonly settled: EventOf<"budget.settled"> | null; readonly given: Given } | null =
    null;

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  /** What an event breaks; asked before it is folded. */
  *look(event: Recorded, state: State): Iterable<string> {
    if (event.type === "budget.set") this.#set(event, state);
    if (event.type === "budget.raised") this.#grants += 1;
    if (event.type === "time.passed") this.#ms += event.ms;
    if (event.type === "effect.requested" && event.effect.kind === "agent.run") yield* this.#requested(event.effect);
    if (event.type === "process.started") {
      const given = this.#given.get(event.id);
      if (given !== undefined) given.started = true;
    }
    if (this.#due !== null && event.type !== "effect.answered") yield* this.#told(event);
    if (event.type === "effect.answered") this.#answered(event.id, state);
    if (event.type === "budget.settled") yield* this.#settled(event);
    if (event.type === "budget.reached") {
      yield* this.#reached();
      this.#coverage.hit(`budget ${event.ask ? "asked" : "stopped"} ${event.of}`);
    }
    if (event.type === "effect.requested" && event.effect.kind === "budget.wait") this.#coverage.hit("budget waited");
  }

  /** What the fold makes of it; asked after the event is folded. */
  folded({ ledger }: State): string | null {
    if ((ledger === null) !== (this.#budget === null)) return "B2: there is a budget, or there is none";
    if (ledger === null) return null;
    const mine = [
      this.#charged.nanoUsd,
      this.#charged.tokens,
      ...units.map((unit) => this.#out(unit)),
      this.#ms,
    ].join();
    const { charged, reserved, ms } = ledger;
    const folded = [charged.nanoUsd, charged.tokens, reserved.nanoUsd, reserved.tokens, ms].join();
    return mine === folded ? null : `B2: charged and reserved ${folded}, reckoned ${mine}`;
  }

  #set({ budget, anew }: EventOf<"budget.set">, { used }: State): void {
    const { nanoUsd, unknown, tokens } = used;
    const per = budget?.perIteration ?? { nanoUsd: 0, tokens: 0 };
    if (anew) this.#charged = { nanoUsd: 0, tokens: 0 };
    else if (this.#budget === null)
      this.#charged = {
        nanoUsd: nanoUsd + unknown * per.nanoUsd,
        tokens: tokens.input + tokens.cached + tokens.output + unknown * per.tokens,
      };
    if (anew || this.#budget === null) this.#ms = 0;
    this.#budget = budget;
    this.#grants = 0;
  }

  #cap(of: Capped): number {
    const cap = this.#budget?.[of] ?? null;
    return cap === null ? Number.POSITIVE_INFINITY : cap * (1 + this.#grants);
  }
  #out(unit: keyof Amounts): number {
    return [...this.#given.values()].reduce((sum, { reserved }) => sum + (reserved?.[unit] ?? 0), 0);
  }

  *#requested({ id, task, run, reserved }: Extract<Effect, { kind: "agent.run" }>) {
    if (isOutsideRun(run)) return;
    if (this.#budget !== null && reserved === undefined) yield `B2: ${task} was given nothing of the budget`;
    for (const unit of units) {
      const wanted = reserved?.[unit] ?? 0;
      if (this.#budget !== null && this.#charged[unit] + this.#out(unit) + wanted > this.#cap(unit))
        yield `B2: ${task} was begun with ${wanted} ${unit}, which do not fit`;
      if (this.#budget !== null && wanted > this.#budget.perIteration[unit]) yield `B2: ${task} was given too much`;
    }
    if (this.#ms >= this.#cap("ms")) yield `B1: ${task} was begun when the time was up`;
    this.#given.set(id, { id, task, reserved, started: false });
  }

  #answered(id: string, state: State): void {
    const effect = state.pending.get(id)?.effect;
    const given = this.#given.get(id);
    if (given === undefined || effect === undefined) return;
    if (this.#budget === null) {
      this.#given.delete(id);
      return;
    }
    // The next event must settle it.
    this.#coverage.hit("budget settled");
    this.#due = { task: given.task, settled: null, given };
  }

  *#settled(event: EventOf<"budget.settled">) {
    const due = this.#due;
    if (due === null || due.given.task !== event.task) yield `B2: ${event.task} was settled for nothing`;
    if (due === null) return;
    this.#given.delete(due.given.id);
    const { nanoUsd, tokens } = event.charged;
    this.#charged = { nanoUsd: this.#charged.nanoUsd + nanoUsd, tokens: this.#charged.tokens + tokens };
    const reserved = due.given.reserved ?? null;
    if (JSON.stringify(reserved) !== JSON.stringify(event.reserved)) yield `B2: ${event.task} was given something else`;
    if (event.charged.nanoUsd > (reserved?.nanoUsd ?? Number.POSITIVE_INFINITY)) this.#coverage.hit("budget passed");
    this.#coverage.hit(`budget ${event.basis}`);
    this.#due = { ...due, settled: event };
  }

  /** What comes after a settlement tells what it had to be. */
  *#told(event: Recorded) {
    const due = this.#due;
    if (due === null || event.type === "budget.settled") return;
    this.#due = null;
    if (due.settled === null) {
      // Begun before there was a budget, and never started: there is nothing to settle.
      if (due.given.reserved !== undefined || due.given.started) yield `B2: ${due.task} was not settled`;
      this.#given.delete(due.given.id);
      return;
    }
    const isEnd = event.type === "iteration.ended" && event.task === due.task;
    const account = isEnd ? event.end.account : event.type === "attempt.recovered" ? event.account : undefined;
    const full = due.given.reserved ?? this.#budget?.perIteration ?? { nanoUsd: 0, tokens: 0 };
    const wanted = account === undefined && !isEnd && !due.given.started ? 0 : chargeOf(account, full.nanoUsd);
    if (due.settled.charged.nanoUsd !== wanted)
      yield `B2: ${due.task} was charged ${due.settled.charged.nanoUsd} instead of ${wanted}`;
  }

  /** Nobody is at work whose end could leave something, and a cap has less than an iteration may need. */
  *#reached() {
    const isTime = this.#ms >= this.#cap("ms");
    const isShort = units.some(
      (unit) => this.#out(unit) === 0 && this.#cap(unit) !== Number.POSITIVE_INFINITY && this.#isShortOf(unit),
    );
    if (this.#budget !== null && !isTime && !isShort) yield "B2: a run ended for its budget, and there was some left";
  }
  /** More than iterations ever used here, and than one is given: that would have been enough for sure. */
  #isShortOf(unit: keyof Amounts): boolean {
    const most = unit === "nanoUsd" ? 9.9e9 : 3_000_000;
    return this.#cap(unit) - this.#charged[unit] < Math.max(most, this.#budget?.perIteration[unit] ?? 0);
  }
}

const chargeOf = (account: Account | undefined, full: number): number =>
  account === undefined || account.cost.basis === "unknown" ? full : Math.round(account.cost.usd * 1e9);
