// Ends groups of processes: politely first, then by force, and never one that is not ours.
import { setTimeout as delay } from "node:timers/promises";
import { identifySelf, isHere, type ProcessIdentity } from "./process-identity.ts";
import { listProcesses, type ProcessRow, readVariable } from "./process-table.ts";

/**
 * Holds `<marker>@<pid of the leader>`, or the marker alone. Everything a marked program starts inherits it, also what
 * leaves the group: with the pid it tells one run of a program from any other that uses the same marker.
 */
export const markerVariable = "HARNESS_PROCESS";

export interface EndOptions {
  /** Between asking (TERM) and forcing (KILL); 0 forces at once. */
  readonly graceMs: number;
  readonly marker?: string | undefined;
  /**
   * The group only watches over a program elsewhere and takes it along when it ends. Then what carries the marker is
   * asked, and the group itself only forced: asked, it would end at once, and leave the program no time.
   */
  readonly monitored?: boolean;
}

/**
 * Ends the group a dead supervisor left, and everything that carries its marker. Answers how many processes it was.
 *
 * Safe against pid reuse: the group is signalled only if the leader is still the same process, or if it is gone and
 * a member carries the marker – the kernel gives no group's number away while the group has members.
 */
export async function endGroup(leader: ProcessIdentity, options: EndOptions): Promise<number> {
  if (!(await isHere(leader)) || leader.group !== leader.pid) return 0;
  if (leader.group === (await identifySelf()).group) return 0;
  const seen = new Set<string>();
  // A leader that is collected while the others still end takes its proof along; the group is theirs all the same.
  const proof: Proof = (sight) =>
    isProven(sight) || sight.rows.some((row) => row.group === leader.group && seen.has(nameOf(row)));
  const find = async (): Promise<Targets> => {
    const targets = await findTargets(leader, options.marker, proof);
    for (const member of targets.members) seen.add(nameOf(member));
    return targets;
  };
  return endAll(find, options.graceMs);
}
const nameOf = ({ pid, startTime }: ProcessRow): string => `${pid} ${startTime}`;

/** The same for whoever started the leader, and knows while it lives and just when it ends whose group it is. */
export async function endOwnGroup(leader: ProcessIdentity, options: EndOptions): Promise<void> {
  const mayBeEmpty = options.graceMs === 0 && !sendSignal(-leader.group, "SIGKILL");
  if (mayBeEmpty && options.marker === undefined) return;
  await endAll(() => findTargets(leader, options.marker, () => true), options.graceMs, options.monitored);
}

interface Targets {
  readonly group: number;
  readonly members: readonly ProcessRow[];
  /** Marked as ours, but no longer in the group. */
  readonly strays: readonly ProcessRow[];
}
interface Sight {
  readonly leader: ProcessIdentity;
  readonly marker: string | undefined;
  readonly rows: readonly ProcessRow[];
  /** What the marker variable holds, for every row that is alive and not older than the leader. */
  readonly marks: ReadonlyMap<ProcessRow, string | null>;
}
type Proof = (sight: Sight) => boolean;

const isProven: Proof = ({ leader, marker, rows, marks }) => {
  // A zombie leader still holds its number, so it proves the group as well as a live one does.
  const head = rows.find((row) => row.pid === leader.pid);
  if (head !== undefined) return head.startTime === leader.startTime && head.group === leader.group;
  const proofs = [marker, `${marker}@${leader.pid}`];
  return [...marks].some(([row, mark]) => row.group === leader.group && mark !== null && proofs.includes(mark));
};

async function findTargets(leader: ProcessIdentity, marker: string | undefined, proof: Proof): Promise<Targets> {
  const rows = await listProcesses();
  const alive = rows.filter((row) => !row.zombie);
  const marks = marker === undefined ? new Map() : await readMarks(alive, leader);
  return {
    group: leader.group,
    members: proof({ leader, marker, rows, marks }) ? alive.filter((row) => row.group === leader.group) : [],
    strays: [...marks.keys()].filter(
      (row) => row.group !== leader.group && marks.get(row) === `${marker}@${leader.pid}`,
    ),
  };
}

/** Nothing older than the leader can come from it. */
async function readMarks(
  rows: readonly ProcessRow[],
  leader: ProcessIdentity,
): Promise<ReadonlyMap<ProcessRow, string | null>> {
  const younger = rows.filter((row) => Number(row.startTime) >= Number(leader.startTime));
  const marks = await Promise.all(younger.map((row) => readVariable(row.pid, markerVariable)));
  return new Map(younger.map((row, index) => [row, marks[index] ?? null]));
}

const firstPollMs = 5;
const maxPollMs = 100;
/** For what KILL takes a while to reach: a process deep in the kernel. */
const maxDyingMs = 2_000;
/** For those who multiply as fast as they are ended. */
const maxChaseMs = 60_000;

async function endAll(find: () => Promise<Targets>, graceMs: number, monitored = false): Promise<number> {
  const ended = new Set<number>();
  const signal = (targets: Targets, name: NodeJS.Signals): void => {
    for (const row of [...targets.members, ...targets.strays]) ended.add(row.pid);
    const isAsked = !monitored || name === "SIGKILL";
    // By group at one stroke: a member that forks meanwhile cannot slip through.
    if (targets.members.length > 0 && isAsked) sendSignal(-targets.group, name);
    for (const row of targets.strays) sendSignal(row.pid, name);
  };

  let left = await find();
  if (graceMs > 0) {
    signal(left, "SIGTERM");
    // A stopped process sees TERM only once it goes on.
    signal(left, "SIGCONT");
    left = await waitUntilGone(find, left, graceMs);
  }
  const latest = performance.now() + maxChaseMs;
  let deadline = performance.now() + maxDyingMs;
  while (!isGone(left) && performance.now() < Math.min(deadline, latest)) {
    // Whoever multiplies outside the group is not waited for: only a stroke before the next birth ends that.
    if (isAnyNew(left, ended)) deadline = performance.now() + maxDyingMs;
    signal(left, "SIGKILL");
    left = await waitUntilGone(find, left, maxPollMs, (targets) => isAnyNew(targets, ended));
  }
  return ended.size;
}

const isAnyNew = ({ members, strays }: Targets, known: ReadonlySet<number>): boolean =>
  [...members, ...strays].some(({ pid }) => !known.has(pid));

const isGone = (targets: Targets): boolean => targets.members.length + targets.strays.length === 0;

async function waitUntilGone(
  find: () => Promise<Targets>,
  present: Targets,
  limitMs: number,
  isEnough: (targets: Targets) => boolean = () => false,
): Promise<Targets> {
  const deadline = performance.now() + limitMs;
  let left = present;
  for (let pauseMs = firstPollMs; !isGone(left) && performance.now() < deadline; pauseMs *= 2) {
    await delay(Math.max(1, Math.min(pauseMs, maxPollMs, deadline - performance.now())));
    left = await find();
    if (isEnough(left)) break;
  }
  return left;
}

/** Answers false when there is nobody to get it. */
function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
