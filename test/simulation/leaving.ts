// What agents leave in their workspaces for us, by the seed, and what must hold of it (rules I5, I7).
import { mostFiled } from "../../src/core/decide/left.ts";
import type { State } from "../../src/core/state.ts";
import type { Recorded } from "../../src/protocol/event.ts";
import { leftPaths, mostLeft } from "../../src/protocol/left.ts";
import type { Coverage } from "./coverage.ts";
import type { World } from "./world.ts";

export const leavings = [
  "a handoff",
  "a finding",
  "parts of a finding",
  "something refused",
  "a lost agent's",
] as const;

/** A file that is good, bad, large, or the same as before. */
export function leaveSomething({ random, repository }: World, cwd: string): void {
  const n = random.between(0, 4);
  const handoff = JSON.stringify({ phase: `phase ${n}`, completed: ["a"], next_step: "go on" });
  // The long ones are looked through for secrets at the end of every iteration, which takes its time: few have them.
  const isLong = random.chance(0.2);
  const parts = random.chance(0.1) ? mostFiled + 1 : n + 1;
  const [file, text] = random.pick<readonly [string, string]>([
    [leftPaths.handoff, handoff],
    [leftPaths.handoff, `{"phase": ${n}`],
    [`${leftPaths.results}/${n}.json`, `{"n": ${n}}`],
    [`${leftPaths.results}/long.txt`, isLong ? `${n} `.repeat((mostLeft.finding / 2) * parts) : `${n}`],
  ]);
  repository.write(cwd, file, text);
}

export class LeftCheck {
  readonly #coverage: Coverage;
  /** By task: what was taken, and how often each part. */
  readonly #taken = new Set<string>();
  readonly #filed = new Map<string, number>();
  /** Whose lost agent was just recovered. */
  #recovered: string | null = null;

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  /** What is wrong with an event, before it is folded. */
  look(event: Recorded, { told }: State, { repository: { disk } }: World): readonly string[] {
    if (event.type === "candidate.committed") {
      const made = disk.known(event.commit);
      const held = [leftPaths.handoff, `${leftPaths.results}/long.txt`].filter(
        (file) => made !== undefined && disk.textAt(made, file) !== null,
      );
      return held.map((file) => `I5: the candidate of ${event.task} holds ${file}`);
    }
    if (event.type === "left.refused") this.#coverage.hit("left something refused");
    if (event.type === "attempt.recovered") this.#recovered = event.task;
    if (event.type === "effect.requested") this.#recovered = null;
    if (event.type === "agent.handedOff" && event.hash !== null) {
      this.#coverage.hit("left a handoff");
      if (this.#recovered === event.task) this.#coverage.hit("left a lost agent's");
      return this.#once(`${event.task} ${event.hash}`);
    }
    if (event.type !== "agent.found" || event.file === undefined) return [];
    const { task, attempt, number, file } = event;
    this.#coverage.hit(file.parts > 1 ? "left parts of a finding" : "left a finding");
    const filed = (this.#filed.get(`${task}/${attempt}`) ?? 0) + 1;
    this.#filed.set(`${task}/${attempt}`, filed);
    return [
      ...this.#once(`${task} ${file.hash} ${file.part}`),
      ...(number === told.findings + 1 ? [] : [`I7: finding ${number} after ${told.findings}`]),
      ...(filed <= mostFiled ? [] : [`I7: ${filed} findings in files of ${task}/${attempt}`]),
    ];
  }

  #once(key: string): readonly string[] {
    if (this.#taken.has(key)) return [`I5: ${key} was taken twice`];
    this.#taken.add(key);
    return [];
  }
}
