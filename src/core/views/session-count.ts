// Which session a line of the log belongs to: before a session is counted, lines carry the next number (N2).
import type { Event } from "../../protocol/event.ts";
import { isOutsideRun } from "../../protocol/ids.ts";

export interface SessionCount {
  readonly counted: number;
  /** `closing`: the session has just ended; the end of its run still belongs to it. */
  readonly phase: "none" | "open" | "closing";
  /** Runs that have not ended. */
  readonly runs: number;
}

export const noSession: SessionCount = { counted: 0, phase: "none", runs: 0 };

const changing: readonly Event["type"][] = ["session.started", "session.ended", "plan.adopted", "run.ended"];

/** Whether events before and after this one may belong to different sessions. */
export const isSessionChange = ({ type }: Event): boolean => changing.includes(type);

/** The number of the event's line, and the count after it. */
export function countSession(before: SessionCount, event: Event): { number: number; after: SessionCount } {
  const { counted, phase, runs } = before;
  switch (event.type) {
    case "session.started":
      return { number: event.session, after: { counted: event.session, phase: "open", runs } };
    case "session.ended":
      return { number: counted, after: { counted, phase: "closing", runs } };
    case "plan.adopted":
      return { number: event.sessions + 1, after: { counted: event.sessions, phase: "none", runs } };
    case "run.started": {
      const next = phase === "open" ? phase : "none";
      return { number: next === "open" ? counted : counted + 1, after: { counted, phase: next, runs: runs + 1 } };
    }
    case "run.ended": {
      const left = Math.max(0, runs - 1);
      // As in the state: what others, an outside worker or a batch leave open stays open.
      const stays = phase === "open" && (left > 0 || isOutsideRun(event.run) || event.reason === "batch");
      // Else a lost run's end is recorded, and told, by the run that follows it.
      const belongs = stays || (event.reason !== "lost" && event.reason !== "lapsed" && phase !== "none");
      return {
        number: belongs ? counted : counted + 1,
        after: { counted, phase: stays ? "open" : "none", runs: left },
      };
    }
    default:
      return phase === "open"
        ? { number: counted, after: before }
        : { number: counted + 1, after: { counted, phase: "none", runs } };
  }
}

export function isSessionCount(value: unknown): value is SessionCount {
  const count = value as Partial<Record<keyof SessionCount, unknown>> | null | undefined;
  return (
    typeof count === "object" &&
    count !== null &&
    Number.isSafeInteger(count.counted) &&
    Number.isSafeInteger(count.runs) &&
    ["none", "open", "closing"].includes(String(count.phase))
  );
}
