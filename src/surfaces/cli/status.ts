// `harness status`: the plan and what is going on, from the journal; takes no lock, so it works while a run is on.
import { type Project, recentLog } from "../../compose.ts";
import { runOwners, statusView } from "../../core/views/status.ts";
import { firstGone } from "../../kit/process-identity.ts";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Mission } from "../../runtime/mission.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { readLogTail } from "./log-tail.ts";
import { noMission, withMission } from "./mission-access.ts";
import { isTerminal, painterFor } from "./paint.ts";
import { type Status, statusText } from "./status-text.ts";

export interface StatusOptions {
  readonly json?: true;
  readonly watch?: true;
}

const what = "cannot show the status";
const shownLogLines = 5;

export async function status(options: StatusOptions, context: Context): Promise<ExitCode> {
  const { stdout, env } = context;
  if (options.watch && !isTerminal(stdout, env)) return refuse(context, what, noScreen);
  const seen = await withMission(context, async (mission, project) => {
    const readStatus = () => statusOf(mission, project);
    const first = await readStatus();
    if (!first.ok || !options.watch) return first;
    const { watchStatus } = await import("./status-watch.ts");
    return succeeded(await watchStatus(mission, first.value, readStatus, context));
  });
  if (!seen.ok) return refuse(context, what, seen.failure);
  if (options.json) writeJson(stdout, { ...seen.value.view, log: seen.value.log });
  else writeLine(stdout, statusText(seen.value, painterFor(stdout, env)));
  return exitCodes.done;
}

const noScreen = {
  kind: "usage",
  message: "--watch redraws a terminal, and this is none",
  remedy: "harness logs --follow, or harness status --json again and again",
} as const;

async function statusOf(mission: Mission, { home }: Project): Promise<Outcome<Status>> {
  const kept = await recentLog(home, mission);
  const log = kept ?? (await readLogTail(mission, { last: shownLogLines, task: null })).lines;
  const state = mission.state();
  const view = statusView(state);
  if (view === null) return failed(noMission);
  const gone = await firstGone(runOwners(state));
  return succeeded({ view, gone, log });
}
