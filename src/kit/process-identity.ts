// Who a process is, so that it is recognised after a reboot and never confused with a later one of the same pid.
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { askProgram, readProcess } from "./process-table.ts";

export interface ProcessIdentity {
  readonly host: string;
  readonly bootId: string;
  readonly pid: number;
  readonly group: number;
  /** In the kernel's own unit, as text. */
  readonly startTime: string;
}

/** Null when there is no such process, or only its zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | null> {
  const [row, bootId] = await Promise.all([readProcess(pid), readBootId()]);
  if (row === null || row.zombie) return null;
  return { host: hostname(), bootId, pid, group: row.group, startTime: row.startTime };
}

export async function identifySelf(): Promise<ProcessIdentity> {
  const identity = await identifyProcess(process.pid);
  if (identity === null) throw new Error("this system does not show its own processes: neither /proc nor ps answers");
  return identity;
}

/**
 * Whether exactly this process still runs. A zombie is dead. One that exists but may not be looked at is alive.
 * Always false for another host or boot: nothing about the first can be seen from here.
 */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  if (!(await isHere(identity))) return false;
  const row = await readProcess(identity.pid);
  if (row !== null) return !row.zombie && row.startTime === identity.startTime;
  return existsUnseen(identity.pid);
}

export async function isHere(identity: ProcessIdentity): Promise<boolean> {
  return identity.host === hostname() && identity.bootId === (await readBootId());
}

function existsUnseen(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

let bootId: Promise<string> | undefined;

/** The same for the life of this process, so it is asked for once. */
function readBootId(): Promise<string> {
  bootId ??= askBootId();
  return bootId;
}

async function askBootId(): Promise<string> {
  if (process.platform === "linux") return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  return (await askProgram("sysctl", ["-n", "kern.boottime"])).trim();
}
