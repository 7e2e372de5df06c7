// Watches over what running programs use, all of them with one timer, and says when one is past its limits. The kernel
// limits single processes and whole users only, and control groups are seldom ours to make: so this looks, often.
import { existsSync } from "node:fs";
import type { ProcessLimits } from "./process-limits.ts";
import { ownBytes, residentBytes, systemSigns, UsageTable, type Watched } from "./process-usage.ts";

export interface Breach {
  readonly what: "memory" | "processes";
  /** Bytes, or processes. */
  readonly limit: number;
  readonly seen: number;
}

export const breachText = ({ what, limit, seen }: Breach): string =>
  what === "memory"
    ? `used ${megabytes(seen)} MB of memory, more than the ${megabytes(limit)} MB it may`
    : `had ${seen} processes, more than the ${limit} it may`;
const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576);

interface Watching extends Watched {
  readonly limits: ProcessLimits;
  readonly onBreach: (breach: Breach) => void;
  processes: number;
  bytes: number;
}

const glanceMs = 100;
/** However quiet the system looks: memory may grow while somebody else's shrinks. */
const glancesBetweenLooks = 20;

const watched = new Set<Watching>();
const table = new UsageTable();
let timer: NodeJS.Timeout | undefined;
let looking = false;
let glances = 0;
let signs = { tasks: 0, availableBytes: 0 };

/** Until the answer is called; `onBreach` is called once at most. Without /proc nothing is watched. */
export function watchResources(
  of: Watched & { readonly limits: ProcessLimits },
  onBreach: (breach: Breach) => void,
): () => void {
  if (!existsSync("/proc/loadavg")) return () => undefined;
  const one: Watching = { ...of, onBreach, processes: 1, bytes: 0 };
  if (watched.size === 0) signs = systemSigns();
  watched.add(one);
  timer ??= setInterval(glance, glanceMs).unref();
  return () => {
    watched.delete(one);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Cheap: a close look follows only if the whole system grew by as much as one of ours still may. */
function glance(): void {
  if (looking) return;
  const now = systemSigns();
  const newTasks = now.tasks - signs.tasks;
  const taken = signs.availableBytes - now.availableBytes;
  glances += 1;
  const all = [...watched];
  const multiplies = all.some(({ limits, processes }) => newTasks > limits.processes - processes);
  const grows = all.some(({ limits, bytes }) => taken > (limits.memoryBytes - bytes) / 2);
  if (!multiplies && !grows && glances < glancesBetweenLooks) return;
  looking = true;
  glances = 0;
  signs = now;
  // Those who multiply would leave us no time to look: they stand still meanwhile.
  if (multiplies) for (const one of all) signalGroup(one, "SIGSTOP");
  void look(all, multiplies).finally(() => {
    looking = false;
  });
}

async function look(all: readonly Watching[], stopped: boolean): Promise<void> {
  try {
    const members = await table.look(all);
    for (const [index, one] of all.entries()) {
      const breach = watched.has(one) ? breachOf(one, members[index] ?? []) : null;
      if (breach !== null && watched.delete(one)) one.onBreach(breach);
    }
  } finally {
    // Whatever became of the look: nobody is left standing.
    if (stopped) for (const one of all) signalGroup(one, "SIGCONT");
  }
}

function signalGroup({ identity }: Watching, signal: "SIGSTOP" | "SIGCONT"): void {
  try {
    // Ours while it is watched: its leader has not been collected yet.
    process.kill(-identity.group, signal);
  } catch {
    // It is over.
  }
}

function breachOf(one: Watching, pids: readonly number[]): Breach | null {
  const { limits } = one;
  one.processes = pids.length;
  if (pids.length > limits.processes) return { what: "processes", limit: limits.processes, seen: pids.length };
  one.bytes = residentBytes(pids);
  if (one.bytes <= limits.memoryBytes) return null;
  const seen = ownBytes(pids);
  return seen > limits.memoryBytes ? { what: "memory", limit: limits.memoryBytes, seen } : null;
}
