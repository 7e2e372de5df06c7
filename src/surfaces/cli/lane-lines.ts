// What the live block of a run says: a line per lane, then a bar with the counts.
import { oneLine } from "../../kit/escape.ts";
import type { TaskLine } from "../../protocol/view.ts";
import type { BlockLine } from "./live-block.ts";
import type { Paint } from "./paint.ts";

export interface Progress {
  readonly now: number;
  readonly lanes: number;
  /** Tasks in progress. */
  readonly working: readonly TaskLine[];
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly blocked: number;
  /** The last words of the agent on a lane. */
  readonly lastWords: ReadonlyMap<number, string>;
  readonly stopping: boolean;
}

export function progressLines(progress: Progress, paint: Paint): readonly BlockLine[] {
  const { lanes, working } = progress;
  // A recovered attempt keeps the lane it had, which a run with fewer lanes does not count.
  const numbers = new Set([...Array(lanes).keys(), ...working.map(({ lane }) => lane ?? 0)]);
  const lines = [...numbers].sort((a, b) => a - b).map((lane) => laneLine(lane, progress, paint));
  return [...lines, barLine(progress, paint)];
}

function laneLine(lane: number, { now, working, lastWords }: Progress, paint: Paint): BlockLine {
  const task = working.find((one) => one.lane === lane);
  if (task === undefined) return { text: `lane ${lane}  –`, paint: (text) => paint("dim", text) };
  const words = lastWords.get(lane) ?? "";
  const parts = [
    `lane ${lane}`,
    task.id,
    (task.stage ?? "").padEnd("committing".length),
    elapsed(now - (task.since ?? now)),
    `attempt ${task.attempts + 1}/${task.maxAttempts}`,
    words === "" ? task.title : `${task.title} – ${words}`,
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
  ];
  const bar = `[${"█".repeat(full)}${"░".repeat(cells - full)}]`;
  const colour = failed + blocked > 0 ? "yellow" : "green";
  return { text: `${bar} ${completed}/${total}  ${counts.join(", ")}`, paint: (text) => paint(colour, text) };
}

/** `00:12`, from an hour on `1:00:12`. A clock that was set back shows zero. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}
