// The life of a run: one process holds the mission's lanes at a time (rule L1); a dead one is replaced.
import type { Event } from "../../protocol/event.ts";
import type { RunId } from "../../protocol/ids.ts";
import type { Report } from "../../protocol/input.ts";
import type { EndReason } from "../../protocol/view.ts";
import type { ReadonlyState } from "../state.ts";
import { statsOf } from "../stats.ts";
import { refuse } from "./refuse.ts";

export function startRun(state: ReadonlyState, input: Extract<Report, { type: "run.start" }>): readonly Event[] {
  if (state.mission === null) return refuse(input.type, input.run, "there is no mission here yet", "run: harness init");
  const events: Event[] = [];
  if (state.run !== null) {
    const { pid, host } = state.run.owner;
    if (input.previousAlive) {
      return refuse(
        input.type,
        input.run,
        `Another harness session is active (pid=${pid})`,
        `wait for it, or end process ${pid} on ${host}`,
      );
    }
    events.push({ type: "run.ended", run: state.run.id, reason: "lost", detail: `pid=${pid}` });
  }
  events.push({ type: "run.started", run: input.run, owner: input.owner, lanes: input.lanes });
  return events;
}

/** The process stops, whatever the plan says. What is under way stays pending: the next run recovers it by evidence. */
export function endRun(state: ReadonlyState, input: Extract<Report, { type: "run.end" }>): readonly Event[] {
  if (state.run?.id !== input.run) return [];
  const interrupted = [...state.working].flatMap((task): Event[] => {
    const phase = state.tasks.get(task)?.phase;
    return phase?.status === "in_progress"
      ? [{ type: "attempt.interrupted", task, attempt: phase.attempt.number }]
      : [];
  });
  return [...interrupted, ...closing(state, input.run, input.reason, input.detail)];
}

export function closing(state: ReadonlyState, run: RunId, reason: EndReason, detail: string): readonly Event[] {
  return [...closingSession(state), { type: "run.ended", run, reason, detail }];
}

export const closingSession = (state: ReadonlyState): readonly Event[] =>
  state.session === null ? [] : [{ type: "session.ended", session: state.session.number, stats: statsOf(state) }];
