// `harness drop`: finished work that is not wanted leaves the mission branch (rule G5). For the user only.
import { succeeded } from "../../protocol/failure.ts";
import { shortCommit } from "../../protocol/ids.ts";
import { callerText, refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";
import { catchStopSignals } from "./stop-signals.ts";

export interface DropOptions {
  readonly json?: true;
}

const what = "nothing was dropped";

export async function drop(task: string, options: DropOptions, context: Context): Promise<ExitCode> {
  const forbidden = await refusalOfAgent(context);
  if (forbidden !== null) return refuse(context, what, forbidden);
  // As with accept: a first Ctrl-C does not cut it short.
  const stop = catchStopSignals(() => undefined);
  try {
    const done = await withMission(context, async (mission) => {
      const dropped = await mission.drop({ task, by: callerText(context.env) });
      const phase = mission.state().tasks.get(task)?.phase;
      const work = phase?.status === "completed" ? phase.commit : null;
      return dropped.ok ? succeeded({ commit: dropped.value.commit, work }) : dropped;
    });
    if (!done.ok) return refuse(context, what, done.failure);
    const { commit, work } = done.value;
    if (options.json) writeJson(context.stdout, { dropped: true, task, commit, work });
    else writeLine(context.stdout, droppedText(task, commit, work ?? ""));
    return exitCodes.done;
  } finally {
    stop.release();
  }
}

const droppedText = (task: string, commit: string, work: string): string =>
  `Dropped ${task}: commit ${shortCommit(commit)} on the mission branch takes it back
To have it after all, in your branch: git cherry-pick ${shortCommit(work)}`;
