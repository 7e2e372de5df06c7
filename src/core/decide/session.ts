// Sessions: what comes before one is counted, and what follows when it has used its tasks (rules S1, S2, A3).
import type { Event } from "../../protocol/event.ts";
import type { RunId, TaskId } from "../../protocol/ids.ts";
import type { ReadonlyRun, ReadonlyState } from "../state.ts";
import { statsOf } from "../stats.ts";
import { closing, closingSession } from "./run.ts";

export function openSession(
  state: ReadonlyState,
  { id: run, ending, initScript, sessions }: ReadonlyRun,
): readonly Event[] {
  // A fault before the session was counted: nothing is under way that could be waited for.
  if (ending !== null) return closing(state, run, ending.reason, ending.detail);
  const limit = state.mission?.limits.maxSessions ?? 0;
  if (state.sessions >= limit) {
    const taken: Event = { type: "stats.taken", stats: statsOf(state) };
    const isDone = state.counts.completed === state.tasks.size;
    return [taken, ...(isDone ? closing(state, run, "completed", "") : closing(state, run, "limit", usedUp(limit)))];
  }
  if (initScript && !state.preparation.passed) return prepare(state, run);
  const started: Event = { type: "session.started", session: state.sessions + 1 };
  // Who holds it back is asked how it is judged.
  const unjudged = [...state.unjudged].find((task) => state.tasks.get(task)?.holds === 0);
  // Said before any agent is paid for (A3); later additions are caught when they would be claimed.
  if (unjudged !== undefined && sessions === 0) return [started, missingValidation(run, unjudged)];
  return [started];
}

/** Recovery runs validations too, so the environment is asked about before anything else. */
function prepare(state: ReadonlyState, run: RunId): readonly Event[] {
  const { effect } = state.preparation;
  const fence = state.fence + 1;
  if (effect !== null) {
    // Whoever asked for it is at it; what a dead one left unanswered is asked again.
    const asker = state.pending.get(effect)?.effect.run;
    return asker !== undefined && state.runs.has(asker) ? [] : [{ type: "effect.adopted", id: effect, run, fence }];
  }
  const session = state.sessions + 1;
  const id = `session/${session}/${fence}/session.prepare`;
  return [{ type: "effect.requested", effect: { id, run, fence, kind: "session.prepare", session } }];
}

export function endSession(state: ReadonlyState, run: RunId): readonly Event[] {
  const limit = state.mission?.limits.maxSessions ?? 0;
  if (state.sessions >= limit) return closing(state, run, "limit", usedUp(limit));
  return closingSession(state);
}

const usedUp = (limit: number): string => `all ${limit} sessions are used (max_sessions)`;

export const missingValidation = (run: RunId, task: TaskId): Event => ({
  type: "run.faulted",
  run,
  task,
  failure: {
    kind: "config",
    message: `Missing validation.command: nothing could judge ${task}`,
    remedy: `harness edit ${task} --validate CMD`,
  },
});
