// What the agent of a task would be given now.
import { briefParts, workerText } from "../core/brief.ts";
import type { BriefPart } from "../core/smaller-brief.ts";
import type { ReadonlyTask } from "../core/state.ts";
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";
import type { TaskId } from "../protocol/ids.ts";
import type { Place } from "./start-run.ts";

export interface NextBrief {
  readonly task: TaskId;
  readonly iteration: number;
  /** Its role first. */
  readonly parts: readonly BriefPart[];
}

export async function nextBrief({ journal, ports }: Place, id: TaskId): Promise<Outcome<NextBrief>> {
  await journal.catchUp();
  const state = journal.state();
  const task = state.tasks.get(id);
  if (task === undefined)
    return failed({ kind: "usage", message: `there is no task "${id}"`, remedy: "harness tasks shows them all" });
  const driver = ports.driver();
  const role = { name: "role", text: workerText(driver.ok && driver.value.offersTools === true) };
  const iteration = iterationOf(task);
  const parts = briefParts(state, id, iteration, { shown: ports.redactor.redact });
  return succeeded({ task: id, iteration, parts: [role, ...parts] });
}

/** The one that is on, or else the next. */
function iterationOf({ phase }: ReadonlyTask): number {
  if (phase.status !== "in_progress") return 1;
  const { iteration, stage } = phase.attempt;
  return stage === "working" ? Math.max(1, iteration) : iteration + 1;
}
