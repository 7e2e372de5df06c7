// Facts about effects: asked for, taken over, answered.
import type { EffectKind } from "../../protocol/effect.ts";
import type { EventOf } from "../../protocol/event.ts";
import type { Stage, State } from "../state.ts";
import { attemptOf } from "./attempt.ts";

type EffectEvent = EventOf<"effect.requested" | "effect.adopted" | "effect.answered" | "process.started">;

export const stageOf: Record<EffectKind, Stage> = {
  "workspace.open": "opening",
  "agent.run": "working",
  "workspace.commit": "committing",
  "gate.check": "validating",
  "workspace.merge": "merging",
  "workspace.archive": "archiving",
};

export function evolveEffect(state: State, event: EffectEvent): void {
  if (event.type === "effect.requested") {
    const { effect } = event;
    const attempt = attemptOf(state, effect.task);
    state.pending.set(effect.id, { effect, processes: [], adopted: false });
    attempt.effect = effect.id;
    attempt.steps += 1;
    attempt.stage = stageOf[effect.kind];
    if (effect.kind === "agent.run") attempt.iteration = effect.iteration;
    return;
  }
  const pending = state.pending.get(event.id);
  if (pending === undefined) throw new Error(`the journal speaks of effect ${event.id}, which is not pending`);
  switch (event.type) {
    case "effect.adopted":
      state.fence = event.fence;
      attemptOf(state, pending.effect.task).fence = event.fence;
      state.pending.set(event.id, {
        ...pending,
        adopted: true,
        effect: { ...pending.effect, run: event.run, fence: event.fence },
      });
      return;
    case "effect.answered":
      state.pending.delete(event.id);
      attemptOf(state, pending.effect.task).effect = null;
      return;
    case "process.started":
      pending.processes.push(event.process);
      return;
  }
}
