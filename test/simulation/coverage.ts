// What the schedules really reached. A row that stays at zero means that the simulation does not test it.

import type { Stage } from "../../src/core/attempt-state.ts";
import { recoveryTable } from "../../src/core/recovery.ts";
import { remedies } from "../../src/core/remedies.ts";
import { eventTypes } from "../../src/protocol/event.ts";
import { toldWords } from "../../src/protocol/told.ts";
import { EndReason } from "../../src/protocol/view.ts";
import { WaitKind } from "../../src/protocol/wait.ts";
import { phaseRows } from "./gate-check.ts";
import { leavings } from "./leaving.ts";

export const stages: readonly Stage[] = [
  "opening",
  "working",
  "waiting",
  "committing",
  "rebasing",
  "validating",
  "merging",
  "archiving",
  "cleaning",
];
export const faults = [
  "crash",
  "doubled answer",
  "late answer",
  "lost answer",
  "lane loss",
  "pause",
  "stop",
  "interrupt",
  "reset",
] as const;
export type Fault = (typeof faults)[number];
const elsewhere = [
  "hung agent",
  "orphan wrote on",
  "clock jumped",
  "answer repeated with its command id",
  "foreign command",
  "the user committed",
  "the user accepted",
  "the user dropped",
  "a lease's time passed",
  "a lease ran out",
  "a late worker was refused",
  "hours passed in a wait",
] as const;
const waits = [
  "for a moment that was named",
  "for a guess",
  "for the end of quiet hours",
  "joined",
  "prolonged",
  "taken over",
  "of another agent",
  "given up",
  "left to the next run",
] as const;
const budgets = [
  "called off",
  "waited",
  "settled",
  "passed",
  "told",
  "unknown",
  "unstarted",
  "stopped nanoUsd",
  "stopped tokens",
  "stopped ms",
  "asked nanoUsd",
] as const;
const conflicts = [
  "repaired",
  "markers left",
  "asked a person",
  "approved",
  "denied",
  "handed back to an outside worker",
  "waited in line",
] as const;

/** Not reachable in the simulation, and why. */
const exempt = new Set([
  // A dependency's failure blocks its victims by an event of its own; no attempt fails with this kind.
  "remedy dependency",
  "remedy denied",
  // Refused before a run starts: no attempt fails with this kind.
  "remedy trust",
  "remedy usage",
  // Stops a run, not an attempt; the simulated machine has room.
  "remedy machine_full",
  // Takes longer than a schedule lasts: outage.test.ts.
  "wait given up",
  // Takes conflicts in a row that nobody repairs, with no other end between them: test/core/rounds.test.ts.
  "rounds stale",
  // Waited for; in the end the run stops and the attempt stays as it is.
  ...WaitKind.options.map((kind) => `remedy ${kind}`),
]);

export class Coverage {
  readonly #hits = new Map<string, number>();

  constructor() {
    const rows = [
      ...eventTypes.map((type) => `event ${type}`),
      ...Object.keys(recoveryTable).map((row) => `recovery ${row}`),
      ...Object.keys(remedies).map((kind) => `remedy ${kind}`),
      ...EndReason.options.map((reason) => `run ended ${reason}`),
      ...faults.flatMap((fault) => stages.map((stage) => `fault ${fault} while ${stage}`)),
      ...elsewhere.map((fault) => `fault ${fault}`),
      ...conflicts.map((end) => `conflict ${end}`),
      ...["files", "failure", "call"].map((what) => `circle ${what}`),
      ...[1, 2, 3, 4].map((times) => `overflow ${times}`),
      "loop unverified",
      "phase of the plan waited for",
      ...["stale", "most"].map((why) => `rounds ${why}`),
      ...["handed over", "ended"].map((how) => `context ${how}`),
      ...WaitKind.options.map((kind) => `wait ${kind}`),
      ...waits.map((how) => `wait ${how}`),
      ...budgets.map((how) => `budget ${how}`),
      ...leavings.map((what) => `left ${what}`),
      ...phaseRows.map((how) => `phase ${how}`),
      ...["artifacts pass", "artifacts fail", "command pass"].map((end) => `gate ${end}`),
      ...Object.keys(toldWords).flatMap((verb) => ["taken", "late"].map((end) => `told ${verb} ${end}`)),
      ...["ask_human", "add_task"].map((verb) => `told ${verb} refused`),
      ...["attempts", "iterations", "sessions", "tasks per session", "interruptions", "lanes", "repairs"].map(
        (limit) => `limit ${limit}`,
      ),
    ];
    for (const row of rows) if (!exempt.has(row)) this.#hits.set(row, 0);
  }

  hit(row: string): void {
    if (exempt.has(row)) return;
    this.#hits.set(row, (this.#hits.get(row) ?? 0) + 1);
  }
  /** What another has counted. */
  add(hits: ReadonlyMap<string, number>): void {
    for (const [row, count] of hits) this.#hits.set(row, (this.#hits.get(row) ?? 0) + count);
  }
  get hits(): ReadonlyMap<string, number> {
    return this.#hits;
  }
  fault(fault: Fault, stagesNow: Iterable<Stage>): void {
    for (const stage of stagesNow) this.hit(`fault ${fault} while ${stage}`);
  }

  /** How many different things were reached. */
  get rows(): number {
    return [...this.#hits.values()].filter((count) => count > 0).length;
  }
  missed(): readonly string[] {
    return [...this.#hits].filter(([, count]) => count === 0).map(([row]) => row);
  }
  table(): string {
    const rows = [...this.#hits].sort(([a], [b]) => (a < b ? -1 : 1));
    return rows.map(([row, count]) => `${String(count).padStart(9)}  ${row}`).join("\n");
  }
}
