// No new claims from now on: asked for by a person, or what a denied mission comes to.
import type { Event } from "../../protocol/event.ts";
import { isOutsideRun } from "../../protocol/ids.ts";
import type { ReadonlyState } from "../state.ts";
import { refuse } from "./refuse.ts";

/** An outside worker has taken all it will take: there is nothing to stop. */
export const stopAll = (state: ReadonlyState, now: boolean): readonly Event[] =>
  [...state.runs.keys()].flatMap((run): Event[] =>
    isOutsideRun(run) ? [] : [{ type: "run.stopRequested", run, now }],
  );

export function stop(state: ReadonlyState, now: boolean): readonly Event[] {
  if (state.runs.size === 0) return refuse("mission.stop", "mission", "nothing is running");
  const events = stopAll(state, now);
  if (events.length > 0) return events;
  return refuse("mission.stop", "mission", "only outside workers are at work", "harness pause: they get nothing new");
}
