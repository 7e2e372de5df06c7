// What the live block of a run says: a line per lane, then a bar with the counts.
import { costText, tokensText } from "../../core/views/used.ts";
import { waitText } from "../../core/views/wait-text.ts";
import { oneLine } from "../../kit/escape.ts";
import type { Used } from "../../protocol/account.ts";
import type { TaskLine } from "../../protocol/view.ts";
import type { Wait } from "../../protocol/wait.ts";
import type { Doing } from "../../runtime/ports.ts";
import type { BlockLine } from "./live-block.ts";
import type { Paint } from "./paint.ts";
import { fit } from "./text-width.ts";

const widestCall = 48;

export interface Progress {
  readonly now: number;
  readonly lanes: number;
  /** Tasks in progress. */
  readonly working: readonly TaskLine[];
  /** Agents that cannot serve now. */
  readonly waits: readonly Pick<Wait, "agent" | "kind" | "until">[];
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly blocked: number;
  /** The last words of the agent on a lane. */
  readonly lastWords: ReadonlyMap<number, string>;
  /** Of loops: which iteration it is, of how many. */
  readonly iterations: ReadonlyMap<string, string>;
  /** What agents are doing, by task. */
  readonly doings: ReadonlyMap<string, Doing>;
  /** By the iterations that have ended. */
  readonly used: Used;
  readonly stopping: boolean;
}

export function progressLines(progress: Progress, paint: Paint): readonly BlockLine[] {
  const { lanes, working } = progress;
  // A recovered attempt keeps the lane it had, which a run with fewer lanes does not count.
  const numbers = new Set([...Array(lanes).keys(), ...working.map(({ lane }) => lane ?? 0)]);
  const lines = [...numbers].sort((a, b) => a - b).map((lane) => laneLine(lane, progress, paint));
  return [...lines, ...progress.waits.map((wait) => waitLine(wait, progress, paint)), barLine(progress, paint)];
}

const waitLine = (wait: Progress["waits"][number], { now }: Progress, paint: Paint): BlockLine => ({
  text: oneLine(`${waitText(wait)}  ${elapsed(wait.until - now)} left`),
  paint: (text) => paint("yellow", text),
});

function laneLine(lane: number, { now, working, lastWords, iterations, doings }: Progress, paint: Paint): BlockLine {
  const task = working.find((one) => one.lane === lane);
  if (task === undefined) return { text: `lane ${lane}  –`, paint: (text) => paint("dim", text) };
  const call = task.stage === "working" ? doings.get(task.id)?.call : null;
  // A tool is told before the last words, which may be long.
  const doing = call ? [fit(oneLine(`▸ ${call.tool} ${call.about}`.trimEnd()), widestCall)] : [];
  const parts = [
    `lane ${lane}`,
    task.id,
    (task.stage ?? "").padEnd("committing".length),
    elapsed(now - (task.since ?? now)),
    iterations.get(task.id) ?? `attempt ${task.attempts + 1}/${task.maxAttempts}`,
    ...(task.loopPhase === null ? [] : [`${task.loopPhase.name} ${task.loopPhase.number}/${task.loopPhase.of}`]),
    [task.title, ...doing, lastWords.get(lane) ?? ""].filter((part) => part !== "").join(" – "),
  ];
  return { text: oneLine(parts.join("  ")) };
}

function barLine(progress: Progress, paint: Paint): BlockLine {
  const { total, completed, failed, blocked, working, stopping } = progress;
  const cells = 20;
  const full = total === 0 ? 0 : Math.floor((completed / total) * cells);
  const open = total - completed - failed - blocked - working.length;
  const counts = [
    `${working.length} working`,
    `${open} waiting`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(stopping ? ["stopping"] : []),
    ...usedParts(progress),
  ];
  const bar = `[${"█".repeat(full)}${"░".repeat(cells - full)}]`;
  const colour = failed + blocked > 0 ? "yellow" : "green";
  return { text: `${bar} ${completed}/${total}  ${counts.join(", ")}`, paint: (text) => paint(colour, text) };
}

/** Tokens as they come, money as iterations end. Nothing where nobody tells. */
function usedParts({ used, doings }: Progress): readonly string[] {
  const count = ({ input, cached, output }: Used["tokens"]): number => input + cached + output;
  const live = [...doings.values()].reduce((sum, { tokens }) => sum + (tokens ? count(tokens) : 0), 0);
  const tokens = count(used.tokens) + live;
  return [...(tokens === 0 ? [] : [`${tokensText(tokens)} tokens`]), costText(used)].filter((part) => part !== "");
}

/** `00:12`, from an hour on `1:00:12`. A clock that was set back shows zero. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}
