// The double of the family, shipped for simulation. One verb is one instant: nothing happens between its steps.
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { rescueName } from "../../protocol/rescue.ts";
import type { ArchiveRequest, Candidate, Workspaces } from "../workspace.ts";
import {
  type Changes,
  headOf,
  idOf,
  type MemoryCommit,
  type MemoryDisk,
  type MemoryRepository,
  type SlotPlace,
} from "./memory-repository.ts";

const workPath = (slot: number): string => `/memory/lanes/${slot}/work`;
const proofPath = (slot: number): string => `/memory/lanes/${slot}/proof`;

/** Several handles may share one repository, as several processes share a disk. */
export function createMemoryWorkspaces(repository: MemoryRepository): Workspaces {
  const { disk } = repository;
  return {
    async open({ slot, task, attempt, fence, resume = null }) {
      const path = workPath(slot);
      const done = disk.mergedBy.get(task);
      if (done !== undefined) return succeeded({ merged: true, commit: done });
      if (isReplaced(disk, { path, fence })) return failed(replaced(path, fence));
      disk.fences.set(path, fence);
      const head = headOf(disk);
      const present = disk.slots.get(path);
      const start = resume === null ? new Map() : appliedTo(disk, head, resume);
      if (present !== undefined) {
        const same = present.task === task && present.attempt === attempt && present.commit === head;
        if (same && sameChanges(present.changes, start) && present.own.length === 0)
          return succeeded({ merged: false, path, base: head.id });
        putAway(disk, path, present);
      }
      disk.slots.set(path, { task, attempt, commit: head, changes: start, own: [], candidate: null });
      return succeeded({ merged: false, path, base: head.id });
    },

    async inspect({ path }) {
      const place = disk.slots.get(path);
      if (place === undefined) return failed(notHere(path));
      const tree = disk.sum(place);
      const uncommitted = tree !== (place.own.at(-1) ?? place.commit.sum);
      return succeeded({ uncommitted, commits: place.own.length > 0, tree: idOf(tree) });
    },

    async commit({ path, base, message }) {
      const place = disk.slots.get(path);
      if (place === undefined) return failed(notHere(path));
      const from = disk.known(base);
      if (from === undefined) return failed({ kind: "env_setup", message: `the base ${base} of ${path} is not known` });
      const head = headOf(disk);
      const changes: Changes = new Map();
      const conflicts: string[] = [];
      for (const [file, mine] of place.changes) {
        const theirs = disk.textAt(head, file);
        if (!disk.isWork(file) || theirs === mine) continue;
        if (theirs === disk.textAt(from, file)) changes.set(file, mine);
        else conflicts.push(file);
      }
      if (conflicts.length > 0) {
        const message = `the work in ${path} does not apply to the mission branch: ${conflicts.sort().join(", ")}`;
        return failed({ kind: "merge_conflict", message });
      }
      const candidate = disk.add(head, changes, message);
      place.candidate = { sum: disk.sum(place), commit: candidate.id };
      return succeeded({ commit: candidate.id, parent: head.id });
    },

    async proof({ slot, commit, apart = null }) {
      const known = disk.known(commit);
      if (known === undefined) return failed({ kind: "env_setup", message: `there is no commit ${commit}` });
      const path = apart === null ? proofPath(slot) : `${proofPath(slot)}-${apart}`;
      disk.proofs.set(path, { commit: known, changes: new Map() });
      return succeeded({ path });
    },

    async merge({ candidate, task, attempt }) {
      const commit = disk.known(candidate.commit);
      if (commit === undefined || commit.parent !== candidate.parent)
        return failed({ kind: "env_setup", message: `${candidate.commit} is no candidate on ${candidate.parent}` });
      const merged = disk.candidates.has(commit.id) ? disk.mergedBy.get(task) : commit.id;
      if (merged !== undefined) return succeeded({ merged: true, commit: merged });
      if (headOf(disk).id !== candidate.parent) return succeeded({ merged: false });
      disk.advance(commit);
      const [, named] = /^Harness-Task: (.+)$/m.exec(commit.message) ?? [];
      if (named !== undefined) disk.mergedBy.set(named, commit.id);
      disk.merges.push({ task, attempt, commit: commit.id, parent: candidate.parent });
      return succeeded({ merged: true, commit: commit.id });
    },

    async archive(request): Promise<Outcome<{ readonly archive: string }>> {
      const present = ownedBy(disk, request);
      if (present !== undefined) return succeeded({ archive: putAway(disk, request.path, present) });
      const earlier = archivesOf(disk, request);
      if (earlier > 0) return succeeded({ archive: archivePath(request, earlier) });
      if (isReplaced(disk, request)) return failed(replaced(request.path, request.fence));
      // Nothing of that attempt is anywhere: an empty archive says so, and says the same when asked again.
      return succeeded({ archive: keep(disk, { ...request, commit: headOf(disk), changes: new Map() }) });
    },

    async close(request) {
      const present = ownedBy(disk, request);
      if (present === undefined) return succeeded(null);
      if (holdsOnlyMergedWork(disk, present)) disk.slots.delete(request.path);
      else putAway(disk, request.path, present);
      return succeeded(null);
    },
  };
}

