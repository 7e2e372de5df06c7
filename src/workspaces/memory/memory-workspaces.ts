// The double of the family, shipped for simulation. One verb is one instant: nothing happens between its steps.
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { type LeftFiles, leftPaths } from "../../protocol/left.ts";
import { rescueName } from "../../protocol/rescue.ts";
import type { ArchiveRequest, Candidate, Workspaces } from "../workspace.ts";
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
import { applyTo, othersOn, rebaseWork, unresolved } from "./memory-rebase.ts";
import type { MemoryRepository } from "./memory-repository.ts";
import { standingIn } from "./memory-standing.ts";

const workPath = (slot: number): string => `/memory/lanes/${slot}/work`;
const proofPath = (slot: number): string => `/memory/lanes/${slot}/proof`;

/** Several handles may share one repository, as several processes share a disk. */
export function createMemoryWorkspaces(repository: MemoryRepository): Workspaces {
  const { disk } = repository;
  return {
    head: async () => succeeded(headOf(disk).id),

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
        if (same && sameChanges(withoutMade(present), start) && present.own.length === 0)
          return succeeded({ merged: false, path, base: head.id });
        if (present.making !== true) putAway(disk, path, present);
      }
      const made = disk.pool.get(path) ?? null;
      disk.pool.delete(path);
      const changes = new Map([...start, ...(made?.files ?? [])]);
      disk.slots.set(path, { task, attempt, commit: head, changes, own: [], subjects: [], candidate: null, made });
      return succeeded({ merged: false, path, base: head.id });
    },

    async inspect({ path, base, standing }) {
      const place = disk.slots.get(path);
      if (place === undefined) return failed(notHere(path));
      const tree = disk.sum(place);
      const uncommitted = tree !== (place.own.at(-1) ?? place.commit.sum);
      const from = standing && disk.known(base);
      const stands = from === undefined ? {} : { standing: standingIn(disk, from, place) };
      return succeeded({ uncommitted, commits: place.own.length > 0, tree: idOf(tree), ...stands });
    },

    async collect({ path }) {
      const place = disk.slots.get(path);
      return place === undefined ? failed(notHere(path)) : succeeded(leftIn(disk, place));
    },

    async commit({ path, base, message, kept = null }) {
      const place = disk.slots.get(path);
      if (place === undefined) return failed(notHere(path));
      const from = disk.known(base);
      if (from === undefined) return failed({ kind: "env_setup", message: `the base ${base} of ${path} is not known` });
      const head = headOf(disk);
      const left = kept === null ? [] : unresolved(disk, place, kept);
      if (left.length > 0)
        return failed({ kind: "unresolved", message: `conflict markers are left in ${left.join(", ")}` });
      const { changes, conflicts } = applyTo(disk, head, { from, changes: withoutMade(place) });
      if (conflicts.length > 0) {
        const message = `the work in ${path} does not apply to the mission branch: ${conflicts.join(", ")}`;
        const evidence = othersOn(disk, from, conflicts)
          .map(({ subject }) => subject)
          .join("\n");
        return failed({ kind: "merge_conflict", message, evidence });
      }
      const candidate = disk.add(head, changes, message);
      place.candidate = { sum: disk.sum(place), commit: candidate.id };
      return succeeded({ commit: candidate.id, parent: head.id });
    },

    async rebase(request) {
      const { path, base, fence } = request;
      if (isReplaced(disk, request)) return failed(replaced(path, fence));
      const place = ownedBy(disk, request);
      if (place === undefined) return failed(notHere(path));
      disk.fences.set(path, fence);
      // Done before, and the answer was lost.
      if (place.rebased !== undefined && place.commit.id !== base) return succeeded(place.rebased);
      const moved = rebaseWork(disk, place);
      putAway(disk, path, place);
      disk.pool.delete(path);
      disk.slots.set(path, moved);
      return succeeded(moved.rebased);
    },

    async proof({ slot, commit, apart = null }) {
      const known = disk.known(commit);
      if (known === undefined) return failed({ kind: "env_setup", message: `there is no commit ${commit}` });
      const path = apart === null ? proofPath(slot) : `${proofPath(slot)}-${apart}`;
      const before = disk.proofs.get(path);
      const made = before === undefined ? null : stillMade(before);
      disk.proofs.set(path, { commit: known, changes: new Map(made?.files), made: made ?? null });
      return succeeded({ path, made: [...(made?.files.keys() ?? [])].map((file) => `${path}/${file}`) });
    },

    async prepare({ path, fence, inputs, salt }, make) {
      const place = disk.slots.get(path) ?? disk.proofs.get(path);
      if (place === undefined) return failed(notHere(path));
      if (disk.slots.has(path) && isReplaced(disk, { path, fence })) return failed(replaced(path, fence));
      const texts = inputs.map((file) => place.changes.get(file) ?? disk.textAt(place.commit, file));
      const key = JSON.stringify([salt, inputs, texts]);
      if (make === null ? place.made == null : place.made?.key === key) return succeeded({ made: false });
      for (const file of place.made?.files.keys() ?? []) place.changes.delete(file);
      place.made = null;
      if (make === null) return succeeded({ made: false });
      const before = new Map(place.changes);
      place.making = true;
      const made = await make();
      const files = new Map([...place.changes].filter(([file, text]) => before.get(file) !== text));
      const changed = [...files.keys()].filter((file) => disk.textAt(place.commit, file) !== null || before.has(file));
      if (!made.ok || changed.length > 0) {
        place.changes.clear();
        for (const [file, text] of before) place.changes.set(file, text);
        const message = `the set-up changed files that belong to the project: ${changed.sort().join(", ")}`;
        return made.ok ? failed({ kind: "env_setup", message }) : made;
      }
      place.made = { key, files };
      place.making = false;
      return succeeded({ made: true });
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
      if (holdsOnlyMergedWork(disk, present)) giveBack(disk, request.path, present);
      else putAway(disk, request.path, present);
      return succeeded(null);
    },

    trial: async (request) => repository.user.trial(request),
    catchUp: async (candidate) => repository.user.catchUp(candidate),
    accept: async (request) => repository.user.accept(request),
    drop: async (request) => repository.user.drop(request),
  };
}

function leftIn(disk: MemoryDisk, { commit, changes }: SlotPlace): LeftFiles {
  const left = [...changes].filter((entry): entry is [string, string] => {
    const [file, text] = entry;
    return text !== null && disk.isLeft(file, commit);
  });
  const below = `${leftPaths.results}/`;
  const results = left
    .filter(([file]) => file.startsWith(below))
    .map(([file, text]) => ({ name: file.slice(below.length), text }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { handoff: left.find(([file]) => file === leftPaths.handoff)?.[1] ?? null, results, untaken: [] };
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
  const others = [...withoutMade(place).keys()].some((file) => !disk.isWork(file, place.commit));
  const ownIsSame = place.own.length === 0 || (place.own.length === 1 && place.own[0] === sum);
  return (merged || sum === place.commit.sum) && !others && ownIsSame;
}

function putAway(disk: MemoryDisk, path: string, place: SlotPlace): string {
  giveBack(disk, path, place);
  return keep(disk, { ...place, changes: withoutMade(place) });
}

function giveBack(disk: MemoryDisk, path: string, place: SlotPlace): void {
  disk.slots.delete(path);
  const made = stillMade(place);
  if (made != null) disk.pool.set(path, made);
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
