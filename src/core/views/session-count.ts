// Which session a line of the log belongs to: before a session is counted, lines carry the next number (N2).
import type { Event } from "../../protocol/event.ts";

export interface SessionCount {
  readonly counted: number;
  /** `closing`: the session has just ended; the end of its run still belongs to it. */
  readonly phase: "none" | "open" | "closing";
}

export const noSession: SessionCount = { counted: 0, phase: "none" };

const changing: readonly Event["type"][] = ["session.started", "session.ended", "plan.adopted", "run.ended"];

/** Whether events before and after this one may belong to different sessions. */
export const isSessionChange = ({ type }: Event): boolean => changing.includes(type);

/** The number of the event's line, and the count after it. */
export function countSession(before: SessionCount, event: Event): { number: number; after: SessionCount } {
  const { counted, phase } = before;
  switch (event.type) {
    case "session.started":
      return { number: event.session, after: { counted: event.session, phase: "open" } };
    case "session.ended":
      return { number: counted, after: { counted, phase: "closing" } };
    case "plan.adopted":
      return { number: event.sessions + 1, after: { counted: event.sessions, phase: "none" } };
    case "run.ended": {
      // A lost run's end is recorded, and told, by the run that follows it.
      const belongs = event.reason !== "lost" && phase !== "none";
      return { number: belongs ? counted : counted + 1, after: { counted, phase: "none" } };
    }
    default:
      return phase === "open"
        ? { number: counted, after: before }
        : { number: counted + 1, after: { counted, phase: "none" } };
  }
}

export function isSessionCount(value: unknown): value is SessionCount {
  const count = value as Partial<Record<keyof SessionCount, unknown>> | null | undefined;
  return (
    typeof count === "object" &&
    count !== null &&
    Number.isSafeInteger(count.counted) &&
    ["none", "open", "closing"].includes(String(count.phase))
  );
}
