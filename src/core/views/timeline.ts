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
  /** How things stood before the first event given; only the number of runs: lines begin with the next session then. */
  readonly from: SessionCount | { readonly runs: number };
}

/** Given the events in order, answers the line of each; null for one that has none, or whose session is not known. */
export function createTimeline({ titleOf, from }: TimelineOptions): (event: Recorded) => Line | null {
  let isKnown = "phase" in from;
  let sessions: SessionCount = { ...noSession, ...from };
  return (event) => {
    const { number, after } = countSession(sessions, event);
    sessions = after;
    isKnown ||= event.type === "session.started";
    if (!isKnown) return null;
    const text = logLine(event, { session: number, titleOf });
    return text === null ? null : { text, task: taskOf(event) };
  };
}

function taskOf(event: Event): TaskId | null {
  if ("spec" in event) return event.spec.id;
  if (!("task" in event) || event.task === null) return null;
  return typeof event.task === "string" ? event.task : event.task.spec.id;
}
