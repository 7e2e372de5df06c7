// What a program and everything it started use now: its group, what carries its marker, and what those have started.
import { readFileSync } from "node:fs";
import { markerVariable } from "./process-groups.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { tasksNow } from "./process-limits.ts";
import { listProcesses, type ProcessRow, readVariable } from "./process-table.ts";

export interface Watched {
  readonly identity: ProcessIdentity;
  readonly marker: string | undefined;
}

/** One look at the table for all that are watched. Marks are read once for each process: they do not change. */
export class UsageTable {
  readonly #marks = new Map<number, { readonly startTime: string; readonly mark: string | null }>();

  /** Pids of each, in order. */
  async look(all: readonly Watched[]): Promise<readonly (readonly number[])[]> {
    const rows = await listProcesses();
    const oldest = Math.min(...all.map(({ identity }) => Number(identity.startTime)));
    const young = rows.filter(({ startTime }) => Number(startTime) >= oldest);
    const marks = new Map<number, string | null>();
    for (const row of young) marks.set(row.pid, await this.#markOf(row));
    for (const pid of this.#marks.keys()) if (!marks.has(pid)) this.#marks.delete(pid);
    return all.map((one) => membersOf(one, young, marks));
  }

  async #markOf({ pid, startTime }: ProcessRow): Promise<string | null> {
    const known = this.#marks.get(pid);
    if (known?.startTime === startTime) return known.mark;
    const mark = await readVariable(pid, markerVariable);
    // Just forked, or about to be another program: it is looked at again.
    if (mark !== null) this.#marks.set(pid, { startTime, mark });
    return mark;
  }
}

function membersOf(
  { identity, marker }: Watched,
  rows: readonly ProcessRow[],
  marks: ReadonlyMap<number, string | null>,
): readonly number[] {
  const mine = `${marker}@${identity.pid}`;
  const members = new Set<number>();
  for (const { pid, group } of rows) {
    if (group === identity.group || (marker !== undefined && marks.get(pid) === mine)) members.add(pid);
  }
  for (let grown = true; grown; ) {
    grown = false;
    for (const { pid, parent } of rows) {
      if (members.has(pid) || !members.has(parent)) continue;
      members.add(pid);
      grown = true;
    }
  }
  return [...members];
}

/** As it is told at once: what processes share is counted for each of them. */
export const residentBytes = (pids: readonly number[]): number => sumOf(pids, "status", /^VmRSS:\s+(\d+) kB$/m);

/** What is shared is divided among those who share it. The kernel walks their pages for it: not to be asked often. */
export const ownBytes = (pids: readonly number[]): number => sumOf(pids, "smaps_rollup", /^Pss:\s+(\d+) kB$/m);

function sumOf(pids: readonly number[], file: string, pattern: RegExp): number {
  let kilobytes = 0;
  for (const pid of pids) {
    try {
      kilobytes += Number(pattern.exec(readFileSync(`/proc/${pid}/${file}`, "latin1"))?.[1] ?? 0);
    } catch {
      // It ended since it was listed.
    }
  }
  return kilobytes * 1_024;
}

/** Tasks of the whole system, and memory that could still be given: two short reads that tell when to look closely. */
export function systemSigns(): { readonly tasks: number; readonly availableBytes: number } {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "latin1"))?.[1];
  return { tasks: tasksNow() ?? 0, availableBytes: Number(kilobytes ?? 0) * 1_024 };
}
