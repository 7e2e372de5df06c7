// What this process has learned of commits. They never change, so it stays true; it only saves asking git again.
import type { CommitId, TaskId } from "../protocol/ids.ts";

export interface Known {
  /** Of commits that were, or may become, the mission branch's head. */
  readonly trees: Map<CommitId, string>;
  /** Commits whose trees hold no submodule. */
  readonly withoutSubmodules: Set<CommitId>;
  /** The task that each candidate made here is of. */
  readonly candidates: Map<CommitId, TaskId>;
  /** The tasks in a branch from its start to its head, and by which commit they came in. */
  log: { readonly start: CommitId; readonly head: CommitId; readonly tasks: Map<TaskId, CommitId> } | null;
  /** A commit of the user's that is in the branch with this head. */
  caughtUp: { readonly theirs: CommitId; readonly head: CommitId } | null;
  /** Which branch of the user's the mission branch was cut from. */
  usersBranch: { readonly of: string; readonly name: string } | null;
}

export const knowNothing = (): Known => ({
  trees: new Map(),
  withoutSubmodules: new Set(),
  candidates: new Map(),
  log: null,
  caughtUp: null,
  usersBranch: null,
});

interface Move {
  readonly from: CommitId;
  readonly to: CommitId;
  readonly task: TaskId | null;
}

/** The branch went from one commit to the next on it: all that was in it is in it still. */
export function noteMove(known: Known, { from, to, task }: Move): void {
  const { log, caughtUp } = known;
  if (caughtUp?.head === from) known.caughtUp = { ...caughtUp, head: to };
  if (log?.head !== from) return;
  if (task !== null) log.tasks.set(task, to);
  known.log = { ...log, head: to };
}
