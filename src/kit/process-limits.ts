// What one program, with all that it starts, may use of a machine.
import { readFileSync } from "node:fs";

export interface ProcessLimits {
  /** Resident memory of all its processes together. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of each process. */
  readonly openFiles: number;
}

/**
 * For a shell that is about to become the program. What the kernel counts for a single process is limited here; what a
 * program uses with its children is looked at while it runs (resource-watch.ts). The kernel's count of processes is one
 * of all tasks of a user, and knows no limit for root: it only holds up what multiplies faster than we look.
 */
export function limitingScript({ openFiles, processes }: ProcessLimits): string {
  const users = tasksNow();
  return [
    // The soft limit stays where it is if it can: programs that poll trust in a low one.
    lower("-H -n", openFiles, lower("-n", openFiles)),
    ...(users === null ? [] : [lower("-u", users + 2 * processes, lower("-p", users + 2 * processes))]),
    "",
  ].join("; ");
}

/** A limit that is lower already stays; shells differ in the letter for processes. */
const lower = (flag: string, to: number, otherwise = ":"): string => `ulimit ${flag} ${to} 2>/dev/null || ${otherwise}`;

/** Tasks of the whole system: no user has more. Null where the system does not tell. */
export function tasksNow(): number | null {
  try {
    return Number(/\/(\d+) /.exec(readFileSync("/proc/loadavg", "latin1"))?.[1] ?? Number.NaN) || null;
  } catch {
    return null;
  }
}
