// Tasks as lines of text: `[status] id: title (attempts/max)`.
import { costText } from "../../core/views/used.ts";
import { oneLine } from "../../kit/escape.ts";
import type { Recorded } from "../../protocol/event.ts";
import type { TaskLine } from "../../protocol/view.ts";
import type { Colour, Paint } from "./paint.ts";

const colours: Record<TaskLine["status"], Colour> = {
  completed: "green",
  in_progress: "cyan",
  pending: "dim",
  failed: "red",
  blocked: "yellow",
};

export function taskText(task: TaskLine, paint: Paint): string {
  const line = `${paint(colours[task.status], `[${task.status}]`)} ${oneLine(`${task.id}: ${task.title}`)}`;
  const { loopPhase: at } = task;
  const phase = at === null ? "" : ` phase ${at.number} of ${at.of}: ${at.name}`;
  const behind = task.waitsForPhase === undefined ? "" : ` waits for phase ${task.waitsForPhase}`;
  const stage = task.stage === null ? "" : ` ${task.stage} on lane ${task.lane}`;
  const why = task.lastError === null ? "" : `\n    ${oneLine(task.lastError)}`;
  const word = task.unverified ? " UNVERIFIED" : "";
  const where = task.accepted ? " accepted" : task.dropped ? " dropped" : "";
  const cost = costText(task.used);
  return `${line} (${task.attempts}/${task.maxAttempts})${phase}${behind}${stage}${word}${where}${cost === "" ? "" : ` ${cost}`}${why}`;
}

/** What else a change set free, as the end of a line. */
export function freedText(events: readonly Recorded[]): string {
  const freed = events.flatMap((event) => (event.type === "task.unblocked" ? [event.task] : []));
  if (freed.length === 0) return "";
  const shown =
    freed.length <= 10 ? freed.join(", ") : `${freed.slice(0, 10).join(", ")} and ${freed.length - 10} more`;
  return `; no longer blocked: ${shown}`;
}
