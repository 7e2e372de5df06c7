// The end of an attempt whose work is merged.
import type { Answer } from "../../protocol/effect.ts";
import type { Event } from "../../protocol/event.ts";
import { isUnverified } from "../judging.ts";
import { recordDelivered } from "./integration.ts";
import { withdrawQuestions } from "./told.ts";
import type { Turn } from "./turn.ts";

/** What nothing judged is told to be unverified (I2). */
export function complete(turn: Turn, answer: Extract<Answer, { kind: "workspace.merged" }>): readonly Event[] {
  const { task, attempt } = turn.effect;
  const unverified = isUnverified(turn.task.spec) ? { unverified: true as const } : {};
  return [
    { type: "task.completed", task, attempt, commit: answer.commit, ...unverified },
    ...recordDelivered(turn, answer.accepted),
    ...withdrawQuestions(turn),
  ];
}
