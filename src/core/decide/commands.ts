// What people and programs ask for, at any time and from any process.
import { assertNever } from "../../kit/assert-never.ts";
import type { Event } from "../../protocol/event.ts";
import type { Command } from "../../protocol/input.ts";
import type { Concurrency } from "../../protocol/task.ts";
import { isRowOver } from "../rounds-over.ts";
import type { ReadonlyState } from "../state.ts";
import { addTask } from "./add-task.ts";
import { adoptPlan } from "./adopt.ts";
import { ask, deny, grant } from "./approvals.ts";
import { recordDropped } from "./drop.ts";
import { recordAccepted } from "./integration.ts";
import { refuse } from "./refuse.ts";
import { resumeLoop } from "./resume-loop.ts";
import { editTask, resetTasks, retryTask } from "./revise.ts";
import { stop } from "./stop.ts";

type Dated = Command & { readonly at: number };

export const decideCommand = (state: ReadonlyState, command: Dated): readonly Event[] =>
  signed(answer(state, command), "by" in command ? command.by : undefined);

/** Whose word it was is part of what was said. */
const signed = (events: readonly Event[], by: string | undefined): readonly Event[] =>
  by === undefined ? events : events.map((event) => (words.has(event.type) ? ({ ...event, by } as Event) : event));
const words: ReadonlySet<Event["type"]> = new Set([
  "task.edited",
  "task.retried",
  "task.reset",
  "loop.revised",
  "approval.granted",
  "approval.denied",
  "work.accepted",
  "work.dropped",
]);

function answer(state: ReadonlyState, command: Dated): readonly Event[] {
  if (command.type === "mission.create") {
    if (state.mission !== null) return refuse(command.type, command.mission, "this project has a mission already");
    const { mission, branch, root, limits, concurrency = "exclusive" } = command;
    return [{ type: "mission.created", mission, branch, root, limits, concurrency }];
  }
  if (command.type === "plan.adopt") return adoptPlan(state, command, command.at);
  if (state.mission === null) {
    return refuse(command.type, "mission", "there is no mission here yet", "run: harness init");
  }
  switch (command.type) {
    case "mission.configure":
      return configure(state, command.concurrency);
    case "mission.place":
      return place(state, command);
    case "project.trust":
      return [{ type: "project.trusted", hash: command.hash }];
    case "trust.revoke":
      return state.runs.size > 0
        ? refuse(command.type, "mission", "a run is on, with what was accepted for it", "harness stop, then again")
        : [{ type: "trust.revoked", by: command.by }];
    case "task.add":
      return addTask(state, command.task);
    case "task.edit":
      return editTask(state, command.task, command.change);
    case "task.retry":
      return retryTask(state, command.task);
    case "task.reset":
      return resetTasks(state, command.tasks);
    case "loop.resume":
      return resumeLoop(state, command);
    case "mission.pause":
      return state.paused
        ? refuse(command.type, "mission", "the mission is paused already")
        : [{ type: "mission.paused", by: command.by }];
    case "mission.resume":
      return state.paused || isRowOver(state)
        ? [{ type: "mission.resumed", by: command.by }]
        : refuse(command.type, "mission", "the mission is not paused");
    case "mission.stop":
      return stop(state, command.now);
    case "work.accept":
      return recordAccepted(state, command.accepted);
    case "work.drop":
      return recordDropped(state, command.task, command.commit);
    case "edit.refuse":
      return [{ type: "edit.refused", task: command.task, field: command.field, why: command.why }];
    case "approval.ask":
      return ask(state, command);
    case "approval.grant":
      return grant(state, command);
    case "approval.deny":
      return deny(state, command);
    default:
      return assertNever(command);
  }
}

function configure(state: ReadonlyState, concurrency: Concurrency): readonly Event[] {
  if (state.mission?.concurrency === concurrency) return [];
  if (state.runs.size > 0 || state.working.size > 0) {
    const remedy = "end what runs, and let a run settle what is in progress, first";
    return refuse("mission.configure", "mission", `it cannot become ${concurrency} while it is worked on`, remedy);
  }
  return [{ type: "mission.configured", concurrency }];
}

/** An attempt ends where it began; and what was merged stays on the branch that later tasks build on. */
function place(
  state: ReadonlyState,
  { workspace, branch }: Extract<Command, { type: "mission.place" }>,
): readonly Event[] {
  const present = state.mission;
  if (present?.workspace === workspace && present.branch === branch) return [];
  const away = (why: string, remedy: string) => refuse("mission.place", "workspace", why, remedy);
  const now = present?.workspace ?? "clone";
  if (state.runs.size > 0 || state.working.size > 0)
    return away(
      `it cannot change from ${now} to ${workspace} while an attempt is open`,
      `let a run with --workspace ${now} settle what is in progress first`,
    );
  const isMerged = [...state.tasks.values()].some(({ phase }) => phase.status === "completed" && phase.commit !== null);
  if (isMerged && present?.branch !== branch)
    return away(
      `finished tasks of this mission are on ${present?.branch}: with ${workspace} the others would not build on them`,
      `go on with --workspace ${now}`,
    );
  return [{ type: "mission.placed", workspace, branch }];
}
