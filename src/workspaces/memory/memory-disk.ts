// Stands for the disk: history, slots and archives in memory. Every operation costs what it changes, not what there is.
import { createHash } from "node:crypto";
import type { Rebased } from "../../protocol/conflict.ts";
import type { CommitId, TaskId } from "../../protocol/ids.ts";
import { leftPaths } from "../../protocol/left.ts";

/** What differs from a commit; null is a removed file. Holds no entry equal to the commit's own. */
export type Changes = Map<string, string | null>;

export interface MemoryCommit {
  readonly id: CommitId;
  readonly parent: CommitId | null;
  readonly message: string;
  /** Against the parent. */
  readonly changes: ReadonlyMap<string, string | null>;
  /** Sum of all files' hashes, so that equal trees have equal sums at the cost of the changes alone. */
  readonly sum: bigint;
}

export interface Place {
  readonly commit: MemoryCommit;
  readonly changes: Changes;
  /** What a set-up made there is no work; by file, as it was made. */
  made?: { readonly key: string; readonly files: ReadonlyMap<string, string | null> } | null;
  /** A set-up is at work there, or did not end well: nobody else has worked there since. */
  making?: boolean;
}
export interface SlotPlace extends Place {
  readonly task: TaskId;
  readonly attempt: number;
  /** Sums of the trees the agent committed itself, oldest first. */
  readonly own: bigint[];
  /** What it said of them, as often. */
  readonly subjects?: string[];
  candidate: { readonly sum: bigint; readonly commit: CommitId } | null;
  /** It was brought here from another base. */
  readonly rebased?: Rebased;
}

export interface MemoryMerge {
  readonly task: TaskId;
  readonly attempt: number;
  readonly commit: CommitId;
  readonly parent: CommitId;
}
export interface MemoryArchive extends Place {
  readonly path: string;
  readonly task: TaskId;
  readonly attempt: number;
}

export interface MemoryDisk {
  readonly slots: Map<string, SlotPlace>;
  /** What a set-up made in slots that nobody has now, by path. */
  readonly pool: Map<string, NonNullable<Place["made"]>>;
  readonly proofs: Map<string, Place>;
  /** By path, in the order they were made. */
  readonly archives: Map<string, MemoryArchive>;
  readonly merges: MemoryMerge[];
  readonly candidates: Map<CommitId, MemoryCommit>;
  /** The one merged commit of each task, as the commit's trailer names it. */
  readonly mergedBy: Map<TaskId, CommitId>;
  /** By task and attempt: work as it was before it was brought onto another head, newest last. */
  readonly kept: Map<string, MemoryCommit[]>;
  /** By slot, the highest fence it was opened with. */
  readonly fences: Map<string, number>;
  readonly branch: MemoryCommit[];
  /** Neither ignored nor one of the harness's own files, nor left for us: that the commit does not hold it tells. */
  isWork(file: string, base: MemoryCommit): boolean;
  /** Whether an agent left that file for us. */
  isLeft(file: string, base: MemoryCommit): boolean;
  known(commit: CommitId): MemoryCommit | undefined;
  textAt(commit: MemoryCommit, file: string): string | null;
  /** Records a commit on `parent`; it is in no branch yet. */
  add(parent: MemoryCommit, changes: Changes, message: string): MemoryCommit;
  advance(commit: MemoryCommit): void;
  /** Of the place's work, as it stands. */
  sum(place: Place): bigint;
}

const harnessFile = /^(harness-tasks\.json[^/]*|harness-progress\.txt|\.harness-active|\.harness\/.*)$/;

const modulus = 1n << 160n;
export const idOf = (sum: bigint): string => (((sum % modulus) + modulus) % modulus).toString(16).padStart(40, "0");
const sha1 = (text: string): string => createHash("sha1").update(text).digest("hex");
const weight = (file: string, text: string | null): bigint =>
  text === null ? 0n : BigInt(`0x${sha1(`${file}\0${text}`)}`);

