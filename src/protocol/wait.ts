// Trouble of an agent that only time mends, and how long it is given (rule E).
import * as z from "zod";
import { FailureKind } from "./failure.ts";

export const WaitKind = FailureKind.extract(["usage_limit", "overloaded", "rate_limited", "network"]);
export type WaitKind = z.infer<typeof WaitKind>;

/** One for all that have the same agent, whoever met the trouble first. */
export const Wait = z.object({
  /** The name of its driver. */
  agent: z.string(),
  kind: WaitKind,
  message: z.string().max(4_000),
  /** By the wall clock – but never longer than `delayMs`, whatever that clock does meanwhile (PR-19). */
  until: z.number(),
  delayMs: z.int().nonnegative(),
  /** Waits of this kind, this one included, since the agent served last. */
  times: z.int().positive(),
  /** All of them together, this one included. */
  waitedMs: z.int().nonnegative(),
});
export type Wait = z.infer<typeof Wait>;

/** As the state keeps it. Each kind has a count of its own: hours of a limit are not held against a lost connection. */
export interface KeptWait extends Wait {
  /** It is not over yet. */
  on: boolean;
  counts: Readonly<Partial<Record<WaitKind, Pick<Wait, "times" | "waitedMs">>>>;
}

const agent = z.string();
export const waitFacts = {
  /** Until it is over nobody starts this agent; told again when it turns out to be longer. */
  "wait.started": Wait,
  "wait.ended": z.object({ agent }),
  /** The agent serves again, or it was waited for as long as it may be: the next wait is the first of its row. */
  "wait.cleared": z.object({ agent }),
} as const;
