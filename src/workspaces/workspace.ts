// The port of the workspace family: a place to work in, and the way of finished work into the mission branch.
import type { Outcome } from "../protocol/failure.ts";
import type { CommitId, TaskId } from "../protocol/ids.ts";

export interface OpenRequest {
  /** The lane's number: paths are stable per slot. */
  readonly slot: number;
  readonly task: TaskId;
  readonly attempt: number;
  /** The number with which the caller owns the task (L3). */
  readonly fence: number;
  /** Work of an earlier attempt to go on with. */
  readonly resume?: Candidate | null;
}
export type Opened =
  | {
      readonly merged: false;
      readonly path: string;
      /** The mission branch's head the attempt starts from. */
      readonly base: CommitId;
    }
  /** The task's work is in the mission branch already: a merge whose answer was lost. There is nothing to do. */
  | { readonly merged: true; readonly commit: CommitId };

/** What a workspace shows of work done since its base; the recovery table reads only this. */
export interface WorkEvidence {
  readonly uncommitted: boolean;
  readonly commits: boolean;
  /** Id of the whole tree as it stands, untracked files included. */
  readonly tree: string;
}

export interface CommitRequest {
  readonly path: string;
  readonly base: CommitId;
  readonly message: string;
}
/** A candidate is one commit whose only parent is the mission branch's head as it was then. */
export interface Candidate {
  readonly commit: CommitId;
  readonly parent: CommitId;
}

export interface MergeRequest {
  readonly candidate: Candidate;
  readonly task: TaskId;
  readonly attempt: number;
}
export type Merged =
  | { readonly merged: true; readonly commit: CommitId }
  /** Others merged meanwhile: commit again on the new head and judge again. */
  | { readonly merged: false };

export interface ProofRequest {
  readonly slot: number;
  readonly commit: CommitId;
  /** A number that no other owner of the slot has: the checkout is a place of its own. Else the slot's one is used again. */
  readonly apart?: number | null;
}

export interface ArchiveRequest {
  readonly path: string;
  readonly task: TaskId;
  readonly attempt: number;
  readonly fence: number;
}

/**
 * Gives each attempt its own place and brings candidates into the mission branch.
 *
 * The user's checkout, index and branches must never change – except by the variant that works in that checkout, which
 * must record it before and give it back when an attempt is archived. Every verb is idempotent: after a crash it is called
 * again with the same request, or the same with a higher fence, and must reach the same end. A slot remembers the
 * highest fence it was opened with; a request with a lower one comes from a run that was replaced: `open` must refuse
 * it, `archive` and `close` must leave the slot alone.
 * - `open` must answer `merged` if any attempt of the task was merged before. Otherwise it must give a place that holds exactly the mission branch's head. Whatever an earlier attempt left in the
 *   slot must first be archived, never deleted. The same request for a slot still untouched may reuse it.
 *   With `resume` it must also hold what that candidate changed, uncommitted, if that applies to the head without a conflict, and nothing of it otherwise.
 * - `inspect` must change nothing an agent could notice.
 * - `commit` must take all work since `base` – commits, staged, unstaged, untracked; ignored files not – into one
 *   candidate on the present head of the mission branch; no work gives an empty commit. Work that does not apply to
 *   that head is a failure of kind `merge_conflict`. The workspace itself stays as it is.
 * - `proof` must give a clean checkout of exactly that commit, apart from the workspace. One that is asked for `apart`
 *   must not be touched by requests without it: an earlier owner of the slot may still be awake and ask.
 * - `merge` must move the mission branch from `parent` to `commit` by compare-and-swap, or answer `merged: false`.
 *   If any attempt of the same task is in the branch already, that commit must be answered as merged: never two of one
 *   task, whoever else is merging at the same moment.
 * - `archive` must keep the workspace whole and free its slot; archiving what is archived already is a success.
 * - `close` gives the slot back after a merge; must keep ignored bytes nothing else holds (by archiving, or where they are).
 */
export interface Workspaces {
  open(request: OpenRequest): Promise<Outcome<Opened>>;
  inspect(request: { readonly path: string; readonly base: CommitId }): Promise<Outcome<WorkEvidence>>;
  commit(request: CommitRequest): Promise<Outcome<Candidate>>;
  proof(request: ProofRequest): Promise<Outcome<{ readonly path: string }>>;
  merge(request: MergeRequest): Promise<Outcome<Merged>>;
  archive(request: ArchiveRequest): Promise<Outcome<{ readonly archive: string }>>;
  close(request: ArchiveRequest): Promise<Outcome<null>>;
}
