// `harness logs`: the log, projected from the journal, or of one task what its agents and other programs did; takes no lock.
import { setTimeout as delay } from "node:timers/promises";
import { taskLine } from "../../core/views/status.ts";
import { failed, succeeded } from "../../protocol/failure.ts";
import type { Mission } from "../../runtime/mission.ts";
import type { Project } from "../../runtime/project.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { following, printTo } from "./following.ts";
import { type LogTail, readLogTail } from "./log-tail.ts";
import { noMission, noSuchTask, withMission } from "./mission-access.ts";
import { OutputTail } from "./output-tail.ts";
import { isTerminal, painterFor } from "./paint.ts";
import { taskText } from "./task-text.ts";
import { Transcript } from "./transcript.ts";

export interface LogsOptions {
  readonly lines?: number;
  readonly follow?: true;
  readonly log?: true;
  readonly output?: true;
  readonly raw?: true;
  readonly attempt?: number;
}

const what = "cannot show the log";
const usualLines = 50;
const lookMs = 250;

export async function logs(task: string | undefined, options: LogsOptions, context: Context): Promise<ExitCode> {
  const ofTask = options.output ? "--output" : options.raw ? "--raw" : options.attempt ? "--attempt" : null;
  if (ofTask !== null && task === undefined) return refuse(context, what, aboutOneTask(ofTask));
  const shown = await withMission(context, async (mission, project) => {
    const state = await mission.refresh();
    if (state.mission === null) return failed(noMission);
    if (task !== undefined && !state.tasks.has(task)) return failed(noSuchTask(task));
    if (task === undefined || options.log) await showLog(mission, task ?? null, options, context);
    else if (options.output) await showOutput(new OutputTail(project.home, task), options, context);
    else await showTranscript(mission, project, task, options, context);
    return succeeded(null);
  });
  return shown.ok ? exitCodes.done : refuse(context, what, shown.failure);
}

const aboutOneTask = (flag: string) =>
  ({
    kind: "usage",
    message: `${flag} shows what the programs of one task printed`,
    remedy: `harness logs TASK ${flag}`,
  }) as const;

const nothingYet = "nothing was printed yet";

/** What agents did in the last attempt; following, in those after it too, until the task has ended. */
async function showTranscript(
  mission: Mission,
  { home }: Project,
  task: string,
  options: LogsOptions,
  { stdout, stderr, env }: Context,
): Promise<void> {
  const { lines, follow } = options;
  const [raw, from] = [options.raw === true, options.attempt ?? null];
  const terminal = isTerminal(stdout, env);
  const paint = painterFor(stdout, env);
  const kept: string[] = [];
  let isLive = lines === undefined;
  const transcript = new Transcript({
    ...{ home, task, raw, from, only: from !== null && !follow },
    look: {
      paint,
      isTerminal: terminal,
      // Asked for each line: a terminal may change while it is followed.
      get columns() {
        return terminal ? (stdout.columns || 80) - 1 : Number.POSITIVE_INFINITY;
      },
    },
    print: async (text) => {
      if (isLive) return printTo(stdout, text);
      kept.push(text);
      if (kept.length > (lines ?? 0)) kept.shift();
    },
  });
  const showKept = async (): Promise<void> => {
    isLive = true;
    for (const text of kept.splice(0)) await printTo(stdout, text);
    if (transcript.isEmpty) writeLine(stderr, nothingYet);
  };
  if (!follow) {
    await transcript.read({ isLast: true });
    await showKept();
  } else {
    await following(stdout, async (until) => {
      for (let isFirst = true; !until.aborted; isFirst = false) {
        // Asked before what was printed is read: all that a task printed is there when it has ended.
        const isLast = await hasEnded(mission, task);
        await transcript.read({ isLast });
        if (isFirst) await showKept();
        if (isLast) return;
        await delay(lookMs, undefined, { signal: until }).catch(() => undefined);
      }
    });
  }
  const state = mission.state();
  const of = state.tasks.get(task);
  if (!raw && of !== undefined && !transcript.isEmpty) writeLine(stdout, taskText(taskLine(of, state), paint));
}

async function hasEnded(mission: Mission, task: string): Promise<boolean> {
  const phase = (await mission.refresh()).tasks.get(task)?.phase;
  return phase?.status === "completed" || phase?.status === "blocked" || (phase?.status === "failed" && phase.final);
}

/** The last lines there are; following, whatever is printed from then on. */
async function showOutput(tail: OutputTail, options: LogsOptions, { stdout, stderr }: Context): Promise<void> {
  const { lines: count = usualLines, follow } = options;
  const lines = await tail.read({ isLast: follow !== true });
  if (lines.length === 0) writeLine(stderr, nothingYet);
  const last = count === 0 ? [] : lines.slice(-count);
  if (last.length > 0) writeLine(stdout, last.join("\n"));
  if (!follow) return;
  await following(stdout, async (until) => {
    while (!until.aborted) {
      await delay(lookMs, undefined, { signal: until }).catch(() => undefined);
      for (const line of await tail.read({ isLast: false })) writeLine(stdout, line);
    }
  });
}

async function showLog(mission: Mission, task: string | null, options: LogsOptions, context: Context): Promise<void> {
  const tail = await readLogTail(mission, { last: options.lines ?? usualLines, task });
  if (tail.lines.length > 0) writeLine(context.stdout, tail.lines.join("\n"));
  if (options.follow) await followLog(mission, tail, context);
}

const followLog = (mission: Mission, { position, lineOf }: LogTail, { stdout }: Context): Promise<void> =>
  following(stdout, async (until) => {
    for await (const { event } of mission.events(position, until)) {
      if (event.type === "task.added" || event.type === "task.edited") await mission.refresh();
      const line = lineOf(event);
      if (line !== null) writeLine(stdout, line);
    }
  });
