// The one door of policy: an input in, facts out. Total, synchronous, and without clock, random or I/O.
import { assertNever } from "../../kit/assert-never.ts";
import type { Event } from "../../protocol/event.ts";
import type { Input } from "../../protocol/input.ts";
import { evolve } from "../evolve/evolve.ts";
import type { ReadonlyState, State } from "../state.ts";
import { timePassed } from "./budget.ts";
import { decideCommand } from "./commands.ts";
import { advance } from "./mission-loop.ts";
import { decideOutsideReport } from "./outside.ts";
import { endRun, loseRuns, startRun } from "./run.ts";
import { decideEffectReport } from "./task-loop.ts";

export function decide(state: ReadonlyState, input: Input): readonly Event[] {
  switch (input.type) {
    case "mission.create":
    case "mission.configure":
    case "mission.place":
    case "plan.adopt":
    case "project.trust":
    case "trust.revoke":
    case "task.add":
    case "task.edit":
    case "task.retry":
    case "task.reset":
    case "loop.resume":
    case "mission.pause":
    case "mission.resume":
    case "mission.stop":
    case "edit.refuse":
    case "work.accept":
    case "work.drop":
    case "approval.ask":
    case "approval.grant":
    case "approval.deny":
      return decideCommand(state, input);
    case "run.start":
      return startRun(state, input);
    case "run.end":
      return endRun(state, input);
    case "time.pass":
      return timePassed(state, input.run, input.ms);
    case "run.tick":
      return loseRuns(state, input.gone);
    case "effect.answer":
    case "process.start":
    case "agent.speak":
    case "agent.checkpoint":
    case "agent.tell":
      return decideEffectReport(state, input);
    case "claim.checkpoint":
    case "claim.finish":
    case "claim.fail":
      return decideOutsideReport(state, input);
    case "advance":
      return advance(state, input.run);
    default:
      return assertNever(input);
  }
}

/** What was refused has no consequences, not even a second look at the plan. */
const isRefused = (events: readonly Event[]): boolean => events[0]?.type === "input.refused";

/** More follow-ups than any decision needs: reaching it is a bug, and looping for ever under the journal's lock a worse one. */
const followUpBound = 100_000;

/**
 * All that follows from one input, applied to `state` as it is decided. The mission loop goes on only in the name
 * of the live run: a command of another process records what was asked, the run acts on it.
 */
export function react(state: State, input: Input): readonly Event[] {
  const all: Event[] = [];
  let next = decide(state, input);
  const run = "run" in input ? input.run : undefined;
  for (let turn = 0; ; turn++) {
    if (turn > followUpBound) throw new Error(`no end of follow-ups to ${input.type}`);
    for (const event of next) {
      evolve(state, { ...event, at: input.at });
      all.push(event);
    }
    if (turn > 0 && next.length === 0) return all;
    if (run === undefined || !state.runs.has(run) || isRefused(all)) return all;
    next = decide(state, { type: "advance", run, at: input.at });
  }
}
