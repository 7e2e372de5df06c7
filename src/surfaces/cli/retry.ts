// `harness retry`: one more attempt for a task that has failed (rule K6). For the user only.
import { succeeded } from "../../protocol/failure.ts";
import { callerText, refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";
import { freedText } from "./task-text.ts";

export async function retry(task: string, context: Context): Promise<ExitCode> {
  const what = "no attempt was added";
  const forbidden = await refusalOfAgent(context);
  if (forbidden !== null) return refuse(context, what, forbidden);
  const retried = await withMission(context, async (mission) => {
    const done = await mission.submit({ type: "task.retry", task, by: callerText(context.env) });
    if (!done.ok) return done;
    const { attempts = 0, spec } = mission.state().tasks.get(task) ?? {};
    return succeeded({ used: `${attempts}/${spec?.maxAttempts ?? attempts}`, freed: freedText(done.value) });
  });
  if (!retried.ok) return refuse(context, what, retried.failure);
  const { used, freed } = retried.value;
  writeLine(context.stdout, `${task} may be tried once more (${used} attempts used)${freed}`);
  return exitCodes.done;
}
