// What becomes of an agent's end in the journal, which knows fewer kinds of failures than agents do.
import { oneLine } from "../../kit/escape.ts";
import type { AgentEnd, AgentTrouble, IterationEnd } from "../../protocol/agent.ts";
import { type Failure, FailureKind } from "../../protocol/failure.ts";
import { WaitKind } from "../../protocol/wait.ts";

/** What a fresh context mends gets one; the others have the remedy of a kind that the journal knows. */
const standIns: Record<AgentTrouble, Failure["kind"] | "fresh context" | "smaller brief"> = {
  billing: "auth",
  context_overflow: "smaller brief",
  output_overflow: "task_exec",
  refused: "task_exec",
  turns_used_up: "fresh context",
  budget_used_up: "fresh context",
  tools_denied: "config",
};

/** Drawn and looked up anew for each end. */
export type Moment = Pick<Extract<IterationEnd, { reason: "delayed" }>, "chance" | "quiet">;

/** A lost agent has no end to keep: null, and its workspace is looked at instead. */
export function iterationEnd(end: AgentEnd, moment: Moment): IterationEnd | null {
  const { account } = end;
  switch (end.reason) {
    case "failed": {
      const { kind, ...told } = end.failure;
      const delay = WaitKind.safeParse(kind);
      if (delay.success)
        return { reason: "delayed", failure: { ...told, kind: delay.data }, until: null, ...moment, account };
      const known = FailureKind.safeParse(kind);
      const standIn = known.success ? known.data : standIns[kind as AgentTrouble];
      if (standIn === "smaller brief")
        return { reason: "unfinished", because: "overflow", message: told.message, account };
      if (standIn === "fresh context") return { reason: "unfinished", message: told.message, account };
      return { reason: "failed", failure: { ...told, kind: standIn }, account };
    }
    case "limited": {
      const { until } = end;
      const message = `the agent has reached a limit of its provider: ${oneLine(end.message, 500)}`;
      return { reason: "delayed", failure: { kind: "usage_limit", message, remedy: later }, until, ...moment, account };
    }
    case "stalled":
      return {
        reason: "failed",
        failure: { kind: end.empty ? "stuck" : "timeout", message: oneLine(end.message, 1_000) },
        account,
      };
    case "lost":
      return null;
    default:
      return end;
  }
}

const later = "see the limits of your account, or choose another agent; then: harness run";
