// Builds requests to the shell with ids that can be computed again.
import type { AttemptEffect } from "../../protocol/effect.ts";
import type { EventOf } from "../../protocol/event.ts";
import { effectId, type RunId, type TaskId } from "../../protocol/ids.ts";
import type { ReadonlyAttempt } from "../state.ts";

export interface EffectContext {
  readonly task: TaskId;
  readonly attempt: number;
  readonly lane: number;
  readonly run: RunId;
  readonly fence: number;
  readonly step: number;
}
type Fields<E> = E extends AttemptEffect ? Omit<E, "id" | keyof EffectContext> : never;
export type EffectFields = Fields<AttemptEffect>;

export function effectFor(context: EffectContext, fields: EffectFields): EventOf<"effect.requested"> {
  const { step, ...about } = context;
  const id = effectId(about.task, about.attempt, step, fields.kind);
  return { type: "effect.requested", effect: { id, ...about, ...fields } as AttemptEffect };
}

/** The next effect of an attempt, owned by whoever owns the attempt now. */
export const nextEffect = (
  task: TaskId,
  attempt: ReadonlyAttempt,
  run: RunId,
  fields: EffectFields,
): EventOf<"effect.requested"> =>
  effectFor(
    { task, attempt: attempt.number, lane: attempt.lane, run, fence: attempt.fence, step: attempt.steps + 1 },
    fields,
  );
