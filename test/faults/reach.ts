// Whether a sweep came to every place it chose: one that did not may not pass.
import type { Trouble } from "./errors.ts";
import { pictureOf } from "./picture.ts";
import { fileCalls, type Point, tell } from "./points.ts";
import { hit, type Rehearsal } from "./rehearsal.ts";
import type { Traced } from "./strace.ts";

const maxTries = 12;
/** Of what may be missed. */
const fewTries = 3;
/** Each is waited for until it is ended: a sweep that hangs so often has found what it can, and more would take hours. */
const mostHangs = 2;

/** Performs the operation until the point was there: threads overtake each other, and views are written when there is time. */
export async function reach(
  rehearsal: Rehearsal,
  { point, inject }: Trouble,
  options: { readonly onlyItself?: boolean; readonly quick?: boolean } = {},
): Promise<Traced | null> {
  const most = isRepeatedView(point) ? fewTries : maxTries;
  for (let tries = 0; tries < most; tries += 1) {
    const ended = await hit(rehearsal, point, inject, options);
    if (ended.hits > 0) return ended;
  }
  return null;
}

export interface Tally {
  reached: number;
  /** Errors that were shown by the same one for longer: the call was not made again. */
  same: number;
  /** Different states that were left, each of which somebody went on from. */
  states: number;
  /** Points that may be missed, and were. */
  absent: number;
}
export const newTally = (): Tally => ({ reached: 0, same: 0, states: 0, absent: 0 });
export const tellTally = ({ reached, same, states, absent }: Tally): string =>
  [
    `${reached}, `,
    same === 0 ? "" : `${same} of them shown by the same error for longer, `,
    states === 0 ? "" : `which left ${states} different states, `,
    absent === 0 ? "none missed" : `and ${absent} repeated writes of views that were not there again`,
  ].join("");

/**
 * Views are written at most so often, and several changes at once when there is no time for each: how many times differs
 * from run to run. What the last time does the ones before it did as well, so only a repetition may be missed.
 */
const isRepeatedView = ({ path, nth }: Point): boolean =>
  nth > 1 && /\/views|tasks-view\.json|hook\.json|\/harness-|\/\.harness|\/project$/.test(path);

function unreached(tally: Tally, point: Point): readonly string[] {
  if (!isRepeatedView(point)) return ["not reached"];
  tally.absent += 1;
  return [];
}

/** At once as well: a long sweep takes long. */
export function tellFaults(name: string, where: string, found: readonly string[]): readonly string[] {
  const faults = found.map((fault) => `${where}: ${fault}`);
  for (const fault of faults) console.error(name, fault);
  return faults;
}

export interface HitOptions {
  readonly tally: Tally;
  /** What is wrong with how it ended and with what it left. */
  readonly faultsOf: (ended: Traced, trouble: Trouble) => Promise<readonly string[]>;
  /** What is wrong with what comes of that: asked once for every state that is left. */
  readonly afterwards?: (ended: Traced) => Promise<readonly string[]>;
  readonly isQuick?: (point: Point) => boolean;
  /** Null where it did not come to the point; as strace does it, if nothing else is said. */
  readonly perform?: (trouble: Trouble) => Promise<Traced | null>;
}

/** The operation with each of these troubles in turn. */
export async function hitEach(
  rehearsal: Rehearsal,
  troubles: readonly Trouble[],
  { tally, faultsOf, afterwards, isQuick = () => false, perform }: HitOptions,
): Promise<readonly string[]> {
  const { operation, scene } = rehearsal;
  const meet = perform ?? ((trouble) => reach(rehearsal, trouble, { quick: isQuick(trouble.point) }));
  const faults: string[] = [];
  const known = new Set<string>();
  const allFaultsOf = async (ended: Traced, trouble: Trouble): Promise<readonly string[]> => {
    const found = await faultsOf(ended, trouble);
    if (afterwards === undefined) return found;
    const picture = await pictureOf(scene, ended.stdout);
    if (known.has(picture)) return found;
    tally.states += 1;
    const later = await afterwards(ended);
    // What went wrong once is looked at every time.
    if (later.length === 0) known.add(picture);
    return [...found, ...later];
  };
  const progress = countsTo(troubles.length);
  const shown = new Set<string>();
  const nameOf = ({ name, path }: Point, inject: string): string => `${name} ${path} ${inject}`;
  let hangs = 0;
  for (const trouble of troubles) {
    const { point, what, inject, shorter } = trouble;
    progress();
    if (shown.has(nameOf(point, inject))) {
      tally.reached += 1;
      tally.same += 1;
      continue;
    }
    const ended = await meet(trouble);
    const found = ended === null ? unreached(tally, point) : await allFaultsOf(ended, trouble);
    if (ended !== null) tally.reached += 1;
    if (ended?.hits === 1 && shorter !== undefined) shown.add(nameOf(point, shorter));
    faults.push(...tellFaults(operation.name, `${what} at ${tell(point, scene.live)}`, found));
    if (ended?.hung) hangs += 1;
    if (hangs === mostHangs) return [...faults, "it hung too often to go on"];
  }
  return faults;
}

/** Whether programs that the operation starts make such calls as well. */
export async function callsOfOthers({ scene, operation }: Rehearsal): Promise<(point: Point) => boolean> {
  scene.restore();
  const { calls } = await scene.traced(operation.args, { calls: [...fileCalls, "execve"] });
  const itself = calls[0]?.thread;
  const others = new Set(calls.filter(({ name }) => name === "execve").map(({ thread }) => thread));
  const theirs = new Set(
    calls.flatMap(({ thread, name, path }) => (thread !== itself && others.has(thread) ? [`${name} ${path}`] : [])),
  );
  return ({ name, path }) => theirs.has(`${name} ${path}`);
}

/** Long work shows how far it is. */
export function countsTo(all: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (done % 100 === 0) console.error(`${done} of ${all}`);
  };
}
