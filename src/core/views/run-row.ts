// Rows of the runs table; written in the transaction that changes them.
import type { Event } from "../../protocol/event.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
import type { RunRow } from "../../protocol/view.ts";
import type { ReadonlyRun, ReadonlyState } from "../state.ts";

const touching = new Set<Event["type"]>([
  "run.started",
  "session.started",
  "task.completed",
  "task.failed",
  "task.returned",
]);

/** The rows that `events` changed, as they are in the state that followed from them. */
export function changedRuns(state: ReadonlyState, events: readonly Event[]): readonly RunRow[] {
  const rows: RunRow[] = [];
  const { runs, lastRun } = state;
  // Of several that ended at once – lost ones – only the last is remembered by the state; the others keep their row.
  if (lastRun !== null && !isOutsideRun(lastRun.id) && events.some((event) => event.type === "run.ended")) {
    rows.push({ ...runRow(lastRun), endedAt: lastRun.endedAt, status: lastRun.reason });
  }
  if (!events.some((event) => touching.has(event.type))) return rows;
  return [...rows, ...[...runs.values()].filter(({ id }) => !isOutsideRun(id)).map(runRow)];
}

const runRow = (run: ReadonlyRun): RunRow => ({
  run: run.id,
  startedAt: run.startedAt,
  endedAt: null,
  status: "running",
  lanes: run.lanes,
  sessions: run.sessions,
  settled: run.settled,
});
