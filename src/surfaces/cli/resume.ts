// `harness resume`: takes a pause back, whoever asked for it (rule C2). For the user only.
import { succeeded } from "../../protocol/failure.ts";
import { callerText, refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";

export async function resume(context: Context): Promise<ExitCode> {
  const what = "the mission was not resumed";
  const forbidden = await refusalOfAgent(context);
  if (forbidden !== null) return refuse(context, what, forbidden);
  const resumed = await withMission(context, async (mission) => {
    const done = await mission.submit({ type: "mission.resume", by: callerText(context.env) });
    return done.ok ? succeeded(mission.state().runs.size > 0) : done;
  });
  if (!resumed.ok) return refuse(context, what, resumed.failure);
  writeLine(context.stdout, `Resumed: ${resumed.value ? "the run takes tasks again" : "`harness run` goes on"}`);
  return exitCodes.done;
}