/** What somebody did there: changes that are not what a set-up made. */
export function withoutMade({ changes, made }: Place): Changes {
  return made == null ? changes : new Map([...changes].filter(([file]) => !isMade(made.files, file)));
}

/** A file that was made, or one that others put into a directory that was. */
function isMade(files: ReadonlyMap<string, string | null>, file: string): boolean {
  const [top] = file.split("/");
  return files.has(file) || (file.includes("/") && [...files.keys()].some((other) => other.split("/")[0] === top));
}

/** All that was made, if nobody changed any of it. */
export const stillMade = ({ changes, made }: Place): Place["made"] =>
  made != null && [...made.files].every(([file, text]) => changes.get(file) === text) ? made : null;

export function headOf(disk: MemoryDisk): MemoryCommit {
  const head = disk.branch.at(-1);
  if (head === undefined) throw new Error("a mission branch without commits");
  return head;
}

export function createDisk(files: ReadonlyMap<string, string | null>, ignores: (file: string) => boolean): MemoryDisk {
  // Per file what it held since which position of the branch, oldest first.
  const history = new Map<string, { readonly since: number; readonly text: string | null }[]>();
  const positions = new Map<CommitId, number>();
  const candidates = new Map<CommitId, MemoryCommit>();
  const branch: MemoryCommit[] = [];
  let counter = 0;

  const textSince = (position: number, file: string): string | null =>
    history.get(file)?.findLast((version) => version.since <= position)?.text ?? null;
  const textAt = (commit: MemoryCommit, file: string): string | null => {
    const position = positions.get(commit.id);
    if (position !== undefined) return textSince(position, file);
    const text = commit.changes.get(file);
    if (text !== undefined) return text;
    const parent = commit.parent === null ? undefined : positions.get(commit.parent);
    return parent === undefined ? null : textSince(parent, file);
  };
  const isLeft = (file: string, base: MemoryCommit): boolean => {
    if (file === leftPaths.handoff) return textAt(base, file) === null;
    const results = `${leftPaths.results}/`;
    if (!file.startsWith(results)) return false;
    return ![...history.keys()].some((other) => other.startsWith(results) && textAt(base, other) !== null);
  };
  const isWork = (file: string, base: MemoryCommit): boolean =>
    !ignores(file) && !harnessFile.test(file) && !isLeft(file, base);
  const summed = (commit: MemoryCommit, changes: ReadonlyMap<string, string | null>): bigint => {
    let { sum } = commit;
    for (const [file, text] of changes) {
      if (isWork(file, commit)) sum += weight(file, text) - weight(file, textAt(commit, file));
    }
    return sum;
  };
  const disk: MemoryDisk = {
    slots: new Map(),
    pool: new Map(),
    proofs: new Map(),
    archives: new Map(),
    merges: [],
    candidates,
    mergedBy: new Map(),
    kept: new Map(),
    fences: new Map(),
    branch,
    isWork,
    isLeft,
    known: (id) => branch[positions.get(id) ?? -1] ?? candidates.get(id),
    textAt,
    add(parent, changes, message) {
      counter += 1;
      const sum = summed(parent, changes);
      const commit = { id: sha1(`commit ${counter}`), parent: parent.id, message, changes, sum };
      candidates.set(commit.id, commit);
      return commit;
    },
    advance(commit) {
      positions.set(commit.id, branch.length);
      for (const [file, text] of commit.changes) {
        const versions = history.get(file);
        if (versions === undefined) history.set(file, [{ since: branch.length, text }]);
        else versions.push({ since: branch.length, text });
      }
      branch.push(commit);
      candidates.delete(commit.id);
    },
    sum: (place) => summed(place.commit, withoutMade(place)),
  };
  const sum = [...files].reduce((total, [file, text]) => total + weight(file, text), 0n);
  disk.advance({ id: sha1("commit 0"), parent: null, message: "start", changes: files, sum });
  return disk;
}
