// Ends an attempt whose brief does not fit into its agent's context, however small it is made (rule E).
import { oneLine } from "../../kit/escape.ts";
import type { Failure } from "../../protocol/failure.ts";
import { briefParts } from "../brief.ts";
import { mostSteps } from "../smaller-brief.ts";
import type { Turn } from "./turn.ts";

/** Null: it fits, or there is a smaller one to try. */
export function tooLarge({ state, attempt, effect: { task } }: Turn): Failure | null {
  if (attempt.overflows <= mostSteps) return null;
  const parts = briefParts(state, task, attempt.iteration);
  const sizes = parts.map(({ name, text }) => `${name} ${text.length}`).join(", ");
  const total = parts.reduce((sum, { text }) => sum + text.length, 0);
  return {
    kind: "stuck",
    message: `the brief of ${task} does not fit into its agent's context, not even with ${total} characters (${sizes}): ${oneLine(attempt.cut?.message ?? "", 1_000)}`,
    remedy: `make the task smaller (harness edit ${task} --description TEXT), or give the agent fewer tools and instructions of its own, or a model with a larger context; then: harness retry ${task}`,
  };
}
