// `harness stop`: ends the run of another process, with all work kept. Anyone may ask for it (rule C2).
import { isAlive } from "../../kit/process-identity.ts";
import { succeeded } from "../../protocol/failure.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";

export interface StopOptions {
  readonly now?: true;
}

export async function stop(options: StopOptions, context: Context): Promise<ExitCode> {
  const now = options.now === true;
  const stopped = await withMission(context, async (mission) => {
    const done = await mission.submit({ type: "mission.stop", now });
    if (!done.ok) return done;
    const owner = mission.state().run?.owner;
    return succeeded({ pid: owner?.pid, isGone: owner !== undefined && !(await isAlive(owner)) });
  });
  if (!stopped.ok) return refuse(context, "nothing was stopped", stopped.failure);
  const { pid, isGone } = stopped.value;
  const when = now ? "at once; work under way is kept" : "after the tasks under way";
  const said = `Stop was asked for: the run (pid=${pid}) ends ${when}`;
  const gone = `Stop was asked for, but no process answers to pid=${pid} here; \`harness run\` continues its work`;
  writeLine(context.stdout, isGone ? gone : said);
  return exitCodes.done;
}
