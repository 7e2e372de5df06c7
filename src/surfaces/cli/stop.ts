// `harness stop`: ends the run of another process, with all work kept. Anyone may ask for it (rule C2).
import { runOwners } from "../../core/views/status.ts";
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
    const owners = runOwners(mission.state());
    const alive = await Promise.all(owners.map(isAlive));
    return succeeded({ pids: owners.map(({ pid }) => pid).join(", "), isGone: !alive.includes(true) });
  });
  if (!stopped.ok) return refuse(context, "nothing was stopped", stopped.failure);
  const { pids, isGone } = stopped.value;
  const when = now ? "at once; work under way is kept" : "after the tasks under way";
  const said = `Stop was asked for: the run (pid=${pids}) ends ${when}`;
  const gone = `Stop was asked for, but no process answers to pid=${pids} here; \`harness run\` continues its work`;
  writeLine(context.stdout, isGone ? gone : said);
  return exitCodes.done;
}
