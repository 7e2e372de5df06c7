// The part of the workspaces' port that keeps the mission branch and the user's branch together.
import type { Outcome } from "../protocol/failure.ts";
import type { CommitId, TaskId } from "../protocol/ids.ts";
import type { AcceptHow } from "../protocol/integration.ts";

/** A candidate is one commit whose only parent is the mission branch's head as it was then. */
export interface Candidate {
  readonly commit: CommitId;
  readonly parent: CommitId;
}

export interface TrialRequest {
  /** The user's branch; null: the one the mission branch was cut from. */
  readonly branch: string | null;
  /** The user's commit that was tried before, and that the mission went on without. */
  readonly tried: CommitId | null;
}
export type Trial =
  /** The mission branch has all of the user's branch, or all but what was tried before. */
  | { readonly end: "current" }
  /** A merge commit; its parent is the mission branch's head as it was then. */
  | { readonly end: "merged"; readonly theirs: CommitId; readonly candidate: Candidate }
  | { readonly end: "conflict"; readonly theirs: CommitId; readonly why: string };

export interface AcceptRequest {
  readonly mission: string;
  /** Null: all of the mission branch. */
  readonly tasks: readonly TaskId[] | null;
  /** As one commit. */
  readonly squash: boolean;
  /** The user's branch, if it is known by name. */
  readonly branch: string | null;
  /** Else the one that is checked out at the state root, or the one the mission branch was cut from. */
  readonly otherwise: "checked-out" | "cut-from";
}
export interface Accepted {
  readonly how: AcceptHow;
  readonly branch: string;
  readonly commit: CommitId;
  readonly tasks: readonly TaskId[];
}

export interface DropRequest {
  /** In the mission branch, by a merge. */
  readonly commit: CommitId;
  readonly message: string;
}
export interface Dropped {
  /** The one by which it was taken back. */
  readonly commit: CommitId;
}

/**
 * Every verb is idempotent, as those of the workspaces.
 * - `trial` must merge the user's branch into the mission branch as a commit that is in no branch yet; it changes nothing
 *   else, and costs next to nothing when there is nothing to merge.
 * - `catchUp` must move the mission branch to such a commit by compare-and-swap; false when it lost.
 * - `accept` must bring work into the user's branch whole or not at all, by compare-and-swap, together with index and files
 *   where that branch is checked out, and only if nothing there would be lost; it must refuse otherwise and name what is
 *   in the way. Work that is in already is `present`.
 * - `drop` must take the changes of one merged commit back by a commit on the mission branch's head, by compare-and-swap;
 *   where later work changed the same lines it is a `merge_conflict`. What was dropped before is not dropped twice. The
 *   branch keeps both commits; neither work under way nor the user's branch must notice.
 */
export interface BranchKeeping {
  trial(request: TrialRequest): Promise<Outcome<Trial>>;
  catchUp(candidate: Candidate): Promise<Outcome<boolean>>;
  accept(request: AcceptRequest): Promise<Outcome<Accepted>>;
  drop(request: DropRequest): Promise<Outcome<Dropped>>;
}
