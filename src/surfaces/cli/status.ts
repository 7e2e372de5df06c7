// `harness status`: the plan and what is going on, from the journal; takes no lock, so it works while a run is on.
import { locateProject, openMission } from "../../compose.ts";
import { statusView } from "../../core/views/status.ts";
import { oneLine } from "../../kit/escape.ts";
import { isoTime } from "../../kit/iso-time.ts";
import { isAlive } from "../../kit/process-identity.ts";
import type { StatusView, TaskLine } from "../../protocol/view.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type Colour, type Paint, painterFor } from "./paint.ts";

export interface StatusOptions {
  readonly json?: true;
}

export async function status(options: StatusOptions, context: Context): Promise<ExitCode> {
  const what = "cannot show the status";
  const project = await locateProject(context.cwd, context.env, context.root);
  if (!project.ok) return refuse(context, what, project.failure);
  const mission = await openMission(project.value, { env: context.env });
  if (!mission.ok) return refuse(context, what, mission.failure);
  try {
    const state = await mission.value.refresh();
    const view = statusView(state);
    if (view === null) return refuse(context, what, noMission);
    if (options.json) {
      writeJson(context.stdout, view);
      return exitCodes.done;
    }
    const gone = state.run !== null && !(await isAlive(state.run.owner)) ? state.run.owner.pid : null;
    writeLine(context.stdout, statusText(view, gone, painterFor(context.stdout, context.env)));
    return exitCodes.done;
  } finally {
    await mission.value.close();
  }
}

const noMission = { kind: "config", message: "there is no mission here yet", remedy: "run: harness init" } as const;

/** `gone`: the process of a run that never said that it ended. */
export function statusText(view: StatusView, gone: number | null, paint: Paint): string {
  const { mission, stats } = view;
  const running = view.lanes === 1 ? "on 1 lane" : `on ${view.lanes} lanes`;
  const state = mission.state === "idle" ? "idle" : `${mission.state}${view.lanes > 0 ? ` ${running}` : ""}`;
  const last = view.lastSessionAt === null ? "" : `, the last ended ${isoTime(view.lastSessionAt)}`;
  return [
    `mission   ${mission.id} – ${gone === null ? state : `its run is gone (pid=${gone}); \`harness run\` continues it`}`,
    `branch    ${mission.branch}`,
    `sessions  ${view.sessions}${last}`,
    `tasks     ${stats.total}: ${countsText(view)}`,
    ...view.tasks.map((task) => taskText(task, paint)),
    ...view.waitingFor.map(({ name, question }) =>
      paint("yellow", oneLine(`waiting for a person – ${name}: ${question}`)),
    ),
    ...(stats.total === 0 ? ['next      harness add "what to do" --validate "command that checks it"'] : []),
  ].join("\n");
}

const countsText = ({ stats }: StatusView): string =>
  [
    `${stats.completed} completed`,
    `${stats.inProgress} in progress`,
    `${stats.pending} pending`,
    `${stats.failed} failed`,
    `${stats.blocked} blocked`,
  ].join(", ");

const colours: Record<TaskLine["status"], Colour> = {
  completed: "green",
  in_progress: "cyan",
  pending: "dim",
  failed: "red",
  blocked: "yellow",
};

function taskText(task: TaskLine, paint: Paint): string {
  const line = `${paint(colours[task.status], `[${task.status}]`)} ${oneLine(`${task.id}: ${task.title}`)}`;
  const stage = task.stage === null ? "" : ` ${task.stage} on lane ${task.lane}`;
  const why = task.lastError === null ? "" : `\n    ${oneLine(task.lastError)}`;
  return `${line} (${task.attempts}/${task.maxAttempts})${stage}${why}`;
}
