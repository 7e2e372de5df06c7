// The message of a candidate: readable for people, with trailers by which a merge is recognised for ever (rule V3).
import type { AttemptEffect } from "../protocol/effect.ts";
import { effectId } from "../protocol/ids.ts";
import { isUnverified } from "./judging.ts";
import type { ReadonlyState } from "./state.ts";

/** Of a task that is gone nobody says that nothing checked it. */
const checked = { validation: null, loop: undefined };

export function commitMessage(state: ReadonlyState, effect: AttemptEffect, shown: (command: string) => string): string {
  const title = state.tasks.get(effect.task)?.spec.title ?? effect.task;
  const validation = state.tasks.get(effect.task)?.spec.validation?.command;
  // A title is data: one line, and never mistaken for a trailer.
  const subject = `${effect.task}: ${title.replaceAll(/\s+/g, " ")}`;
  const isChecked = !isUnverified(state.tasks.get(effect.task)?.spec ?? checked);
  const judged =
    validation === undefined
      ? isChecked
        ? ""
        : "Unverified: nothing checked it.\n\n"
      : `Validated by: ${shown(validation).replaceAll(/\s+/g, " ").slice(0, 500)}\n\n`;
  const trailers = [
    `Harness-Task: ${effect.task}`,
    // Another mission on the same branch has a task of the same name.
    ...(state.mission === null ? [] : [`Harness-Mission: ${state.mission.id}`]),
    `Harness-Attempt: ${effect.attempt}`,
    `Harness-Fence: ${effect.fence}`,
    `Harness-Proof: ${isChecked ? proofOf(state, effect) : "none"}`,
  ];
  return `${subject}\n\n${judged}${trailers.join("\n")}\n`;
}

/**
 * The check that this very commit must pass before it is merged, by its name in the journal: names of effects can be
 * computed, and the check follows the commit, after the quick one if there is one.
 */
function proofOf(state: ReadonlyState, { id, task, attempt }: AttemptEffect): string {
  const step = Number(id.split("/").at(-2));
  const isQuickFirst = Boolean(state.tasks.get(task)?.spec.validation?.quick);
  return effectId(task, attempt, step + (isQuickFirst ? 2 : 1), "gate.check");
}
