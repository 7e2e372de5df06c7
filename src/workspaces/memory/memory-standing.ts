// Where the work in a slot stands, by the same rules as where there is git.
import { checklistIn, isChecklistName } from "../../kit/checklist.ts";
import { longestStanding as longest, type Standing } from "../../protocol/standing.ts";
import { type MemoryCommit, type MemoryDisk, type SlotPlace, withoutMade } from "./memory-disk.ts";

export function standingIn(disk: MemoryDisk, base: MemoryCommit, place: SlotPlace): Standing {
  const work = [...withoutMade(place)].filter(([file]) => disk.isWork(file, base));
  const files = work.map(([path, text]) => {
    const [before, now] = [linesOf(disk.textAt(base, path)), linesOf(text)];
    return { path, added: missing(now, before), removed: missing(before, now) };
  });
  const lists = [...new Set([...work.map(([path]) => path), ...filesOf(disk, base)])].sort().flatMap((path) => {
    const text = place.changes.has(path) ? place.changes.get(path) : disk.textAt(base, path);
    const list = isChecklistName(path) && text ? checklistIn(text, { ...longest, length: longest.item }) : null;
    return list === null ? [] : [{ path, ...list, next: [...list.next] }];
  });
  return {
    changed: {
      files: files.length,
      added: files.reduce((sum, { added }) => sum + added, 0),
      removed: files.reduce((sum, { removed }) => sum + removed, 0),
      most: files.sort((a, b) => b.added + b.removed - a.added - a.removed).slice(0, longest.files),
    },
    commits: (place.subjects ?? [])
      .slice(-longest.commits)
      .reverse()
      .map((subject) => subject.slice(0, longest.subject)),
    lists: lists.slice(0, longest.lists),
  };
}

/** All that ever were: one that is gone has no text. */
function filesOf(disk: MemoryDisk, commit: MemoryCommit): readonly string[] {
  const before = commit.parent === null ? undefined : disk.known(commit.parent);
  return [...commit.changes.keys(), ...(before === undefined ? [] : filesOf(disk, before))];
}

const linesOf = (text: string | null): readonly string[] => (text === null ? [] : text.replace(/\n$/, "").split("\n"));

/** Lines of `some` that are not in `others`, each as often as it stands there. */
function missing(some: readonly string[], others: readonly string[]): number {
  const left = [...others];
  return some.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  }).length;
}
