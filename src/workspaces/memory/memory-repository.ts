// A repository in memory as tests and the simulation handle it: agents, gates and a user work in it.
import type { CommitId } from "../../protocol/ids.ts";
import {
  createDisk,
  headOf,
  type MemoryArchive,
  type MemoryCommit,
  type MemoryDisk,
  type MemoryMerge,
  type Place,
} from "./memory-disk.ts";
import { MemoryUser } from "./memory-user.ts";

export interface MemoryRepository {
  /** Fake agents and gates: works below any path a handle answered; throws when nothing is open there. */
  write(path: string, file: string, text: string): void;
  remove(path: string, file: string): void;
  commitInside(path: string, message?: string): void;
  read(path: string, file: string): string | null;
  readAtHead(file: string): string | null;
  head(): CommitId;
  /** Commits of the mission branch after its first, oldest first. */
  log(): readonly MemoryCommit[];
  merges(): readonly MemoryMerge[];
  archives(): readonly MemoryArchive[];
  readonly user: MemoryUser;
  /** For the handles of this variant only. */
  readonly disk: MemoryDisk;
}

export function createMemoryRepository(
  options: { readonly files?: Readonly<Record<string, string>>; readonly ignores?: (file: string) => boolean } = {},
): MemoryRepository {
  const disk = createDisk(new Map(Object.entries(options.files ?? {})), options.ignores ?? (() => false));
  const placeAt = (path: string): Place => {
    const place = disk.slots.get(path) ?? disk.proofs.get(path) ?? disk.archives.get(path);
    if (place === undefined) throw new Error(`nothing is open at ${path}`);
    return place;
  };
  const set = (path: string, file: string, text: string | null): void => {
    const place = placeAt(path);
    if (disk.textAt(place.commit, file) === text) place.changes.delete(file);
    else place.changes.set(file, text);
  };
  return {
    write: set,
    remove: (path, file) => set(path, file, null),
    commitInside(path, message = "work") {
      const place = disk.slots.get(path);
      if (place === undefined) throw new Error(`no workspace is open at ${path}`);
      place.own.push(disk.sum(place));
      place.subjects?.push(message);
    },
    read(path, file) {
      const place = placeAt(path);
      const text = place.changes.get(file);
      return text === undefined ? disk.textAt(place.commit, file) : text;
    },
    readAtHead: (file) => disk.textAt(headOf(disk), file),
    head: () => headOf(disk).id,
    log: () => disk.branch.slice(1),
    merges: () => disk.merges,
    archives: () => [...disk.archives.values()],
    user: new MemoryUser(disk),
    disk,
  };
}
