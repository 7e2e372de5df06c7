// The log as it follows from the journal: which session each line belongs to, and which task it is about (N1, N2).
import type { Event, Recorded } from "../../protocol/event.ts";
import type { TaskId } from "../../protocol/ids.ts";
import { logLine } from "./log-line.ts";
import { countSession, noSession, type SessionCount } from "./session-count.ts";

export interface Line {
  readonly text: string;
  readonly task: TaskId | null;
}

export interface TimelineOptions {
  readonly titleOf: (task: TaskId) => string;
  /** The count before the first event given; null when it is not known: lines begin with the next session then. */
  readonly from: SessionCount | null;
}

/** Given the events in order, answers the line of each; null for one that has none, or whose session is not known. */
export function createTimeline({ titleOf, from }: TimelineOptions): (event: Recorded) => Line | null {
  let sessions = from;
  return (event) => {
    if (sessions === null && event.type !== "session.started") return null;
    const { number, after } = countSession(sessions ?? noSession, event);
    sessions = after;
    const text = logLine(event, { session: number, titleOf });
    return text === null ? null : { text, task: taskOf(event) };
  };
}

function taskOf(event: Event): TaskId | null {
  if ("spec" in event) return event.spec.id;
  if (!("task" in event) || event.task === null) return null;
  return typeof event.task === "string" ? event.task : event.task.spec.id;
}
