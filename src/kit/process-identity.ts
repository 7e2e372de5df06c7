// Who a process is, so that it is recognised after a reboot and never confused with a later one of the same pid.
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { askProgram, readProcess, startedAtMs } from "./process-table.ts";

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
  const [row, bootId] = await Promise.all([readProcess(pid), currentBoot()]);
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

/** The wall clock is less exact than the kernel's, and taking a live process for another is the worse mistake. */
const slackMs = 2_000;

/**
 * Whether the process that had this number at a moment still runs: one that began later was given the number anew.
 * For files that name nothing but a pid.
 */
export async function isAliveSince(pid: number, atMs: number): Promise<boolean> {
  const row = await readProcess(pid);
  if (row === null) return existsUnseen(pid);
  return !row.zombie && startedAtMs(row) <= atMs + slackMs;
}

/** The pid of one that no longer runs, or null. */
export async function firstGone(identities: readonly ProcessIdentity[]): Promise<number | null> {
  const alive = await Promise.all(identities.map(isAlive));
  return identities.find((_, place) => alive[place] === false)?.pid ?? null;
}

export async function isHere(identity: ProcessIdentity): Promise<boolean> {
  return identity.host === hostname() && identity.bootId === (await currentBoot());
}

function existsUnseen(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

let boot: Promise<string> | undefined;

/** Names the time since the machine was started: the same for the life of this process, so it is asked for once. */
export function currentBoot(): Promise<string> {
  boot ??= askBoot();
  return boot;
}

async function askBoot(): Promise<string> {
  if (process.platform === "linux") return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  const ask = async (name: string) => (await askProgram("sysctl", ["-n", name])).trim();
  // The boot time moves with the clock, so it serves only where the system has no name for its boots.
  return ask("kern.bootsessionuuid").catch(() => ask("kern.boottime"));
}
