// The last lines of the log, projected from the end of the journal: how long the journal is does not matter.
import { isSessionChange, noSession, type SessionCount } from "../../core/views/session-count.ts";
import { createTimeline, type Line } from "../../core/views/timeline.ts";
import type { Recorded } from "../../protocol/event.ts";
import type { Mission } from "../../runtime/mission.ts";

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
    const tail = await readFrom(mission, after, after === 0 ? noSession : null, wish);
    if (after === 0 || tail.lines.length >= wish.last) return tail;
    if (tail.changes > 0) continue;
    // One session from there to the end, and the state knows which.
    const { sessions: counted, session } = mission.state();
    const whole = await readFrom(mission, after, { counted, phase: session === null ? "none" : "open" }, wish);
    if (whole.lines.length >= wish.last) return whole;
  }
}

async function readFrom(
  mission: Mission,
  after: number,
  from: SessionCount | null,
  { last, task }: LogWish,
): Promise<LogTail & { readonly changes: number }> {
  const titleOf = (id: string) => mission.state().tasks.get(id)?.spec.title ?? "";
  const step = createTimeline({ titleOf, from });
  const isWanted = (line: Line): boolean => task === null || line.task === task;
  const lineOf = (event: Recorded): string | null => {
    const line = step(event);
    return line !== null && isWanted(line) ? line.text : null;
  };
  let lines: string[] = [];
  let position = after;
  let changes = 0;
  for await (const placed of mission.events(after, AbortSignal.abort())) {
    position = placed.position;
    if (isSessionChange(placed.event)) changes += 1;
    const line = lineOf(placed.event);
    if (line !== null) lines.push(line);
    if (lines.length > 2 * last + 1_000) lines = last === 0 ? [] : lines.slice(-last);
  }
  return { lines: last === 0 ? [] : lines.slice(-last), position, lineOf, changes };
}