/** What the candidate changed, on the head as it is now; nothing if any of it was changed there too. */
function appliedTo(disk: MemoryDisk, head: MemoryCommit, { commit, parent }: Candidate): Changes {
  const [candidate, from] = [disk.known(commit), disk.known(parent)];
  const changes: Changes = new Map();
  if (candidate === undefined || from === undefined) return changes;
  for (const [file, mine] of candidate.changes) {
    const theirs = disk.textAt(head, file);
    if (theirs === mine) continue;
    if (theirs !== disk.textAt(from, file)) return new Map();
    changes.set(file, mine);
  }
  return changes;
}

const sameChanges = (a: Changes, b: Changes): boolean =>
  a.size === b.size && [...a].every(([file, text]) => b.get(file) === text);

const notHere = (path: string): Failure => ({ kind: "env_setup", message: `no workspace is open at ${path}` });

const isReplaced = (disk: MemoryDisk, { path, fence }: Pick<ArchiveRequest, "path" | "fence">): boolean =>
  fence < (disk.fences.get(path) ?? 0);
const replaced = (path: string, fence: number): Failure => ({
  kind: "env_setup",
  message: `${path} was opened with a higher fence than ${fence}: this run was replaced`,
});

function ownedBy(disk: MemoryDisk, { path, task, attempt, fence }: ArchiveRequest): SlotPlace | undefined {
  if (isReplaced(disk, { path, fence })) return undefined;
  const present = disk.slots.get(path);
  return present?.task === task && present.attempt === attempt ? present : undefined;
}

function holdsOnlyMergedWork(disk: MemoryDisk, place: SlotPlace): boolean {
  const sum = disk.sum(place);
  const { candidate } = place;
  const merged = candidate !== null && candidate.sum === sum && !disk.candidates.has(candidate.commit);
  const others = [...place.changes.keys()].some((file) => !disk.isWork(file));
  const ownIsSame = place.own.length === 0 || (place.own.length === 1 && place.own[0] === sum);
  return (merged || sum === place.commit.sum) && !others && ownIsSame;
}

function putAway(disk: MemoryDisk, path: string, place: SlotPlace): string {
  disk.slots.delete(path);
  return keep(disk, place);
}

function keep(disk: MemoryDisk, place: Omit<SlotPlace, "own" | "candidate">): string {
  const { task, attempt, commit, changes } = place;
  const path = archivePath(place, archivesOf(disk, place) + 1);
  disk.archives.set(path, { path, task, attempt, commit, changes });
  return path;
}

type Owner = Pick<SlotPlace, "task" | "attempt">;
const archivePath = ({ task, attempt }: Owner, copy: number): string => rescueName({ task, attempt, copy });

function archivesOf(disk: MemoryDisk, owner: Owner): number {
  let copies = 0;
  while (disk.archives.has(archivePath(owner, copies + 1))) copies += 1;
  return copies;
}
