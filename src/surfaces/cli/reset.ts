// `harness reset`: tasks begin anew, with no attempt used; what is in progress is ended and put away (rule K6).
import { type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Mission } from "../../runtime/mission.ts";
import { asking, canAsk } from "./ask.ts";
import { callerText, refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type MissionState, withMission } from "./mission-access.ts";
import { freedText } from "./task-text.ts";

export interface ResetOptions {
  readonly yes?: true;
}
type Answer = "yes" | "no" | "cancelled";

export async function reset(tasks: readonly string[], options: ResetOptions, context: Context): Promise<ExitCode> {
  const what = "nothing was reset";
  const forbidden = await refusalOfAgent(context);
  if (forbidden !== null) return refuse(context, what, forbidden);
  const done = await withMission(context, async (mission) => {
    // Tasks that were named were meant; "all of them" is easily typed by mistake.
    const answer = tasks.length > 0 || options.yes ? "yes" : await confirmAll(mission.state(), context);
    const line =
      answer === "yes" ? await resetTasks(mission, tasks, callerText(context.env)) : succeeded("Nothing was reset");
    return line.ok ? succeeded({ answer, line: line.value }) : line;
  });
  if (!done.ok) return refuse(context, what, done.failure);
  writeLine(context.stdout, done.value.line);
  return done.value.answer === "cancelled" ? exitCodes.interrupted : exitCodes.done;
}

async function confirmAll({ tasks }: MissionState, context: Context): Promise<Answer> {
  const all = [...tasks.values()].map(({ phase }) => phase.status);
  const failures = all.filter((status) => status === "failed").length;
  const working = all.filter((status) => status === "in_progress").length;
  if (!canAsk(context) || failures + working === 0) return "yes";
  const question = `Reset ${failures} failed and ${working} in progress? Work under way is put away, not merged.`;
  const yes = await asking(context, ({ confirm }) => confirm(question, false));
  return yes === null ? "cancelled" : yes ? "yes" : "no";
}

async function resetTasks(mission: Mission, tasks: readonly string[], by: string): Promise<Outcome<string>> {
  const submitted = await mission.submit({ type: "task.reset", tasks, by });
  if (!submitted.ok) return submitted;
  const events = submitted.value;
  const failures = events.flatMap((event) => (event.type === "task.reset" ? [event.task] : []));
  const working = events.flatMap((event) => (event.type === "attempt.cancelled" ? [event.task] : []));
  const parts = [
    ...(failures.length === 0 ? [] : [`${failures.join(", ")} pending again, no attempt used`]),
    ...(working.length === 0 ? [] : [`${working.join(", ")} ended and put away, then pending again`]),
  ];
  if (parts.length === 0) return succeeded("Nothing to reset: no task has failed or is in progress");
  return succeeded(`Reset: ${parts.join("; ")}${freedText(events)}`);
}
