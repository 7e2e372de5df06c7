// `harness logs`: the lines of harness-progress.txt, projected from the journal; takes no lock.
import { failed, succeeded } from "../../protocol/failure.ts";
import type { Mission } from "../../runtime/mission.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type LogTail, readLogTail } from "./log-tail.ts";
import { noMission, noSuchTask, withMission } from "./mission-access.ts";
import { catchStopSignals } from "./stop-signals.ts";

export interface LogsOptions {
  readonly lines: number;
  readonly follow?: true;
}

export async function logs(task: string | undefined, options: LogsOptions, context: Context): Promise<ExitCode> {
  const shown = await withMission(context, async (mission) => {
    const state = await mission.refresh();
    if (state.mission === null) return failed(noMission);
    if (task !== undefined && !state.tasks.has(task)) return failed(noSuchTask(task));
    const tail = await readLogTail(mission, { last: options.lines, task: task ?? null });
    if (tail.lines.length > 0) writeLine(context.stdout, tail.lines.join("\n"));
    if (options.follow) await follow(mission, tail, context);
    return succeeded(null);
  });
  // Ending it is how following ends: nothing went wrong.
  return shown.ok ? exitCodes.done : refuse(context, "cannot show the log", shown.failure);
}

/** Until somebody asks it to stop, or nobody reads any more. */
async function follow(mission: Mission, { position, lineOf }: LogTail, { stdout }: Context): Promise<void> {
  const stop = catchStopSignals(() => undefined);
  const left = new AbortController();
  const leave = () => left.abort();
  stdout.once("error", leave);
  try {
    for await (const { event } of mission.events(position, AbortSignal.any([stop.signal, left.signal]))) {
      if (event.type === "task.added" || event.type === "task.edited") await mission.refresh();
      const line = lineOf(event);
      if (line !== null) writeLine(stdout, line);
    }
  } finally {
    stdout.off("error", leave);
    stop.release();
  }
}
