// The plan files that are adopted when there is no journal (rule F6), the first that is there before the others.
import type { AdoptedPlan } from "../../protocol/adopted.ts";
import type { Outcome } from "../../protocol/failure.ts";
import { readTasksFile } from "../tasks-file/read.ts";
import { readFeatures } from "./features.ts";
import { readPhaseTasks } from "./phase-tasks.ts";

interface PlanFormat {
  /** From the state root. */
  readonly file: string;
  readonly read: (text: string, name: string) => Outcome<AdoptedPlan>;
}

export const planFormats: readonly PlanFormat[] = [
  { file: "harness-tasks.json", read: readTasksFile },
  { file: ".harness/features.json", read: readFeatures },
  { file: ".harness/tasks.json", read: readPhaseTasks },
];

/** By the file's own name, wherever it lies; any other name is taken for a task file of ours. */
export function readPlanText(text: string, path: string): Outcome<AdoptedPlan> {
  const name = lastPart(path);
  const format = planFormats.find(({ file }) => lastPart(file) === name);
  return (format?.read ?? readTasksFile)(text, path);
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
