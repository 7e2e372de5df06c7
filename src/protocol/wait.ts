// Trouble of an agent that only time mends, and how long it is given (rule E).
import * as z from "zod";
import { FailureKind } from "./failure.ts";

export const WaitKind = FailureKind.extract(["usage_limit", "overloaded", "rate_limited", "network"]);
export type WaitKind = z.infer<typeof WaitKind>;

/** A stretch of time; its end is no part of it. */
export const Period = z.object({ from: z.number(), to: z.number() });
export type Period = z.infer<typeof Period>;

/** Of each day, by the clock on the wall; the end may be on the next day. */
export const QuietHours = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, 'must be two times of day, such as "22:00-07:00"')
  .refine((hours) => hours.slice(0, 5) !== hours.slice(6), "must not begin when they end");

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
  /** All of them together, this one included, without what was quiet hours' doing. */
  waitedMs: z.int().nonnegative(),
  /** It would have ended in quiet hours, and ends when they do. */
  quiet: z.literal(true).optional(),
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
