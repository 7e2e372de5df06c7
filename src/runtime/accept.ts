// Accepting: what is asked for is checked against the plan, done by the workspaces, and recorded.
import type { ReadonlyState } from "../core/state.ts";
import { type Failure, failed, type Outcome, succeeded } from "../protocol/failure.ts";
import type { TaskId } from "../protocol/ids.ts";
import type { Accepted } from "../workspaces/branch-keeping.ts";
import { refusalIn } from "./journal.ts";
import type { Place } from "./start-run.ts";

export interface AcceptWish {
  /** Empty: everything that is finished. */
  readonly tasks: readonly TaskId[];
  readonly squash: boolean;
  /** Who asked, for the record. */
  readonly by: string;
}

export async function acceptFinished(place: Place, { tasks, squash, by }: AcceptWish): Promise<Outcome<Accepted>> {
  const { journal, ports } = place;
  await journal.catchUp();
  const state = journal.state();
  const refused = tasks.map((task) => refusalOf(state, task, tasks)).find((failure) => failure !== null);
  if (refused !== undefined && refused !== null) return failed(refused);
  const isLeft = [...state.tasks.values()].some(({ phase, dropped }) => phase.status === "completed" && !dropped);
  if (!isLeft && [...state.tasks.values()].some(({ dropped }) => dropped)) return failed(allDropped);
  const mission = state.mission?.id ?? "";
  const wanted = tasks.length === 0 ? null : tasks;
  const accepted = await ports.workspaces.accept({
    mission,
    tasks: wanted,
    squash,
    branch: null,
    otherwise: "checked-out",
  });
  if (!accepted.ok) return accepted;
  // Its commits come along, and what took it back comes after them.
  const brought = accepted.value.tasks.filter((task) => (state.tasks.get(task)?.dropped ?? null) === null);
  const value = { ...accepted.value, tasks: brought };
  // Named by what was done: asked for again after a crash it is recorded once.
  const id = `accept/${value.branch}/${value.commit}/${value.tasks.length}`;
  const events = await journal.transact({ type: "work.accept", accepted: value, by }, id);
  const failure = refusalIn(events);
  return failure === null ? succeeded(value) : failed(failure);
}

const allDropped: Failure = { kind: "usage", message: "all finished work was dropped" };

function refusalOf(state: ReadonlyState, id: TaskId, all: readonly TaskId[]) {
  const task = state.tasks.get(id);
  if (task === undefined)
    return { kind: "usage", message: `there is no task "${id}"`, remedy: "harness tasks shows them all" } as const;
  const { status } = task.phase;
  if (status !== "completed") {
    return { kind: "usage", message: `${id} is ${status}: only finished work can be accepted` } as const;
  }
  if (task.dropped !== null) return { kind: "usage", message: `${id} was dropped` } as const;
  // In place it is in the user's branch since it was merged.
  if (state.mission?.workspace === "in-place") return null;
  const missing = task.spec.dependsOn.filter((other) => {
    const needed = state.tasks.get(other);
    // What was completed before we knew it is in the user's branch already.
    const isOurs = needed?.phase.status === "completed" && needed.phase.commit !== null;
    return isOurs && needed.accepted === null && !all.includes(other);
  });
  if (missing.length === 0) return null;
  const message = `${id} builds on ${missing.join(", ")}, which your branch does not have yet`;
  return { kind: "dependency", message, remedy: `harness accept ${[...missing, ...all].join(" ")}` } as const;
}
