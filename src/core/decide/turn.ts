// All that a handler of an effect's answer looks at.
import type { Answer, AttemptEffect } from "../../protocol/effect.ts";
import type { Event } from "../../protocol/event.ts";
import type { CommitId } from "../../protocol/ids.ts";
import { rememberedAfter } from "../repeats.ts";
import type { ReadonlyAttempt, ReadonlyState, ReadonlyTask } from "../state.ts";

export interface Turn {
  readonly state: ReadonlyState;
  readonly task: ReadonlyTask;
  readonly attempt: ReadonlyAttempt;
  readonly effect: AttemptEffect;
  /** The moment of the answer. */
  readonly at: number;
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

export const iterationEnded = (
  { attempt, effect: { task, attempt: number } }: Turn,
  { end, agent, stood }: Extract<Answer, { kind: "agent.ended" }>,
): Event => ({
  type: "iteration.ended",
  task,
  attempt: number,
  iteration: attempt.iteration,
  end,
  ...(agent !== undefined && { agent }),
  ...(stood !== undefined && { stood }),
});

/** With what the attempt will remember of an event that is about to be recorded. */
export const after = (turn: Turn, event: Event): Turn => ({
  ...turn,
  attempt: { ...turn.attempt, ...rememberedAfter(turn.attempt, event) },
});
