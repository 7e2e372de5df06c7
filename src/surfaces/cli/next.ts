// `harness` alone: what to do next here.
import type { Command } from "commander";
import { rootAbove } from "../../compose.ts";
import { statusView } from "../../core/views/status.ts";
import { oneLine } from "../../kit/escape.ts";
import { succeeded } from "../../protocol/failure.ts";
import type { StatusView } from "../../protocol/view.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";

export async function next(program: Command, context: Context): Promise<ExitCode> {
  if (context.root === undefined && rootAbove(context.cwd, context.env) === null) {
    program.outputHelp();
    writeLine(context.stdout, '\nHere is no Harness project yet. To begin: harness "what to do"');
    return exitCodes.done;
  }
  const seen = await withMission(context, async (mission) => succeeded(statusView(mission.state())));
  if (!seen.ok) return refuse(context, "cannot tell what is next", seen.failure);
  writeLine(context.stdout, nextText(seen.value));
  return exitCodes.done;
}

/** What waits for a person goes first, then what is unfinished, then what is done. */
export function nextText(view: StatusView | null): string {
  if (view === null) return 'Nothing is planned here yet.\n  next: harness "what to do"';
  const { stats, mission } = view;
  const state = mission.state === "idle" ? "" : `, ${mission.state}`;
  return `${stats.completed} of ${stats.total} tasks done${state}\n  next: ${nextStep(view)}`;
}

function nextStep({ stats, waitingFor, finished, mission, tasks }: StatusView): string {
  const [question] = waitingFor;
  if (mission.state === "running" || mission.state === "stopping") return "harness status --watch";
  if (mission.state === "paused") return "harness resume";
  if (question !== undefined) return `harness approve ${question.name}, or deny – ${oneLine(question.question, 200)}`;
  if (tasks.some(({ status }) => status === "pending" || status === "in_progress"))
    return "harness run goes on with what is unfinished";
  if (finished.waiting > 0) return "harness accept takes finished work into your branch";
  if (stats.failed > 0) return "harness tasks shows what failed; harness retry TASK gives it one more attempt";
  return 'harness "what to do"';
}
