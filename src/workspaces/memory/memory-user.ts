// The user of a repository in memory: a branch of their own that goes on beside the mission branch.
import { createHash } from "node:crypto";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { CommitId, TaskId } from "../../protocol/ids.ts";
import type { Accepted, AcceptRequest, Dropped, DropRequest, Trial, TrialRequest } from "../branch-keeping.ts";
import type { Candidate } from "../workspace.ts";
import { type Changes, headOf, type MemoryDisk } from "./memory-disk.ts";

type Texts = ReadonlyMap<string, string | null>;

export class MemoryUser {
  readonly #disk: MemoryDisk;
  /** What the branch holds where that is not what the mission began with. */
  #texts: Texts = new Map();
  /** The same, as the mission branch last had it. */
  #shared: Texts = new Map();
  #head: CommitId;
  /** The last commit of the branch that the mission branch has. */
  #caughtUp: CommitId;
  readonly #trials = new Map<CommitId, { readonly theirs: CommitId; readonly texts: Texts }>();
  readonly accepted = new Set<TaskId>();
  /** By the commit that was taken back, the one that did it. */
  readonly dropped = new Map<CommitId, CommitId>();
  /** Something in the checkout is not committed. */
  dirty = false;
  #commits = 0;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
    this.#head = headOf(disk).id;
    this.#caughtUp = this.#head;
  }

  head(): CommitId {
    return this.#head;
  }
  read(file: string): string | null {
    return this.#textIn(this.#texts, file);
  }
  commit(file: string, text: string | null): void {
    this.#advance(new Map([...this.#texts, [file, text]]));
  }

  trial({ tried }: TrialRequest): Outcome<Trial> {
    const disk = this.#disk;
    if (this.#head === this.#caughtUp || this.#head === tried) return succeeded({ end: "current" });
    const mission = headOf(disk);
    const changes: Changes = new Map();
    const conflicts: string[] = [];
    for (const [file, theirs] of this.#texts) {
      const [ours, base] = [disk.textAt(mission, file), this.#textIn(this.#shared, file)];
      if (ours === theirs || base === theirs) continue;
      if (ours === base) changes.set(file, theirs);
      else conflicts.push(file);
    }
    const theirs = this.#head;
    if (conflicts.length > 0)
      return succeeded({ end: "conflict", theirs, why: `both changed ${conflicts.join(", ")}` });
    const { id: commit } = disk.add(mission, changes, "Catch up with main");
    this.#trials.set(commit, { theirs, texts: this.#texts });
    return succeeded({ end: "merged", theirs, candidate: { commit, parent: mission.id } });
  }

  catchUp({ commit, parent }: Candidate): Outcome<boolean> {
    const disk = this.#disk;
    const [known, trial] = [disk.known(commit), this.#trials.get(commit)];
    if (known === undefined || trial === undefined)
      return failed({ kind: "env_setup", message: `${commit} is no trial on ${parent}` });
    if (!disk.candidates.has(commit)) return succeeded(true);
    if (headOf(disk).id !== parent) return succeeded(false);
    disk.advance(known);
    this.#caughtUp = trial.theirs;
    this.#shared = trial.texts;
    return succeeded(true);
  }

  accept({ tasks, squash }: AcceptRequest): Outcome<Accepted> {
    const disk = this.#disk;
    const merges = disk.merges.filter(({ commit }) => !this.dropped.has(commit));
    const wanted = merges.filter(({ task }) => tasks === null || tasks.includes(task));
    const waiting = wanted.filter(({ task }) => !this.accepted.has(task));
    const branch = "main";
    if (waiting.length === 0) {
      const present = wanted.map(({ task }) => task);
      return succeeded({ how: "present", branch, commit: this.#head, tasks: present });
    }
    if (this.dirty) return failed({ kind: "usage", message: "main stays as it is: its checkout has changes" });
    const texts = new Map(this.#texts);
    for (const { commit: id, parent } of waiting) {
      const [commit, before] = [disk.known(id), disk.known(parent)];
      if (commit === undefined || before === undefined) throw new Error(`${id} was merged and is not known`);
      for (const [file, theirs] of commit.changes) {
        const ours = this.#textIn(texts, file);
        if (ours !== theirs && ours !== disk.textAt(before, file))
          return failed({ kind: "merge_conflict", message: `main and the mission branch both changed ${file}` });
        texts.set(file, theirs);
      }
    }
    const isAhead = this.#head === this.#caughtUp && tasks === null && !squash;
    this.#advance(texts);
    if (isAhead) {
      this.#head = headOf(disk).id;
      this.#caughtUp = this.#head;
      this.#shared = this.#texts;
    }
    for (const { task } of waiting) this.accepted.add(task);
    const how = isAhead ? "fast-forward" : squash ? "squash" : tasks === null ? "merge" : "pick";
    return succeeded({ how, branch, commit: this.#head, tasks: waiting.map(({ task }) => task) });
  }

  drop({ commit, message }: DropRequest): Outcome<Dropped> {
    const disk = this.#disk;
    const before = this.dropped.get(commit);
    if (before !== undefined) return succeeded({ commit: before });
    const work = disk.known(commit);
    const base = work?.parent == null ? undefined : disk.known(work.parent);
    if (work === undefined || base === undefined || disk.candidates.has(commit))
      return failed({ kind: "usage", message: `${commit} is not in the mission branch` });
    const head = headOf(disk);
    const changes: Changes = new Map();
    for (const [file, text] of work.changes) {
      const [now, was] = [disk.textAt(head, file), disk.textAt(base, file)];
      if (now === was) continue;
      if (now !== text) return failed({ kind: "merge_conflict", message: `later work builds on it: ${file}` });
      changes.set(file, was);
    }
    const undone = disk.add(head, changes, message);
    disk.advance(undone);
    this.dropped.set(commit, undone.id);
    return succeeded({ commit: undone.id });
  }

  #textIn(texts: Texts, file: string): string | null {
    const text = texts.get(file);
    const [start] = this.#disk.branch;
    return text !== undefined ? text : start === undefined ? null : this.#disk.textAt(start, file);
  }

  #advance(texts: Texts): void {
    this.#commits += 1;
    this.#texts = texts;
    this.#head = createHash("sha1").update(`user ${this.#commits}`).digest("hex");
  }
}
