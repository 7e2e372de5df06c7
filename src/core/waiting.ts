// How long an agent that cannot serve is waited for (rule E), and who has to. There is one wait for an agent: whoever
// would start it joins, nobody is charged, and after a crash or a restart it still ends when it was to end.
//
// When a wait is over is told by an event, never by comparing moments: the journal's time may run ahead of the clock.
import type { IterationEnd } from "../protocol/agent.ts";
import type { Effect } from "../protocol/effect.ts";
import type { RunId, TaskId } from "../protocol/ids.ts";
import type { KeptWait, Wait, WaitKind } from "../protocol/wait.ts";
import type { DeepReadonly } from "./deep-readonly.ts";
import type { ReadonlyAttempt, ReadonlyState } from "./state.ts";

export type Delayed = Extract<IterationEnd, { reason: "delayed" }>;

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

interface Patience {
  /** The first step where nobody says until when; each further one is twice as long. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** Waits without the agent having served, and all of them together: past either the run ends. */
  readonly times: number;
  readonly inAllMs: number;
}
export const patience: Record<WaitKind, Patience> = {
  usage_limit: { firstMs: 5 * minute, mostMs: 5 * hour, times: 30, inAllMs: 31 * day },
  overloaded: { firstMs: 15_000, mostMs: 10 * minute, times: 20, inAllMs: 2 * hour },
  rate_limited: { firstMs: 30_000, mostMs: 10 * minute, times: 20, inAllMs: 2 * hour },
  network: { firstMs: 10_000, mostMs: 10 * minute, times: 20, inAllMs: 2 * hour },
};
/** After the moment that a provider names: clocks differ, and many come back right at it. */
export const marginMs = 10_000;
/** No window of a provider is longer than a week: what is said to be is asked about again. */
export const longestMs = 8 * day;

type Before = DeepReadonly<KeptWait> | undefined;

/** The next wait of the agent, or null when it was waited for long enough. */
export function nextWait(agent: string, before: Before, end: Delayed, at: number): Wait | null {
  const { kind, message } = end.failure;
  const { firstMs, mostMs, times: most, inAllMs } = patience[kind];
  const { times, waitedMs } = before?.counts[kind] ?? { times: 0, waitedMs: 0 };
  if (times >= most || waitedMs >= inAllMs) return null;
  // From half of the step to all of it.
  const guess = Math.round((Math.min(mostMs, firstMs * 2 ** times) * (1 + end.chance)) / 2);
  const delayMs = Math.min(named(end, at) ?? guess, inAllMs - waitedMs);
  const woken = afterQuiet(at + delayMs, end);
  return {
    ...{ agent, kind, message, ...woken, delayMs: woken.until - at },
    ...{ times: times + 1, waitedMs: waitedMs + delayMs },
  };
}

/** Quiet hours are nobody's trouble: they are not held against the patience there is. */
function afterQuiet(moment: number, { quiet = [] }: Delayed): Pick<Wait, "until" | "quiet"> {
  const until = quiet.reduce((late, { from, to }) => (from <= late && late < to ? to : late), moment);
  return until === moment ? { until } : { until, quiet: true };
}

/** Another lane met it first: that is one trouble, not two – but it may turn out to be longer. Null: it does not. */
export function longerWait(present: NonNullable<Before>, end: Delayed, at: number): Wait | null {
  const wanted = named(end, at);
  if (wanted === null || at + wanted <= present.until) return null;
  const { agent, kind, until, delayMs, times, waitedMs } = present;
  if (kind !== end.failure.kind) return nextWait(agent, present, end, at);
  const more = Math.min(at + wanted - until, patience[kind].inAllMs - waitedMs);
  const { message } = end.failure;
  if (more <= 0) return null;
  const woken = afterQuiet(until + more, end);
  return {
    ...{ agent, kind, message, ...woken, delayMs: delayMs + woken.until - until },
    ...{ times, waitedMs: waitedMs + more },
  };
}

/** How long until the moment that the provider named; null for none, and for one that is over already. */
const named = ({ until }: Delayed, at: number): number | null =>
  until === null || until <= at ? null : Math.min(Math.ceil(until - at) + marginMs, longestMs);

/** Of the agent that this run has; an outside worker's is its own. */
export function waitOf(state: ReadonlyState, run: RunId): Before {
  const agent = state.runs.get(run)?.agent ?? null;
  return agent === null ? undefined : state.waits.get(agent);
}

/** The wait of this run's agent that is not over, as far as the journal's time can tell. */
export function presentWait(state: ReadonlyState, run: RunId): Before {
  const wait = waitOf(state, run);
  return wait?.on === true && state.at < wait.until ? wait : undefined;
}

/** Nothing of it is under way but time: nobody has to stay for it. */
export const isAsleep = ({ stage, cancelled }: Pick<ReadonlyAttempt, "stage" | "cancelled">): boolean =>
  stage === "waiting" && !cancelled;

/** A run that is ending wakes nobody: whoever comes next goes on with it. */
export function isLeftAsleep(state: ReadonlyState, effect: Pick<Effect, "kind" | "run"> & { task?: TaskId }): boolean {
  if ((effect.kind !== "agent.wait" && effect.kind !== "budget.wait") || effect.task === undefined) return false;
  const phase = state.tasks.get(effect.task)?.phase;
  const ending = state.runs.get(effect.run)?.ending ?? null;
  return ending !== null && phase?.status === "in_progress" && isAsleep(phase.attempt);
}
