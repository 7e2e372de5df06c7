// All that a handler of an effect's answer looks at.
import type { AttemptEffect } from "../../protocol/effect.ts";
import type { CommitId } from "../../protocol/ids.ts";
import type { ReadonlyAttempt, ReadonlyState, ReadonlyTask } from "../state.ts";

export interface Turn {
  readonly state: ReadonlyState;
  readonly task: ReadonlyTask;
  readonly attempt: ReadonlyAttempt;
  readonly effect: AttemptEffect;
}

export interface Workspace {
  readonly path: string;
  readonly base: CommitId;
}

/** Every stage after `opening` has one. */
export function workspaceOf({ attempt, effect }: Turn): Workspace {
  const { path, base } = attempt;
  if (path === null || base === null) throw new Error(`${effect.id} needs a workspace, and none was opened`);
  return { path, base };
}
