// Rows of the runs table; written in the transaction that changes them.
import type { Event } from "../../protocol/event.ts";
import type { RunRow } from "../../protocol/view.ts";
import type { ReadonlyState } from "../state.ts";

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
  const { run, lastRun } = state;
  if (lastRun !== null && events.some((event) => event.type === "run.ended")) {
    rows.push({ ...runRow(lastRun), endedAt: lastRun.endedAt, status: lastRun.reason });
  }
  if (run !== null && events.some((event) => touching.has(event.type))) rows.push(runRow(run));
  return rows;
}

const runRow = (run: NonNullable<ReadonlyState["run"]>): RunRow => ({
  run: run.id,
  startedAt: run.startedAt,
  endedAt: null,
  status: "running",
  lanes: run.lanes,
  sessions: run.sessions,
  settled: run.settled,
});
