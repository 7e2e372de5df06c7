// The message of a candidate: readable for people, with trailers by which a merge is recognised for ever (rule V3).
import type { AttemptEffect } from "../protocol/effect.ts";
import type { ReadonlyState } from "./state.ts";

export function commitMessage(state: ReadonlyState, effect: AttemptEffect): string {
  const title = state.tasks.get(effect.task)?.spec.title ?? effect.task;
  const validation = state.tasks.get(effect.task)?.spec.validation?.command;
  // A title is data: one line, and never mistaken for a trailer.
  const subject = `${effect.task}: ${title.replaceAll(/\s+/g, " ")}`;
  const judged =
    validation === undefined ? "" : `Validated by: ${validation.replaceAll(/\s+/g, " ").slice(0, 500)}\n\n`;
  return `${subject}\n\n${judged}Harness-Task: ${effect.task}\nHarness-Attempt: ${effect.attempt}\nHarness-Fence: ${effect.fence}\n`;
}
