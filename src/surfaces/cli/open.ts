// `harness open`: to the place where a task is worked on, or where its last attempt was put away.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { findRescue, nearest } from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { shortCommit } from "../../protocol/ids.ts";
import type { Mission } from "../../runtime/mission.ts";
import { canAsk } from "./ask.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { findProject, type MissionState, noSuchTask, withMission } from "./mission-access.ts";

export interface OpenOptions {
  readonly print?: true;
}

interface Place {
  readonly path: string;
  readonly what: string;
  /** An agent may be at work there. */
  readonly busy: boolean;
}

export async function open(task: string, options: OpenOptions, context: Context): Promise<ExitCode> {
  const found = await withMission(context, (mission) => placeOf(mission, task, context));
  if (!found.ok) return refuse(context, "nothing was opened", found.failure);
  const { path, what, busy } = found.value;
  if (busy)
    writeLine(context.stderr, `warning: an agent works there just now; what you change becomes part of its work`);
  if (options.print || !canAsk(context)) {
    writeLine(context.stdout, path);
    return exitCodes.done;
  }
  writeLine(context.stdout, `${oneLine(task)}: ${what}, at ${oneLine(path)} – exit to come back`);
  return enter(path, context);
}

async function placeOf(mission: Mission, task: string, context: Context): Promise<Outcome<Place>> {
  const state = await mission.refresh();
  const phase = state.tasks.get(task)?.phase;
  if (phase === undefined) return failed(unknownTask(state, task));
  if (phase.status === "in_progress") {
    const { path, stage, number } = phase.attempt;
    const what = `the workspace of attempt ${number}`;
    if (path !== null && existsSync(path)) return succeeded({ path, what, busy: stage === "working" });
  }
  const last = await lastArchive(mission, task);
  const whole = last === null ? null : await directoryOf(last.name, context);
  if (last !== null && whole !== null)
    return succeeded({ path: whole, what: `what attempt ${last.attempt} left when it failed`, busy: false });
  if (last !== null)
    return failed({
      kind: "usage",
      message: `${task} is ${phase.status}; what attempt ${last.attempt} left was rescued as ${last.name}`,
      remedy: `harness rescue restore ${last.name} --to DIR`,
    });
  const isDone = phase.status === "completed" && phase.commit !== null;
  return failed({
    kind: "usage",
    message: `${task} is ${phase.status} and has no workspace`,
    remedy: isDone ? `see its work with: git show ${shortCommit(phase.commit ?? "")}` : "harness run works on it",
  });
}

function unknownTask(state: MissionState, task: string): Failure {
  const meant = nearest(task, [...state.tasks.keys()]);
  return meant === null ? noSuchTask(task) : { ...noSuchTask(task), remedy: `did you mean ${meant}?` };
}

interface Archived {
  /** Older journals have the path of a directory here. */
  readonly name: string;
  readonly attempt: number;
}

/** Where it lies, if it was kept whole. */
async function directoryOf(name: string, context: Context): Promise<string | null> {
  if (isAbsolute(name)) return existsSync(name) ? name : null;
  const project = await findProject(context);
  const found = project.ok ? await findRescue(project.value, name) : project;
  return found.ok && found.value.kind === "archive" ? found.value.where : null;
}

async function lastArchive(mission: Mission, task: string): Promise<Archived | null> {
  let last: Archived | null = null;
  for await (const { event } of mission.events(0, AbortSignal.abort())) {
    if (event.type === "attempt.archived" && event.task === task)
      last = { name: event.archive, attempt: event.attempt };
  }
  return last;
}

/** The user's own shell. It carries no mark of ours: who works there is a person. */
function enter(cwd: string, { env }: Context): Promise<ExitCode> {
  return new Promise((resolve) => {
    const shell = spawn(env.SHELL || "/bin/sh", [], { cwd, stdio: "inherit", env: { ...env } });
    shell.on("error", () => resolve(exitCodes.environment));
    shell.on("close", () => resolve(exitCodes.done));
  });
}
