// What is shown while a run is on: log lines as they happen, and in a terminal a live block below them.

import { taskLine } from "../../core/views/status.ts";
import { createTimeline } from "../../core/views/timeline.ts";
import { usedView } from "../../core/views/used.ts";
import { oneLine } from "../../kit/escape.ts";
import type { Event, Recorded } from "../../protocol/event.ts";
import type { Mission } from "../../runtime/mission.ts";
import type { Doing, Said } from "../../runtime/ports.ts";
import { type Context, writeLine } from "./context.ts";
import { type Progress, progressLines } from "./lane-lines.ts";
import { createLiveBlock } from "./live-block.ts";
import { type Colour, isTerminal, painterFor } from "./paint.ts";

export interface RunView {
  event(event: Recorded): void;
  said(said: Said): void;
  doing(doing: Doing): void;
  /** A word of our own, between the lines of the log. */
  note(text: string): void;
  close(): void;
}

type MissionState = ReturnType<Mission["state"]>;

export function createRunView(mission: Mission, context: Context, options: { readonly json: boolean }): RunView {
  const lineOf = createLogLines(mission);
  if (!options.json && isTerminal(context.stdout, context.env)) return createLiveView(mission, context, lineOf);
  // With --json standard output belongs to the one object at the end.
  const log = options.json ? context.stderr : context.stdout;
  return {
    event(event) {
      const line = lineOf(event);
      if (line !== null) writeLine(log, line);
    },
    said: () => undefined,
    doing: () => undefined,
    note: (text) => writeLine(context.stderr, text),
    close: () => undefined,
  };
}

function createLogLines(mission: Mission): (event: Recorded) => string | null {
  const { sessions, session, runs } = mission.state();
  const titleOf = (task: string) => mission.state().tasks.get(task)?.spec.title ?? "";
  const phase = session === null ? "none" : "open";
  const lineOf = createTimeline({ titleOf, from: { counted: sessions, phase, runs: runs.size } });
  return (event) => lineOf(event)?.text ?? null;
}

/** What scrolls above the block, and how; the rest is in the block. */
const scrolling: Partial<Record<Event["type"], Colour>> = {
  "task.completed": "green",
  "promise.unkept": "yellow",
  "attempt.failed": "red",
  "attempt.archived": "dim",
  "attempt.recovered": "cyan",
  "task.abandoned": "red",
  "task.blocked": "red",
  "run.faulted": "red",
  "approval.asked": "yellow",
  "mission.paused": "yellow",
  "mission.resumed": "yellow",
  "run.stopRequested": "yellow",
  "wait.started": "yellow",
  "wait.ended": "yellow",
};

function createLiveView(
  mission: Mission,
  { stdout, env }: Context,
  lineOf: (event: Recorded) => string | null,
): RunView {
  const block = createLiveBlock(stdout);
  const paint = painterFor(stdout, env);
  const lastWords = new Map<number, string>();
  /** Of iterations that have not ended, by task. */
  const doings = new Map<string, Doing>();
  const draw = () => block.draw(progressLines(progressOf(mission.state(), lastWords, doings), paint));
  const everySecond = setInterval(draw, 1_000);
  stdout.on("resize", draw);
  draw();
  return {
    event(event) {
      const line = lineOf(event);
      const colour = scrolling[event.type];
      if (event.type === "task.claimed") lastWords.delete(event.lane);
      // The iteration before it is over: what it used is in the state, as far as it was told.
      if (event.type === "effect.requested" && event.effect.kind !== "session.prepare")
        doings.delete(event.effect.task);
      if (line !== null && colour !== undefined) block.print(paint(colour, line));
      draw();
    },
    said({ lane, text }) {
      const last = text.trim().split("\n").at(-1) ?? "";
      // Drawn with the next event or second: an agent may talk faster than anybody reads.
      if (last !== "") lastWords.set(lane, oneLine(last));
    },
    doing: (doing) => void doings.set(doing.task, { ...doings.get(doing.task), ...doing }),
    note: (text) => block.print(paint("yellow", text)),
    close() {
      clearInterval(everySecond);
      stdout.off("resize", draw);
      block.close();
    },
  };
}

function progressOf(
  state: MissionState,
  lastWords: ReadonlyMap<number, string>,
  doings: ReadonlyMap<string, Doing>,
): Progress {
  const working = [...state.working].flatMap((id) => {
    const task = state.tasks.get(id);
    return task === undefined ? [] : [taskLine(task, state)];
  });
  const iterations = new Map(working.flatMap(({ id }) => iterationOf(state, id)));
  const { completed, blocked } = state.counts;
  const failed = state.counts.failed === 0 ? 0 : failedForGood(state);
  const runs = [...state.runs.values()];
  const stopping = runs.length > 0 && runs.every(({ ending }) => ending !== null);
  const lanes = runs.reduce((sum, run) => sum + run.lanes, 0);
  const waits = [...state.waits.values()].filter(({ on }) => on);
  const now = Date.now();
  const used = usedView(state.used);
  const live = { lastWords, iterations, doings, used };
  return { now, lanes, working, waits, total: state.tasks.size, completed, failed, blocked, stopping, ...live };
}

/** A loop has one attempt, so that is nothing to tell. */
function iterationOf(state: MissionState, id: string): readonly [string, string][] {
  const { iterations = 0, spec } = state.tasks.get(id) ?? {};
  return spec?.loop ? [[id, `iteration ${Math.max(1, iterations)}/${spec.loop.maxIterations}`]] : [];
}

/** The others of the failed tasks wait for their next attempt. */
function failedForGood(state: MissionState): number {
  let count = 0;
  for (const { phase } of state.tasks.values()) if (phase.status === "failed" && phase.final) count += 1;
  return count;
}
