// `harness pause`: what is under way is finished, nothing new is started (rule C2). Anyone may ask for it.
import { succeeded } from "../../protocol/failure.ts";
import { callerText } from "./caller.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";

export async function pause(context: Context): Promise<ExitCode> {
  const paused = await withMission(context, async (mission) => {
    const done = await mission.submit({ type: "mission.pause", by: callerText(context.env) });
    return done.ok ? succeeded(mission.state().working.size) : done;
  });
  if (!paused.ok) return refuse(context, "the mission was not paused", paused.failure);
  const count = paused.value;
  const rest = count === 0 ? "" : ` after ${count === 1 ? "the task" : `the ${count} tasks`} under way`;
  writeLine(context.stdout, `Paused: nothing new is started${rest} until \`harness resume\``);
  return exitCodes.done;
}
