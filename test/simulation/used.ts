// What agents used, reckoned from the journal alone: nothing that was started is forgotten, counted twice, or taken for
// nothing (B2).
import type { Tally } from "../../src/core/evolve/used.ts";
import type { State } from "../../src/core/state.ts";
import type { Account } from "../../src/protocol/account.ts";
import type { Event } from "../../src/protocol/event.ts";

/** Without a draw of its own, so that schedules stay what they were: some tell nothing, some no cost. */
export function fakeAccount(pid: number): { readonly account?: Account } {
  if (pid % 4 === 0) return {};
  const tokens = { input: pid, cached: 2 * pid, output: 1 };
  const cost = pid % 4 === 1 ? { basis: "unknown" as const } : { basis: "reported" as const, usd: (pid % 100) / 10 };
  return { account: { turns: 1, tokens, cost } };
}

export class UsedCheck {
  /** Iterations that were asked for and have not ended: whether anything was started in them. */
  readonly #begun = new Map<string, { readonly id: string; started: boolean }>();
  #tenths = 0;
  #tokens = 0;
  #unknown = 0;

  /** Says what is wrong, once the event is folded. */
  look(event: Event, state: State): string | null {
    if (event.type === "process.started")
      for (const iteration of this.#begun.values()) iteration.started ||= iteration.id === event.id;
    if (event.type === "iteration.ended") this.#told(event.task, event.end.account);
    if (event.type === "attempt.recovered" && event.account !== undefined) this.#told(event.task, event.account);
    if (event.type === "effect.requested" && event.effect.kind !== "session.prepare") {
      const { id, task, kind } = event.effect;
      if (this.#begun.get(task)?.started) this.#unknown += 1;
      this.#begun.delete(task);
      if (kind === "agent.run") this.#begun.set(task, { id, started: false });
    }
    const open = [...this.#begun.values()].filter(({ started }) => started).length;
    const expected = [this.#tenths, this.#tokens, this.#unknown, open].join();
    const tasks = [...state.tasks.values()].map(({ used }) => figures(used));
    const sum = [0, 1, 2, 3].map((at) => tasks.reduce((all, task) => all + (task[at] ?? 0), 0)).join();
    const folded = figures(state.used).join();
    return folded === expected && sum === expected ? null : `B2: used ${folded}, of tasks ${sum}, told ${expected}`;
  }

  #told(task: string, account: Account | undefined): void {
    this.#begun.delete(task);
    if (account === undefined || account.cost.basis === "unknown") this.#unknown += 1;
    if (account === undefined) return;
    this.#tokens += account.tokens.input + account.tokens.cached + account.tokens.output;
    if (account.cost.basis !== "unknown") this.#tenths += Math.round(account.cost.usd * 10);
  }
}

const figures = ({ nanoUsd, tokens, unknown, open }: Tally): readonly number[] => [
  nanoUsd / 1e8,
  tokens.input + tokens.cached + tokens.output,
  unknown,
  open,
];
