// That no attempt goes in circles for longer than it may (rule B4). Written against the rule: it remembers what every
// iteration came to, where the core only counts.
import type { State } from "../../src/core/state.ts";
import type { Recorded } from "../../src/protocol/event.ts";
import type { Coverage } from "./coverage.ts";

interface Came {
  tree: string | null;
  error: string | null;
  readonly call: string | null;
}

/** Of the simulated programs: all that differs from time to time. */
const lasting = (text: string): string => text.replaceAll(/\d+ ms/g, "");
const allAlike = (signs: readonly (string | null)[], many: number): boolean =>
  signs.length >= many && signs.slice(-many).every((sign) => sign !== null && sign === signs.at(-1));

export class CircleCheck {
  readonly #coverage: Coverage;
  /** By task and attempt, since it passed a phase. */
  readonly #iterations = new Map<string, Came[]>();

  readonly #overflows = new Map<string, number>();

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  /** What is wrong; null: nothing. */
  look(event: Recorded, state: State): string | null {
    if (event.type === "iteration.ended") {
      const { end, stood } = event;
      if (end.reason === "delayed") return null;
      if (end.reason === "unfinished" && end.because === "overflow") return this.#overflowed(keyOf(event));
      if (end.reason === "unfinished" && end.because === "context")
        this.#coverage.hit(`context ${/^it (?:was )?(handed over|ended) when/.exec(end.message)?.[1]}`);
      const call = end.reason === "unfinished" && end.because === "repeating" ? lasting(end.message) : null;
      this.#of(event).push({ tree: stood?.tree ?? null, error: null, call });
    }
    if (event.type === "promise.unkept" && event.failure.kind !== "task_exec") {
      const last = this.#of(event).at(-1);
      if (last !== undefined) last.error = lasting(event.failure.kind + event.failure.message);
    }
    // What passed a gate came to something, whatever it changed.
    if (event.type === "phase.passed") this.#iterations.delete(keyOf(event));
    // Somebody else changed the files: whoever comes next begins with others, but not without what failed so far.
    if (event.type === "attempt.rebased") this.#otherFiles(event);
    if (event.type === "attempt.recovered" && event.tree !== this.#of(event).at(-1)?.tree) this.#otherFiles(event);
    if (event.type === "attempt.failed" && event.failure.kind === "stuck") return this.#covered(keyOf(event));
    if (event.type !== "effect.requested" || event.effect.kind !== "agent.run") return null;
    const { task, attempt } = event.effect;
    if (state.tasks.get(task)?.phase.status !== "in_progress") return null;
    const why = this.#why(keyOf({ task, attempt }));
    return why === null ? null : `B4: ${task} goes on in circles: ${why}`;
  }

  #why(key: string): "files" | "failure" | "call" | null {
    const came = this.#iterations.get(key) ?? [];
    if (
      allAlike(
        came.map(({ tree }) => tree),
        3,
      )
    )
      return "files";
    if (
      allAlike(
        came.map(({ error }) => error),
        4,
      )
    )
      return "failure";
    return allAlike(
      came.map(({ call }) => call),
      2,
    )
      ? "call"
      : null;
  }

  #otherFiles(event: { readonly task: string; readonly attempt: number }): void {
    for (const came of this.#of(event)) came.tree = null;
  }

  /** Four briefs, each smaller than the one before. */
  #overflowed(key: string): string | null {
    const times = (this.#overflows.get(key) ?? 0) + 1;
    this.#overflows.set(key, times);
    this.#coverage.hit(`overflow ${times}`);
    return times > 4 ? `E: the brief of ${key} was too large ${times} times` : null;
  }

  #covered(key: string): string | null {
    if (this.#overflows.get(key) === 4) return null;
    const why = this.#why(key);
    this.#coverage.hit(`circle ${why}`);
    return why === null ? `B4: ${key} was stopped, and did not go in circles` : null;
  }

  #of(event: { readonly task: string; readonly attempt: number }): Came[] {
    const key = keyOf(event);
    const known = this.#iterations.get(key) ?? [];
    this.#iterations.set(key, known);
    return known;
  }
}

const keyOf = ({ task, attempt }: { readonly task: string; readonly attempt: number }): string => `${task}/${attempt}`;
