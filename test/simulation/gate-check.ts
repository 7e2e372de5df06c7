// What must hold of judgements: everything that judges a task agreed, in its order, on exactly what is merged; and a loop
// goes through its phases one by one, never back (rules G1, I8, PR-9).
import type { TaskState } from "../../src/core/state.ts";
import type { EventOf } from "../../src/protocol/event.ts";
import { isOutsideRun } from "../../src/protocol/ids.ts";
import type { Coverage } from "./coverage.ts";

type Must = (holds: boolean, what: string) => void;

export const phaseRows = [
  "passed",
  "not passed",
  "taken over",
  "gone on with in another attempt",
  "all at once",
] as const;

export class GateCheck {
  readonly #coverage: Coverage;
  readonly #must: Must;
  /** `task commit gate`, and `task commit gate phase`, that passed. */
  readonly #passed = new Set<string>();
  /** Phases that a task has behind it, and had when a candidate was made. */
  readonly #phases = new Map<string, number>();
  readonly #phasesAt = new Map<string, number>();
  /** Who asked for the judgement of a task: another may have taken it over since. */
  readonly #askedBy = new Map<string, string>();

  constructor(coverage: Coverage, must: Must) {
    this.#coverage = coverage;
    this.#must = must;
  }

  /** Before the event is folded. */
  look(event: { readonly type: string } & Record<string, unknown>, task: TaskState | undefined): void {
    if (task === undefined) return;
    const { id } = task.spec;
    const behind = this.#phases.get(id) ?? 0;
    if (event.type === "candidate.committed") this.#phasesAt.set(String(event.commit), behind);
    if (event.type === "effect.adopted" && behind > 0) this.#hit("taken over");
    if (event.type === "task.reset") this.#phases.delete(id);
    if (event.type === "effect.requested") this.#requested(event as unknown as EventOf<"effect.requested">, behind);
  }

  #requested({ effect }: EventOf<"effect.requested">, behind: number): void {
    if (effect.kind === "gate.check") this.#askedBy.set(effect.task, effect.run);
    if (effect.kind !== "workspace.open") return;
    if (effect.resume === null) this.#phases.delete(effect.task);
    else if (behind > 0) this.#hit("gone on with in another attempt");
  }

  judged(event: EventOf<"gate.judged">, { spec, phase: standing }: TaskState): void {
    const { task, gate, commit, verdict, phase } = event;
    this.#coverage.hit(`gate ${gate} ${verdict.verdict}`);
    if (verdict.verdict === "pass") this.#passed.add(keyOf(task, commit, gate, phase));
    const phases = spec.loop?.phases ?? [];
    const behind = this.#phases.get(task) ?? 0;
    const isOutside =
      standing.status === "in_progress" && isOutsideRun(this.#askedBy.get(task) ?? standing.attempt.run);
    if (phase !== undefined) {
      const isPresent = phases[behind]?.name === phase;
      this.#must(isPresent || isOutside, `I8: ${task} was judged by ${phase}, which it is not in`);
      if (isOutside) this.#hit("all at once");
      if (verdict.verdict === "fail") this.#hit("not passed");
      return;
    }
    const left = phases.slice(isOutside ? behind : Math.max(0, phases.length - 1));
    this.#must(isOutside || behind >= phases.length - 1, `I8: ${task} was judged as a whole in phase ${behind + 1}`);
    this.#mustHave(task, commit, left, "judged");
    const inOrder = gate === "artifacts" || !hasOutputs(spec) || this.#passed.has(keyOf(task, commit, "artifacts"));
    this.#must(inOrder, `G1: ${gate} judged ${task} before its outputs were looked at`);
  }

  phasePassed({ task, number, of, phase, commit }: EventOf<"phase.passed">, { spec }: TaskState): void {
    const phases = spec.loop?.phases ?? [];
    const expected = (this.#phases.get(task) ?? 0) + 1;
    this.#must(number === expected && of === phases.length, `I8: ${task} passed phase ${number} after ${expected - 1}`);
    this.#must(number < of && phases[number - 1]?.name === phase, `I8: ${phase} is not phase ${number} of ${task}`);
    this.#mustHave(task, commit, phases.slice(number - 1, number), "went on");
    this.#phases.set(task, number);
    this.#hit("passed");
  }

  completed({ task, commit, unverified }: EventOf<"task.completed">, { spec }: TaskState): void {
    const phases = spec.loop?.phases ?? [];
    this.#mustHave(task, commit, phases.slice(this.#phasesAt.get(commit) ?? 0), "completed");
    // By its agent's word alone, which the event says.
    const judges = spec.validation === null ? [] : ["command"];
    const isBare = judges.length === 0 && phases.length === 0 && !hasOutputs(spec);
    this.#must(isBare === (unverified === true), `I2: ${task} is ${isBare ? "not " : ""}told to be unverified`);
    this.#must(judges.length > 0 || spec.loop !== undefined, `PR-9: ${task} is no loop, and nothing judges it`);
    if (isBare) this.#coverage.hit("loop unverified");
    for (const gate of [...(hasOutputs(spec) ? ["artifacts"] : []), ...judges])
      this.#must(
        this.#passed.has(keyOf(task, commit, gate)),
        `PR-9, G1: ${task} completed without a passing verdict of ${gate} on its commit`,
      );
  }

  #mustHave(task: string, commit: string, phases: readonly { name: string; gate: object }[], what: string): void {
    for (const { name, gate } of phases)
      for (const each of Object.keys(gate)) {
        const key = keyOf(task, commit, each === "outputs" ? "artifacts" : "command", name);
        this.#must(this.#passed.has(key), `I8: ${task} ${what} without the ${each} of phase ${name} on its commit`);
      }
  }
  #hit(row: (typeof phaseRows)[number]): void {
    this.#coverage.hit(`phase ${row}`);
  }
}

const keyOf = (task: string, commit: string, gate: string, phase = ""): string => `${task} ${commit} ${gate} ${phase}`;
const hasOutputs = ({ outputs = [] }: TaskState["spec"]): boolean => outputs.length > 0;
