// What `harness add` asks at a terminal (rule K5).
import { detectProject, loadConfig, type Project } from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import { Priority } from "../../protocol/task.ts";
import { asking, BadAnswer } from "./ask.ts";
import type { Context } from "./context.ts";
import { proposedValidation } from "./init-text.ts";
import type { MissionState } from "./mission-access.ts";
import type { AskedFlags } from "./validation-flags.ts";

/** Null when the person changed their mind. */
export async function askForTask(state: MissionState, project: Project, context: Context): Promise<AskedFlags | null> {
  const usual = await usualValidation(project, context);
  return asking(context, async ({ ask }): Promise<AskedFlags> => {
    const priority = await ask("priority: P0, P1 or P2", "P1", readPriority);
    const dependsOn = await ask("tasks it depends on, with commas, or none", "none", readDependencies(state));
    const validate = await ask("command that judges the work, or none", usual.command, (text) => text);
    const asked = { priority, dependsOn };
    if (validate === "none" || validate === "") return asked;
    const timeout = await ask("seconds that command may take", String(usual.timeoutSeconds), readSeconds);
    return { ...asked, validate, timeout };
  });
}

/** What the user or the project set for all tasks, else what the project looks like. */
async function usualValidation({ root }: Project, { env }: Context) {
  const config = await loadConfig({ root, env });
  const { default: set = null, timeoutSeconds = 300 } = config.ok ? config.value.validation : {};
  const command = set ?? proposedValidation(await detectProject(root)) ?? "none";
  return { command: oneLine(command, Number.POSITIVE_INFINITY), timeoutSeconds };
}

export function readPriority(answer: string): Priority {
  const parsed = Priority.safeParse(answer.toUpperCase());
  if (parsed.success) return parsed.data;
  throw new BadAnswer("Please answer P0, P1 or P2.");
}

export function readDependencies({ tasks }: Pick<MissionState, "tasks">): (answer: string) => readonly string[] {
  return (answer) => {
    if (answer === "none") return [];
    const names = [...new Set(answer.split(/[\s,]+/).filter((name) => name !== ""))];
    const unknown = names.find((name) => !tasks.has(name));
    if (unknown === undefined) return names;
    throw new BadAnswer(`There is no task "${oneLine(unknown, 80)}" (harness tasks shows them all).`);
  };
}

export function readSeconds(answer: string): number {
  const seconds = /^\d{1,5}$/.test(answer) ? Number(answer) : 0;
  if (seconds >= 1 && seconds <= 86_400) return seconds;
  throw new BadAnswer("Please answer with a whole number from 1 to 86400.");
}
