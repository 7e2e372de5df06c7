// Reads the system's table of running programs: from /proc on Linux, through `ps` elsewhere.
import { readdirSync, readFileSync } from "node:fs";
import { uptime } from "node:os";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** In the kernel's own unit, as text; equal text means the same start. */
  readonly startTime: string;
  /** Ended, and only waiting to be collected by its parent. */
  readonly zombie: boolean;
}

const linux = process.platform === "linux";

/** At once, for no disk is behind it: a table of hundreds would else be a thousand errands of the thread pool. */
const readProc = (path: string, encoding: "latin1" | "utf8"): string => readFileSync(`/proc/${path}`, encoding);

/** Null when there is no such process, or none that we may see. */
export async function readProcess(pid: number): Promise<ProcessRow | null> {
  if (!linux) return (await readPs(["-p", String(pid)])).at(0) ?? null;
  try {
    return parseStat(readProc(`${pid}/stat`, "latin1"));
  } catch {
    // Gone between two looks, or hidden from us: both mean that we cannot see it.
    return null;
  }
}

export async function listProcesses(): Promise<readonly ProcessRow[]> {
  if (!linux) return readPs(["-A"]);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(pids.map((pid) => readProcess(Number(pid))));
  return rows.filter((row) => row !== null);
}

/** A variable of the environment the process was started with; null where the system does not tell. */
export async function readVariable(pid: number, name: string): Promise<string | null> {
  if (!linux) return null;
  try {
    const entries = readProc(`${pid}/environ`, "utf8").split("\0");
    return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
  } catch {
    // Gone, or another user's: then it is not one of ours.
    return null;
  }
}

/** The program's name may hold spaces and parentheses, so fields are counted from the last one. */
export function parseStat(stat: string): ProcessRow | null {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const startTime = fields[19];
  const pid = Number.parseInt(stat, 10);
  if (
    state === undefined ||
    parent === undefined ||
    group === undefined ||
    startTime === undefined ||
    Number.isNaN(pid)
  )
    return null;
  return { pid, parent: Number(parent), group: Number(group), startTime, zombie: state === "Z" || state === "X" };
}

export function parsePsLine(line: string): ProcessRow | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
  const [, pid, parent, group, state, startTime] = match ?? [];
  if (
    pid === undefined ||
    parent === undefined ||
    group === undefined ||
    state === undefined ||
    startTime === undefined
  )
    return null;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), startTime, zombie: state.startsWith("Z") };
}

/** Linux tells starts in hundredths of a second since boot, on every machine we know of. */
const msPerTick = 10;

/** When it began by the wall clock, to about a second; wrong by as much as that clock was set since. */
export function startedAtMs({ startTime }: ProcessRow): number {
  if (!linux) return Date.parse(`${startTime} UTC`);
  return Date.now() - uptime() * 1_000 + Number(startTime) * msPerTick;
}

async function readPs(selection: readonly string[]): Promise<readonly ProcessRow[]> {
  // `lstart` is local time in the reader's language: both are pinned so that the text is comparable.
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  try {
    const listed = await askProgram("ps", [...selection, "-o", "pid=,ppid=,pgid=,stat=,lstart="], env);
    return listed
      .split("\n")
      .map(parsePsLine)
      .filter((row) => row !== null);
  } catch {
    // `ps` answers 1 when the selection is empty.
    return [];
  }
}

/** Loaded only where it is needed: on Linux a look at one process must cost nothing else. */
export async function askProgram(file: string, args: readonly string[], env = process.env): Promise<string> {
  const [{ execFile }, { promisify }] = await Promise.all([import("node:child_process"), import("node:util")]);
  return (await promisify(execFile)(file, args, { env })).stdout;
}
