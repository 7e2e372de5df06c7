// When an agent's context is nearly full, and what is done about it (rule I6): it is asked to hand over and to end; one
// that goes on is ended. A context that overflows, or that the agent makes smaller by itself, loses what it knew.

import type { Context } from "../protocol/account.ts";
import type { IterationEnd } from "../protocol/agent.ts";
import { leftPaths } from "../protocol/left.ts";
import type { Cut } from "./repeats.ts";

/** Of the context: what is left then is enough for a handoff, but for nothing else. */
export const askedAt = 0.75;
/** Before agents begin to shorten what they know. */
export const endedAt = 0.9;

export type Room = "enough" | "little" | "none";

export function roomIn({ tokens, window }: Context): Room {
  if (tokens > window * endedAt) return "none";
  return tokens > window * askedAt ? "little" : "enough";
}

const share = ({ tokens, window }: Context): string =>
  `${Math.floor((tokens / window) * 100)} % of the ${window} tokens of its context were used`;

export const noRoom = (context: Context): Cut => ({
  because: "context",
  message: `it was ended when ${share(context)}`,
});

/** What the agent is told while it works. */
export const handOverText = (hasTools: boolean): string =>
  [
    "Your context is nearly full: begin nothing new.",
    "If all of your task is done, end as you were told.",
    `If not, ${hasTools ? "call the tool handoff of the server harness" : `write ${leftPaths.handoff}`} with what is done, what comes next and what must be known, and end your turn at once. Whoever goes on has this directory and what you hand over, and an empty context.`,
  ].join(" ");

/**
 * One who was asked, handed over and ended has not claimed to be done, whatever its end is called. In a loop its last
 * words tell (I2).
 */
export function afterAsking(end: IterationEnd, asked: Context, { isLoop }: { readonly isLoop: boolean }): IterationEnd {
  if (end.reason !== "finished" || isLoop) return end;
  const { account } = end;
  const message = `it handed over when ${share(asked)}`;
  return { reason: "unfinished", because: "context", message, account };
}
