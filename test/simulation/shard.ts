// One worker of many: lives through one seed after the other, whichever nobody has taken yet, until none is left.
import { parentPort, workerData } from "node:worker_threads";
import { Coverage } from "./coverage.ts";
import { liveThrough, worldOf } from "./schedule.ts";

/** In memory that all workers share: how many seeds are taken. */
export type Taken = Int32Array<SharedArrayBuffer>;
/** In memory shared with whoever started it: the seed it is at, for when it dies of it. */
export type At = Int32Array<SharedArrayBuffer>;

export interface ShardData {
  readonly taken: Taken;
  readonly at: At;
  readonly schedules: number;
}
export interface Lived {
  readonly seeds: number;
  readonly events: number;
  readonly runs: number;
  readonly hits: ReadonlyMap<string, number>;
}

const { taken, at, schedules } = workerData as ShardData;
const coverage = new Coverage();
let [seeds, events, runs] = [0, 0, 0];
for (let seed = take(); seed <= schedules; seed = take()) {
  at[0] = seed;
  const world = worldOf(seed, coverage);
  await liveThrough(world);
  seeds += 1;
  events += world.journal.events.length;
  runs += world.processes.length;
}
parentPort?.postMessage({ seeds, events, runs, hits: coverage.hits } satisfies Lived);

function take(): number {
  return Atomics.add(taken, 0, 1) + 1;
}
