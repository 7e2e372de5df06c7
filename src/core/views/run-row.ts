// Rows of the runs table; written in the transaction that changes them (rule I4).
import type { Event } from "../../protocol/event.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
import type { RunRow } from "../../protocol/view.ts";
import type { ReadonlyRun, ReadonlyState } from "../state.ts";

const touching = new Set<Event["type"]>([
  "run.started",
  "session.started",
  "iteration.ended",
  "attempt.recovered",
  "task.completed",
  "task.failed",
  "task.returned",
]);
const touches = (event: Event): boolean =>
  touching.has(event.type) || (event.type === "effect.requested" && event.effect.kind === "agent.run");

/** The rows that `events` changed, as they are in the state that followed from them. */
export function changedRuns(state: ReadonlyState, events: readonly Event[]): readonly RunRow[] {
  const rows: RunRow[] = [];
  const { runs, lastRun } = state;
  // Of several that ended at once – lost ones – only the last is remembered by the state; the others keep their row.
  if (lastRun !== null && !isOutsideRun(lastRun.id) && events.some((event) => event.type === "run.ended")) {
    rows.push({ ...runRow(state, lastRun), endedAt: lastRun.endedAt, status: lastRun.reason });
  }
  if (!events.some(touches)) return rows;
  const live = [...runs.values()].filter(({ id }) => !isOutsideRun(id));
  return [...rows, ...live.map((run) => runRow(state, run))];
}

function runRow(state: ReadonlyState, run: ReadonlyRun): RunRow {
  const task = run.loop === null ? undefined : state.tasks.get(run.loop);
  const { nanoUsd, tokens, unknown } = run.used;
  return {
    run: run.id,
    startedAt: run.startedAt,
    endedAt: null,
    status: "running",
    lanes: run.lanes,
    sessions: run.sessions,
    settled: run.settled,
    task: task?.spec.id ?? null,
    objective: task?.spec.title ?? null,
    maxIterations: task?.spec.loop?.maxIterations ?? null,
    promise: task?.spec.loop?.promise ?? null,
    iterations: task?.iterations ?? run.iterations,
    nanoUsd,
    tokens,
    unknown,
  };
}
