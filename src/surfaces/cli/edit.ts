// `harness edit`: changes a task that is not under way (rule F6). For the user only.
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { TaskChange } from "../../protocol/input.ts";
import type { Priority, TaskKind } from "../../protocol/task.ts";
import { callerText, refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type MissionState, noSuchTask, withMission } from "./mission-access.ts";
import { warnOfSecrets } from "./secret-note.ts";
import { freedText } from "./task-text.ts";
import { requestedValidation, type ValidationFlags } from "./validation-flags.ts";

export interface EditOptions extends ValidationFlags {
  readonly title?: string;
  readonly kind?: TaskKind;
  readonly phase?: string;
  readonly description?: string;
  readonly priority?: Priority;
  readonly dependsOn?: readonly string[];
  readonly cleanup?: string;
  readonly output?: readonly string[];
  readonly json?: true;
}

export async function edit(task: string, options: EditOptions, context: Context): Promise<ExitCode> {
  const what = `${task} was not changed`;
  const forbidden = await refusalOfAgent(context);
  if (forbidden !== null) return refuse(context, what, forbidden);
  const edited = await withMission(context, async (mission) => {
    const change = changeOf(task, options, mission.state());
    if (!change.ok) return change;
    const submitted = await mission.submit({
      type: "task.edit",
      task,
      change: change.value,
      by: callerText(context.env),
    });
    if (!submitted.ok) return submitted;
    const event = submitted.value.find((recorded) => recorded.type === "task.edited");
    if (event === undefined) throw new Error("task.edit was accepted without a task.edited");
    const fields = Object.keys(change.value).map((field) => (field === "dependsOn" ? "dependencies" : field));
    return succeeded({ spec: event.spec, line: `Changed ${task}: ${fields.join(", ")}${freedText(submitted.value)}` });
  });
  if (!edited.ok) return refuse(context, what, edited.failure);
  if (options.json) writeJson(context.stdout, edited.value.spec);
  else writeLine(context.stdout, edited.value.line);
  warnOfSecrets(edited.value.spec, context);
  return exitCodes.done;
}

function changeOf(task: string, options: EditOptions, { tasks }: MissionState): Outcome<TaskChange> {
  const present = tasks.get(task)?.spec;
  if (present === undefined) return failed(noSuchTask(task));
  const { title, kind, phase, description, priority, dependsOn, cleanup, output, validate, quick, timeout } = options;
  const isJudgedAnew = [validate, quick, timeout].some((flag) => flag !== undefined);
  const validation = isJudgedAnew ? requestedValidation(options, present.validation) : succeeded(null);
  if (!validation.ok) return validation;
  const change: TaskChange = {
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    ...(phase === undefined ? {} : { phase: phase || null }),
    ...(description === undefined ? {} : { description }),
    ...(priority === undefined ? {} : { priority }),
    ...(dependsOn === undefined ? {} : { dependsOn: [...dependsOn] }),
    ...(isJudgedAnew ? { validation: validation.value } : {}),
    ...(cleanup === undefined ? {} : { cleanup: cleanup || null }),
    ...(output === undefined ? {} : { outputs: [...output] }),
  };
  if (Object.keys(change).length > 0) return succeeded(change);
  return failed({ kind: "usage", message: "nothing to change was named", remedy: "harness edit --help" });
}
