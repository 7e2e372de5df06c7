// `harness status`: the plan and what is going on, from the journal; takes no lock, so it works while a run is on.
import { statusView } from "../../core/views/status.ts";
import { isAlive } from "../../kit/process-identity.ts";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
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
  const seen = await withMission(context, async (mission) => {
    const first = await readStatus(mission);
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

async function readStatus(mission: Mission): Promise<Outcome<Status>> {
  const { lines: log } = await readLogTail(mission, { last: shownLogLines, task: null });
  const state = mission.state();
  const view = statusView(state);
  if (view === null) return failed(noMission);
  const owners = [...state.runs.values()].filter(({ id }) => !isOutsideRun(id)).map(({ owner }) => owner);
  const alive = await Promise.all(owners.map(isAlive));
  const gone = owners.find((_, place) => alive[place] === false)?.pid ?? null;
  return succeeded({ view, gone, log });
}
