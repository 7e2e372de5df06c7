// That no run is at work on more attempts than it has lanes. Who waits for room in the budget is not at work: it needs no
// lane before its turn.
import type { Attempt } from "../../src/core/attempt-state.ts";
import type { State } from "../../src/core/state.ts";
import type { Recorded } from "../../src/protocol/event.ts";
import { isOutsideRun } from "../../src/protocol/ids.ts";
import type { Coverage } from "./coverage.ts";

export class LaneCheck {
  readonly #coverage: Coverage;
  /** Called off while they waited for room, as task and attempt: put away at once, beside the lanes. */
  readonly #neverBegun = new Set<string>();

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  /** Before the event is folded. */
  look(event: Recorded, state: State): void {
    if (event.type !== "attempt.cancelled") return;
    const phase = state.tasks.get(event.task)?.phase;
    if (phase?.status !== "in_progress" || !waitsForRoom(phase.attempt, state)) return;
    this.#neverBegun.add(`${event.task}/${event.attempt}`);
    this.#coverage.hit("budget called off");
  }

  isHeld(state: State): boolean {
    const attempts = [...state.working].flatMap((task) => {
      const phase = state.tasks.get(task)?.phase;
      return phase?.status === "in_progress" ? [{ task, attempt: phase.attempt }] : [];
    });
    return [...state.runs.values()].every(({ id, lanes }) => {
      const own = attempts.filter(({ attempt }) => attempt.run === id);
      const atWork = own.filter(({ task, attempt }) => isOutsideRun(id) || !this.#isBeside(task, attempt, state));
      return atWork.length <= lanes;
    });
  }

  #isBeside(task: string, attempt: Attempt, state: State): boolean {
    if (this.#neverBegun.has(`${task}/${attempt.number}`)) return true;
    return !attempt.cancelled && waitsForRoom(attempt, state);
  }
}

function waitsForRoom({ effect, stage }: Attempt, state: State): boolean {
  if (stage !== "waiting") return false;
  const pending = effect === null ? undefined : state.pending.get(effect);
  // Between the end of its wait and what is asked for next, in one transaction, nothing of it is at work.
  return pending === undefined || pending.effect.kind === "budget.wait";
}
