// The port of the workspace family: a place to work in, and the way of finished work into the mission branch.
import type { Rebased } from "../protocol/conflict.ts";
import type { Outcome } from "../protocol/failure.ts";
import type { CommitId, TaskId } from "../protocol/ids.ts";
import type { LeftFiles } from "../protocol/left.ts";
import type { Standing } from "../protocol/standing.ts";
import type { BranchKeeping, Candidate } from "./branch-keeping.ts";

export type { Candidate };

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
  /** Where it was asked for. */
  readonly standing?: Standing;
}

export interface InspectRequest {
  readonly path: string;
  readonly base: CommitId;
  readonly standing?: true | undefined;
}

export interface CommitRequest {
  readonly path: string;
  readonly base: CommitId;
  readonly message: string;
  /** After `rebase`: the work as it was before. */
  readonly kept?: CommitId | null;
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

export interface RebaseRequest extends ArchiveRequest {
  /** The one the work was done on. */
  readonly base: CommitId;
}

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

export interface PrepareRequest {
  /** As `open` or `proof` answered it just now. */
  readonly path: string;
  readonly fence: number;
  /** Tracked files whose content counts, as paths or patterns (`*`, `**`) from the state root; and all else that does. */
  readonly inputs: readonly string[];
  readonly salt: string;
}

export type Make = () => Promise<Outcome<null>>;

/**
 * Gives each attempt its own place and brings candidates into the mission branch.
 * The user's checkout, index and branches must never change, except by `accept`, and by the variant that works in that
 * checkout: it must record how that was and give it back when an attempt is archived; it makes nothing there and refuses
 * to `rebase`. Every verb is idempotent: called again after a crash, with the same fence or a higher one, it must reach
 * the same end. A lower fence than the slot was opened with is that of a run that was replaced: `open` and `rebase` must
 * refuse it, `archive` and `close` must leave the slot alone.
 * - `head` must answer the commit that `open` would give a place of now, and make nothing.
 * - `open` must answer `merged` if any attempt of the task was merged before; else give a place that holds exactly the
 *   mission branch's head. What an earlier attempt left there must first be archived, never deleted; a slot still untouched
 *   may be given again. With `resume` it must also hold what that candidate changed, uncommitted, if that applies.
 * - `inspect` must change nothing an agent could notice. Where the work stands is told of what a candidate would hold, of
 *   commits of the agent's own, and of lists in files at the top of the state root; names and words are cut, not cleaned.
 * - `collect` must answer what an agent left for us since the attempt began (`leftPaths`), unless the base holds that
 *   path: then it is the project's own. It changes nothing, follows no link, waits for nothing, takes no more than
 *   `mostLeft`, and names what it does not take. What is left for us is not part of `inspect`'s tree nor of a candidate,
 *   but no less of an archive.
 * - `commit` must take all work since `base` – commits, staged, unstaged, untracked; ignored files not – into one candidate
 *   on the present head, empty if there is none. Work that does not apply there is a `merge_conflict`; with `kept`, a
 *   marker left in a file that work was in conflict over is `unresolved`. The workspace itself stays as it is.
 * - `rebase` must bring the workspace onto the present head with the work since `base` in it, uncommitted; files in
 *   conflict hold both sides between markers. The work as it was must first be kept, as a commit on `base` and whole.
 * - `proof` must give a clean checkout of exactly that commit, apart from the workspace, and name what an earlier set-up
 *   made there (`made`, absolute paths; there is nothing else besides the commit's files). One that is asked for `apart`
 *   must not be touched by requests without it: an earlier owner of the slot may still be awake and ask.
 * - `prepare` must call `make` on a clean checkout, unless what an earlier call made from the same inputs and salt is all
 *   there, unchanged; with `make` null it must take that away. All that `make` leaves besides the checkout's files is *made*:
 *   it stays when the slot is used again – without what others added, and not at all if they changed any – and is neither
 *   work nor a loss: in no candidate, no archive. To change the checkout's own files, or to fail, is a failure of it.
 * - `merge` must move the mission branch from `parent` to `commit` by compare-and-swap, or answer `merged: false`. If any
 *   attempt of the task is in it already, that commit must be answered: never two of one task, whoever else is merging.
 * - `archive` must keep every byte, free the slot, and answer the name to have it back by; the same again is a success.
 * - `close` gives the slot back after a merge, for the next `open`; must keep ignored bytes nothing else holds (by archiving, or where they are).
 */
export interface Workspaces extends BranchKeeping {
  head(): Promise<Outcome<CommitId>>;
  open(request: OpenRequest): Promise<Outcome<Opened>>;
  inspect(request: InspectRequest): Promise<Outcome<WorkEvidence>>;
  collect(request: { readonly path: string; readonly base: CommitId }): Promise<Outcome<LeftFiles>>;
  commit(request: CommitRequest): Promise<Outcome<Candidate>>;
  rebase(request: RebaseRequest): Promise<Outcome<Rebased>>;
  proof(request: ProofRequest): Promise<Outcome<{ readonly path: string; readonly made: readonly string[] }>>;
  prepare(request: PrepareRequest, make: Make | null): Promise<Outcome<{ readonly made: boolean }>>;
  merge(request: MergeRequest): Promise<Outcome<Merged>>;
  archive(request: ArchiveRequest): Promise<Outcome<{ readonly archive: string }>>;
  close(request: ArchiveRequest): Promise<Outcome<null>>;
}
