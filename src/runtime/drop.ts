// Dropping: finished work that the user does not want is taken out of the mission branch, and that is recorded.
import { workToDrop } from "../core/decide/drop.ts";
import { failed, type Outcome } from "../protocol/failure.ts";
import type { TaskId } from "../protocol/ids.ts";
import type { Dropped } from "../workspaces/branch-keeping.ts";
import { refusalIn } from "./journal.ts";
import type { Place } from "./start-run.ts";

export interface DropWish {
  readonly task: TaskId;
  /** Who asked, for the record. */
  readonly by: string;
}

export async function dropFinished({ journal, ports }: Place, { task, by }: DropWish): Promise<Outcome<Dropped>> {
  await journal.catchUp();
  const state = journal.state();
  const work = workToDrop(state, task);
  if (typeof work !== "string") return failed(work);
  const message = `Drop ${task}: ${state.tasks.get(task)?.spec.title ?? ""}`;
  const dropped = await ports.workspaces.drop({ commit: work, message });
  if (!dropped.ok) return dropped;
  const { commit } = dropped.value;
  // Named by what was done: asked for again after a crash it is recorded once.
  const events = await journal.transact({ type: "work.drop", task, commit, by }, `drop/${task}/${commit}`);
  const failure = refusalIn(events);
  return failure === null ? dropped : failed(failure);
}
