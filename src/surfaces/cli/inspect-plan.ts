// What is wrong, or merely odd, in a task file.
import { circlesIn, readPlanText } from "../../compose.ts";

/** One line each, with the file and the field. */
export interface Findings {
  readonly file: string;
  readonly tasks: number;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export function inspectPlan(text: string, file: string): Findings {
  const plan = readPlanText(text, file);
  if (!plan.ok) {
    const { message, remedy } = plan.failure;
    return { file, tasks: 0, errors: [remedy === undefined ? message : `${message} – ${remedy}`], warnings: [] };
  }
  const { tasks, warnings } = plan.value;
  const unjudged = tasks
    .filter(({ spec, status }) => spec.validation === null && status !== "completed")
    .map(({ spec }) => `${file}: ${spec.id}.validation.command: missing, so nothing could judge the task`);
  const circles = circlesIn(plan.value).map((circle) => `${file}: depends_on: ${circle}`);
  return { file, tasks: tasks.length, errors: circles, warnings: [...warnings, ...unjudged] };
}
