// The rules of waiting for an agent, against the journal.
import type { State } from "../../src/core/state.ts";
import { patience } from "../../src/core/waiting.ts";
import type { EventOf, Recorded } from "../../src/protocol/event.ts";
import type { Period } from "../../src/protocol/wait.ts";
import type { Coverage } from "./coverage.ts";

export class WaitCheck {
  readonly #coverage: Coverage;
  /** Of the iteration that ended last: nobody may be woken up in these. */
  #quiet: readonly Period[] = [];

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  /** What an event breaks; asked before it is folded. */
  *look(event: Recorded, state: State): Iterable<string> {
    if (event.type === "iteration.ended") this.#quiet = event.end.reason === "delayed" ? (event.end.quiet ?? []) : [];
    if (event.type === "wait.started") yield* this.#started(event, state);
    if (event.type === "effect.requested") yield* this.#requested(event, state);
  }

  /** E, B1: what only time mends is given time, and no more than there is for it. */
  *#started(
    { agent, kind, times, waitedMs, delayMs, until, quiet, at }: Recorded<EventOf<"wait.started">>,
    state: State,
  ) {
    const coverage = this.#coverage;
    const before = state.waits.get(agent);
    if (times > patience[kind].times) yield `B1: ${kind} is waited for once too often`;
    if (waitedMs > patience[kind].inAllMs) yield `B1: ${kind} is waited for too long`;
    // One that is prolonged has the quiet hours it was given before.
    const wasQuiet = before?.on === true && before.quiet === true;
    if (!quiet && !wasQuiet && delayMs > waitedMs) yield "a wait is longer than all of them";
    if (this.#quiet.some(({ from, to }) => from <= until && until < to)) yield "E: a wait ends in quiet hours";
    if (quiet) coverage.hit("wait for the end of quiet hours");
    const same = before?.on === true && before.kind === kind;
    if (before?.on === true) {
      if (until <= before.until) yield "E: a wait was made shorter";
      coverage.hit("wait prolonged");
    }
    if (!same && until !== at + delayMs) yield "E: a wait does not end when it is to end";
    const counted = (before?.counts[kind]?.times ?? 0) + (same ? 0 : 1);
    if (times !== counted) yield "B1: a wait was not counted, or twice";
    coverage.hit(`wait ${kind}`);
    const step = Math.min(patience[kind].mostMs, patience[kind].firstMs * 2 ** (times - 1));
    if (!quiet) coverage.hit(delayMs > step ? "wait for a moment that was named" : "wait for a guess");
  }

  /** E: while an agent cannot serve, nobody starts it; and who waits was not charged for it. */
  *#requested({ effect }: Recorded<EventOf<"effect.requested">>, state: State) {
    const agent = state.runs.get(effect.run)?.agent ?? null;
    const wait = agent === null ? undefined : state.waits.get(agent);
    if (effect.kind === "agent.run" && wait?.on === true) yield `E: ${effect.task} starts an agent that cannot serve`;
    if (effect.kind !== "agent.wait") return;
    const phase = state.tasks.get(effect.task)?.phase;
    if (phase?.status !== "in_progress" || phase.attempt.failure !== null)
      yield `E: ${effect.task} failed, and waits all the same`;
  }
}
