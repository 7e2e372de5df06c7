// `harness add`: appends a task to the plan; also while a run is on.
import { locateProject, openMission } from "../../compose.ts";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { TaskRequest } from "../../protocol/input.ts";
import type { Priority, TaskSpec } from "../../protocol/task.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

export interface AddOptions {
  readonly priority: Priority;
  readonly dependsOn?: readonly string[];
  readonly validate?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly description?: string;
  readonly maxAttempts?: number;
  readonly id?: string;
  readonly json?: true;
}

export async function add(title: string, options: AddOptions, context: Context): Promise<ExitCode> {
  const added = await addTask(title, options, context);
  if (!added.ok) return refuse(context, "the task was not added", added.failure);
  const { stdout, stderr } = context;
  const { id, validation } = added.value;
  if (options.json) writeJson(stdout, added.value);
  else writeLine(stdout, `Added ${id}: ${added.value.title}`);
  if (validation === null)
    writeLine(stderr, `note: ${id} has no --validate command; no run starts before every task has one`);
  return exitCodes.done;
}

async function addTask(title: string, options: AddOptions, context: Context): Promise<Outcome<TaskSpec>> {
  const request = taskRequest(title, options);
  if (!request.ok) return request;
  const project = await locateProject(context.cwd, context.env, context.root);
  if (!project.ok) return project;
  const mission = await openMission(project.value, { env: context.env });
  if (!mission.ok) return mission;
  try {
    const submitted = await mission.value.submit({ type: "task.add", task: request.value });
    if (!submitted.ok) return submitted;
    const event = submitted.value.find((recorded) => recorded.type === "task.added");
    if (event === undefined) throw new Error("task.add was accepted without a task.added");
    return succeeded(event.spec);
  } finally {
    await mission.value.close();
  }
}

function taskRequest(title: string, options: AddOptions): Outcome<TaskRequest> {
  const { validate, timeout, id, description, maxAttempts } = options;
  if (timeout !== undefined && validate === undefined) {
    return failed({
      kind: "config",
      message: "--timeout limits the validation, and there is none",
      remedy: `harness add … --validate "command" --timeout ${timeout}`,
    });
  }
  const limit = timeout === undefined ? {} : { timeoutMs: timeout * 1_000 };
  return succeeded({
    title,
    priority: options.priority,
    dependsOn: options.dependsOn ?? [],
    validation: validate === undefined ? null : { command: validate, timeoutMs: 300_000, ...limit },
    ...(id === undefined ? {} : { id }),
    ...(description === undefined ? {} : { description }),
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
  });
}
