// `harness drop`: finished work that is not wanted leaves the mission branch (rule G5). For the user only.
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
    const done = await withMission(context, (mission) => mission.drop({ task, by: callerText(context.env) }));
    if (!done.ok) return refuse(context, what, done.failure);
    const { commit } = done.value;
    if (options.json) writeJson(context.stdout, { dropped: true, task, commit });
    else writeLine(context.stdout, droppedText(task, commit));
    return exitCodes.done;
  } finally {
    stop.release();
  }
}

const droppedText = (task: string, commit: string): string =>
  `Dropped ${task}: commit ${shortCommit(commit)} on the mission branch takes it back\nTo have it again: git revert ${shortCommit(commit)}, on that branch`;
