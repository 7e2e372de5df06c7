// Times floor and subject in turn – floor, subject, floor, subject … – so that what else the machine does meets both.
//
// Beside the time that passed stands the ratio of processor time, which other work on the machine disturbs far less;
// it says nothing about waiting for a disk.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Goal {
  readonly atMost: number;
  /** Of the ratio, unless it says otherwise. */
  readonly unit?: "s" | "×" | "%" | "bytes";
}

/** One line of the table. `value` is a ratio to the floor unless the goal has another unit. */
export interface Row {
  readonly id: string;
  readonly work: string;
  readonly size: string;
  readonly floorMs: number | null;
  readonly subjectMs: number | null;
  readonly value: number;
  readonly p10: number | null;
  readonly p90: number | null;
  /** Ratio of processor time, all rounds together; null where it was not taken. */
  readonly cpu?: number | null;
  readonly goal: Goal | null;
  readonly note?: string;
}

export interface Options {
  readonly quick: boolean;
  /** A folder of this run alone; removed at its end. */
  readonly folder: string;
  readonly say: (text: string) => void;
}

export interface Measurement {
  readonly id: string;
  readonly what: string;
  run(options: Options): Promise<readonly Row[]>;
}

export const isMet = ({ value, goal }: Row): boolean => goal === null || value <= goal.atMost;

export interface Took {
  readonly ms: number;
  /** Of the processor, ours and that of children that have ended. */
  readonly cpuMs: number | null;
}
type Timed = () => Took | Promise<Took>;

export interface Pair {
  readonly floor: Timed;
  readonly subject: Timed;
}

/** Each round gives one ratio. The first round warms caches and does not count. */
export async function ratios(rounds: number, { floor, subject }: Pair) {
  const floors: Took[] = [];
  const subjects: Took[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const [below, above] = [await floor(), await subject()];
    if (round === 0) continue;
    floors.push(below);
    subjects.push(above);
  }
  const quotients = subjects.map(({ ms }, n) => ms / (floors[n]?.ms ?? Number.NaN));
  return {
    floorMs: quantile(
      floors.map(({ ms }) => ms),
      0.5,
    ),
    subjectMs: quantile(
      subjects.map(({ ms }) => ms),
      0.5,
    ),
    value: quantile(quotients, 0.5),
    p10: quantile(quotients, 0.1),
    p90: quantile(quotients, 0.9),
    cpu: sumOf(subjects) / sumOf(floors),
  };
}

/** NaN, and so no ratio, when it was not taken. */
const sumOf = (took: readonly Took[]): number => took.reduce((sum, { cpuMs }) => sum + (cpuMs ?? Number.NaN), 0);

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** Milliseconds from start to end of a Node process, its output read through a pipe. A failure of it is one of ours. */
export function timeNode(
  args: readonly string[],
  { cwd, env = process.env }: { cwd: string; env?: NodeJS.ProcessEnv },
) {
  const [began, cpuBegan] = [performance.now(), childrensCpuMs()];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, maxBuffer: 2 ** 30 });
  const ms = performance.now() - began;
  if (status !== 0) throw new Error(`node ${args.join(" ")} → ${status}\n${stderr}`);
  return { ms, cpuMs: cpuBegan === null ? null : (childrensCpuMs() ?? Number.NaN) - cpuBegan };
}

/** As `timeCall`, for work that waits and starts processes: their processor time counts when they have ended. */
export async function timeWork(work: () => Promise<unknown> | unknown): Promise<Took> {
  const [began, cpuBegan, childrenBegan] = [performance.now(), process.cpuUsage(), childrensCpuMs()];
  await work();
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBegan);
  const children = childrenBegan === null ? null : (childrensCpuMs() ?? Number.NaN) - childrenBegan;
  return { ms, cpuMs: children === null ? null : children + (user + system) / 1_000 };
}

/** In ticks of 10 ms, so only sums of many are worth something; null where the system does not tell. */
function childrensCpuMs(): number | null {
  try {
    const fields = readFileSync("/proc/self/stat", "latin1").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return null;
  }
}

export function timeCall(work: () => unknown): Took {
  const [began, cpuBegan] = [performance.now(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(cpuBegan);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1_000 };
}
