// How the agent of a loop is told which phase it is in (rule I8).
import { phaseOf, waysText } from "./judging.ts";
import type { ReadonlyTask } from "./state.ts";

/** Before the objective: what this phase is for, and where it stands among the others. Empty: there are none. */
export function phaseText(task: ReadonlyTask): string {
  const present = phaseOf(task);
  if (present === null) return "";
  const { phase, number, of } = present;
  const names = task.spec.loop?.phases?.map(({ name }, at) =>
    at + 1 < number ? `${name} (passed)` : at + 1 === number ? `${name} (now)` : name,
  );
  const road = `The phases of this task: ${names?.join(", ")}. Do this one, and leave what comes later to later.`;
  return [`# Phase ${number} of ${of}: ${phase.name}`, phase.prefix, road].join("\n\n");
}

export function phaseJudgedText(task: ReadonlyTask, shown: (command: string) => string): string {
  const present = phaseOf(task);
  if (present === null) return "";
  const { outputs, command } = present.phase.gate;
  return `## How this phase is judged\n\n${waysText(outputs, command === undefined ? undefined : shown(command))}`;
}
