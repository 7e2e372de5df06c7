// The last lines of the log, projected from the end of the journal: how long the journal is does not matter.
import { isSessionChange, noSession } from "../../core/views/session-count.ts";
import { createTimeline, type Line, type TimelineOptions } from "../../core/views/timeline.ts";
import type { Recorded } from "../../protocol/event.ts";
import type { Mission, Placed } from "../../runtime/mission.ts";

export interface LogWish {
  /** The last so many lines. */
  readonly last: number;
  /** Only lines about this task; null: all. */
  readonly task: string | null;
}

export interface LogTail {
  readonly lines: readonly string[];
  /** Up to here it was read; what comes next has its line from `lineOf`. */
  readonly position: number;
  readonly lineOf: (event: Recorded) => string | null;
}

const firstLook = 256;

export async function readLogTail(mission: Mission, wish: LogWish): Promise<LogTail> {
  const { position: head } = await mission.refresh();
  // Looks further back until there are enough lines: all in all at most a third more than the journal has.
  for (let size = firstLook; ; size *= 4) {
    const after = Math.max(0, head - size);
    const placed = await collect(mission.events(after, AbortSignal.abort()));
    const tail = project(mission, after, placed, wish);
    if (after === 0 || tail.lines.length >= wish.last) return tail;
  }
}

function project(mission: Mission, after: number, placed: readonly Placed[], { last, task }: LogWish): LogTail {
  const titleOf = (id: string) => mission.state().tasks.get(id)?.spec.title ?? "";
  const step = createTimeline({ titleOf, from: after === 0 ? noSession : countBefore(mission, placed) });
  const isWanted = (line: Line): boolean => task === null || line.task === task;
  const lineOf = (event: Recorded): string | null => {
    const line = step(event);
    return line !== null && isWanted(line) ? line.text : null;
  };
  const lines = placed.flatMap(({ event }) => lineOf(event) ?? []);
  const position = placed.at(-1)?.position ?? after;
  return { lines: last === 0 ? [] : lines.slice(-last), position, lineOf };
}

/** Reckoned back from the state: how many runs there were, and – if it did not change since – which session. */
function countBefore(mission: Mission, placed: readonly Placed[]): TimelineOptions["from"] {
  const { runs, position: head, sessions: counted, session } = mission.state();
  const known = placed.filter(({ position }) => position <= head);
  const count = (type: "run.started" | "run.ended") => known.filter(({ event }) => event.type === type).length;
  const before = runs.size - count("run.started") + count("run.ended");
  if (placed.some(({ event }) => isSessionChange(event))) return { runs: before };
  return { counted, phase: session === null ? "none" : "open", runs: before };
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
