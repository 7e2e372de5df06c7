// `harness add`: appends a task to the plan; also while a run is on.
import { loadConfig } from "../../compose.ts";
import type { Config } from "../../protocol/config.ts";
import { type Outcome, succeeded } from "../../protocol/failure.ts";
import type { TaskRequest } from "../../protocol/input.ts";
import type { TaskKind, TaskSpec } from "../../protocol/task.ts";
import { askForTask } from "./add-questions.ts";
import { canAsk } from "./ask.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";
import { warnOfSecrets } from "./secret-note.ts";
import { type AskedFlags, requestedValidation, type ValidationFlags } from "./validation-flags.ts";

export interface AddOptions extends AskedFlags {
  readonly kind?: TaskKind;
  readonly phase?: string;
  readonly cleanup?: string;
  readonly output?: readonly string[];
  readonly description?: string;
  readonly maxAttempts?: number;
  readonly id?: string;
  readonly yes?: true;
  readonly json?: true;
}

export async function add(title: string, options: AddOptions, context: Context): Promise<ExitCode> {
  const what = "the task was not added";
  if (options.validate === "") return refuse(context, what, emptyValidation);
  const added = await withMission<TaskSpec | null>(context, async (mission, project) => {
    const answers = wantsQuestions(options, context) ? await askForTask(mission.state(), project, context) : {};
    if (answers === null) return succeeded(null);
    const config = await loadConfig({ root: project.root, env: context.env });
    if (!config.ok) return config;
    const asked = { ...options, ...answers };
    const request = requestOf(title, { ...inheritedValidation(asked, config.value), ...asked });
    if (!request.ok) return request;
    const submitted = await mission.submit({ type: "task.add", task: request.value });
    if (!submitted.ok) return submitted;
    const event = submitted.value.find((recorded) => recorded.type === "task.added");
    if (event === undefined) throw new Error("task.add was accepted without a task.added");
    return succeeded(event.spec);
  });
  if (!added.ok) return refuse(context, what, added.failure);
  if (added.value === null) {
    writeLine(context.stdout, "Nothing was added");
    return exitCodes.interrupted;
  }
  say(added.value, options, context);
  warnOfSecrets(added.value, context);
  return exitCodes.done;
}

/** What the task does not say of its validation has been configured for all (CFG, K5). */
function inheritedValidation({ validate: own }: ValidationFlags, { validation }: Config): ValidationFlags {
  const validate = own ?? validation.default;
  return validate === null ? {} : { validate, timeout: validation.timeoutSeconds };
}

function say(spec: TaskSpec, { json }: AddOptions, { stdout, stderr }: Context): void {
  if (json) writeJson(stdout, spec);
  else writeLine(stdout, `Added ${spec.id}: ${spec.title}`);
  if (spec.validation === null) {
    writeLine(stderr, `note: ${spec.id} has no --validate command; no run starts before every task has one`);
  }
}

/** One flag is enough to show that the caller knows them. */
const wantsQuestions = (options: AddOptions, context: Context): boolean =>
  canAsk(context) &&
  [
    options.priority,
    options.dependsOn,
    options.validate,
    options.timeout,
    options.quick,
    options.cleanup,
    options.output,
  ].every((flag) => flag === undefined) &&
  options.yes === undefined &&
  options.json === undefined;

const emptyValidation = {
  kind: "usage",
  message: "--validate is empty",
  remedy: "leave it out, or give a command",
} as const;

function requestOf(title: string, options: AddOptions): Outcome<TaskRequest> {
  const { kind, phase, priority, id, description, maxAttempts, cleanup, output } = options;
  const validation = requestedValidation(options, null);
  if (!validation.ok) return validation;
  return succeeded({
    title,
    dependsOn: options.dependsOn ?? [],
    validation: validation.value,
    ...(kind === undefined ? {} : { kind }),
    ...(phase === undefined ? {} : { phase }),
    ...(priority === undefined ? {} : { priority }),
    ...(id === undefined ? {} : { id }),
    ...(description === undefined ? {} : { description }),
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(cleanup === undefined ? {} : { cleanup }),
    ...(output === undefined ? {} : { outputs: output }),
  });
}
