// What must hold of judgements: everything that judges a task agreed, in its order, on exactly what is merged.
import type { TaskState } from "../../src/core/state.ts";
import type { EventOf } from "../../src/protocol/event.ts";
import type { Coverage } from "./coverage.ts";

type Must = (holds: boolean, what: string) => void;

export class GateCheck {
  readonly #coverage: Coverage;
  readonly #must: Must;
  /** `task commit gate` that passed. */
  readonly #passed = new Set<string>();

  constructor(coverage: Coverage, must: Must) {
    this.#coverage = coverage;
    this.#must = must;
  }

  judged({ task, gate, commit, verdict }: EventOf<"gate.judged">, { spec }: TaskState): void {
    this.#coverage.hit(`gate ${gate} ${verdict.verdict}`);
    if (verdict.verdict === "pass") this.#passed.add(`${task} ${commit} ${gate}`);
    const inOrder = gate === "artifacts" || !hasOutputs(spec) || this.#passed.has(`${task} ${commit} artifacts`);
    this.#must(inOrder, `G1: ${gate} judged ${task} before its outputs were looked at`);
  }

  completed({ task, commit }: EventOf<"task.completed">, { spec }: TaskState): void {
    for (const gate of [...(hasOutputs(spec) ? ["artifacts"] : []), "command"])
      this.#must(
        this.#passed.has(`${task} ${commit} ${gate}`),
        `PR-9, G1: ${task} completed without a passing verdict of ${gate} on its commit`,
      );
  }
}

const hasOutputs = ({ outputs = [] }: TaskState["spec"]): boolean => outputs.length > 0;
