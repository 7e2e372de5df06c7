// Bringing work onto another head, and looking whether a conflict was repaired, as `clone` does it with git.
import type { Rebased } from "../../protocol/conflict.ts";
import type { CommitId } from "../../protocol/ids.ts";
import {
  type Changes,
  headOf,
  idOf,
  type MemoryCommit,
  type MemoryDisk,
  type SlotPlace,
  stillMade,
  withoutMade,
} from "./memory-disk.ts";

export interface Applied {
  readonly changes: Changes;
  readonly conflicts: readonly string[];
}

/** Work since `from` on `head`; a file in conflict holds both sides. */
export function applyTo(disk: MemoryDisk, head: MemoryCommit, work: { from: MemoryCommit; changes: Changes }): Applied {
  const changes: Changes = new Map();
  const conflicts: string[] = [];
  for (const [file, mine] of work.changes) {
    const theirs = disk.textAt(head, file);
    if (!disk.isWork(file, work.from) || theirs === mine) continue;
    if (theirs === disk.textAt(work.from, file)) changes.set(file, mine);
    else {
      conflicts.push(file);
      changes.set(file, bothSides(theirs, mine));
    }
  }
  return { changes, conflicts: conflicts.sort() };
}

/** As git does it, one side removed leaves the other as it is. */
const bothSides = (theirs: string | null, mine: string | null): string | null =>
  theirs === null || mine === null ? (theirs ?? mine) : `<<<<<<< merged\n${theirs}\n=======\n${mine}\n>>>>>>> work\n`;

const marker = /^(<{7}|={7}|>{7})( .*)?$/;
const isMarked = (text: string | null): boolean => text?.split("\n").some((line) => marker.test(line)) === true;

/** Files in which a marker is left that neither side had. */
export function unresolved(disk: MemoryDisk, place: SlotPlace, keptId: CommitId): readonly string[] {
  const kept = disk.known(keptId);
  const from = kept?.parent == null ? undefined : disk.known(kept.parent);
  if (kept === undefined || from === undefined) return [];
  const { conflicts } = applyTo(disk, place.commit, { from, changes: new Map(kept.changes) });
  return conflicts.filter((file) => {
    const known = new Set([place.commit, kept].flatMap((commit) => (disk.textAt(commit, file) ?? "").split("\n")));
    const now = place.changes.get(file) ?? null;
    return now?.split("\n").some((line) => marker.test(line) && !known.has(line)) === true;
  });
}

/** The work as a commit of its own on its base; the same work gives the same commit. */
export function keepWork(disk: MemoryDisk, place: SlotPlace): MemoryCommit {
  const owner = `${place.task}/${place.attempt}`;
  const all = disk.kept.get(owner) ?? [];
  const changes = new Map([...withoutMade(place)].filter(([file]) => disk.isWork(file, place.commit)));
  const found = all.find((kept) => kept.parent === place.commit.id && kept.sum === disk.sum(place));
  if (found !== undefined) return found;
  const kept = disk.add(place.commit, changes, `${place.task}: before the repair`);
  disk.kept.set(owner, [...all, kept]);
  return kept;
}

export function rebaseWork(disk: MemoryDisk, place: SlotPlace): SlotPlace & { readonly rebased: Rebased } {
  const kept = keepWork(disk, place);
  const head = headOf(disk);
  const { changes, conflicts } = applyTo(disk, head, { from: place.commit, changes: new Map(kept.changes) });
  const rebased: Rebased = {
    base: head.id,
    kept: kept.id,
    tree: idOf(disk.sum({ commit: head, changes })),
    files: conflicts.map((path) => ({ path, marked: isMarked(changes.get(path) ?? null) })),
    fileCount: conflicts.length,
    others: othersOn(disk, place.commit, conflicts),
  };
  const { task, attempt } = place;
  // What a set-up made is taken along, as `clone` does.
  const made = stillMade(place) ?? null;
  for (const [file, text] of made?.files ?? []) changes.set(file, text);
  return { task, attempt, commit: head, changes, own: [], subjects: [], candidate: null, made, rebased };
}

/** What was merged since `base` into these files, newest first. */
export function othersOn(disk: MemoryDisk, base: MemoryCommit, files: readonly string[]): Rebased["others"] {
  const since = disk.branch.slice(disk.branch.indexOf(base) + 1).reverse();
  return since
    .filter((commit) => files.some((file) => commit.changes.has(file)))
    .map(({ id, message }) => ({
      commit: id,
      task: /^Harness-Task: (.+)$/m.exec(message)?.[1] ?? null,
      subject: message.split("\n")[0] ?? "",
    }));
}
