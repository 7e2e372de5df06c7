// What follows from harness-init.sh (rules S1, E): asked again once, then nobody can work here.
import type { Effect } from "../../protocol/effect.ts";
import type { Event } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Report } from "../../protocol/input.ts";
import type { ReadonlyState } from "../state.ts";

type Preparing = Extract<Effect, { kind: "session.prepare" }>;

export function decidePreparation(
  state: ReadonlyState,
  effect: Preparing,
  input: Extract<Report, { id: string; fence: number }>,
): readonly Event[] {
  if (input.type === "process.start") return [{ type: "process.started", id: input.id, process: input.process }];
  if (input.type !== "effect.answer") return [];
  const { answer } = input;
  const failure = answer.kind === "command.ended" || answer.kind === "failed" ? answer.failure : misfit(answer.kind);
  const again = failure !== null && state.preparation.failures === 0;
  const { session } = effect;
  const events: Event[] = [
    { type: "effect.answered", id: input.id },
    { type: "session.checked", session, passed: failure === null, again, failure },
  ];
  if (failure !== null && !again) events.push({ type: "run.faulted", run: effect.run, task: null, failure });
  return events;
}

const misfit = (kind: string): Failure => ({ kind: "env_setup", message: `harness-init.sh was answered with ${kind}` });
