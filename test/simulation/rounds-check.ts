// That nothing is begun once rounds lead nowhere (rule B3). Written against the rule: it remembers how every attempt
// ended, where the core only counts.
import type { State } from "../../src/core/state.ts";
import type { Recorded } from "../../src/protocol/event.ts";
import type { Coverage } from "./coverage.ts";

type Ending = "completed" | "charged" | "nothing";
const words = new Set([
  ...["mission.resumed", "approval.granted", "approval.denied"],
  ...["task.edited", "task.retried", "task.reset", "loop.revised"],
]);

export class RoundsCheck {
  readonly #coverage: Coverage;
  /** What was seen in each round, the present one last. */
  readonly #rounds: { ends: Ending[]; isMarked: boolean }[] = [{ ends: [], isMarked: false }];
  /** Of the rounds that are over, those before this one are no part of a row: a person has said something since. */
  #rowFrom = 0;

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  /** Before the event is folded. What is wrong; null: nothing. */
  look(event: Recorded, state: State): string | null {
    const now = this.#rounds.at(-1);
    if (now === undefined) return "there is no round";
    if (words.has(event.type) || (event.type === "task.added" && event.spec.extra.proposed_by === undefined)) {
      this.#rowFrom = this.#rounds.length - 1;
      // What came before the word is no part of the next row either.
      if (now.ends.length > 0) now.isMarked = true;
      now.ends = now.ends.map((end) => (end === "completed" ? "charged" : end));
    }
    if (event.type === "agent.checkpointed") now.isMarked = true;
    if (event.type === "task.completed" || event.type === "task.failed" || event.type === "task.returned")
      this.#settled(event.task, event.type === "task.completed", state);
    if (event.type === "task.claimed" && this.#isOver(state)) return `B3: ${event.task} was claimed in vain`;
    return null;
  }

  /** Whether a run may end for it. */
  isOver(state: State): boolean {
    const why = this.#isOver(state);
    if (why !== null) this.#coverage.hit(`rounds ${why}`);
    return why !== null;
  }

  #settled(task: string, isCompleted: boolean, { tasks, runs }: State): void {
    const phase = tasks.get(task)?.phase;
    if (phase?.status !== "in_progress") return;
    const { failure, run } = phase.attempt;
    // Who was lost, called off by a person, or ended the run says nothing of how the work goes.
    const isQuestion = ["auth", "trust", "merge_conflict", "unresolved"].includes(failure?.failure.kind ?? "");
    if (!isCompleted && failure?.costs !== "attempt" && !isQuestion) return;
    const ends = this.#rounds.at(-1)?.ends ?? [];
    ends.push(isCompleted ? "completed" : failure?.costs === "attempt" ? "charged" : "nothing");
    if (ends.length >= (runs.get(run)?.lanes ?? 1)) this.#rounds.push({ ends: [], isMarked: false });
  }

  #isOver({ mission }: State): "stale" | "barren" | "most" | null {
    const over = this.#rounds.slice(0, -1);
    const row = over.slice(this.#rowFrom);
    const isStale = ({ ends, isMarked }: (typeof row)[number]) => !isMarked && ends.every((end) => end === "nothing");
    if (row.length >= 2 && row.slice(-2).every(isStale)) return "stale";
    if (row.length >= 50 && row.slice(-50).every(({ ends }) => !ends.includes("completed"))) return "barren";
    const most = mission?.limits.maxRounds;
    return most !== undefined && over.length >= most ? "most" : null;
  }
}
