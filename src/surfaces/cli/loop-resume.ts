// `harness loop --resume`: a loop that was stopped goes on, with its counters (rule I4).
import { openMission, type Project } from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { RunRow } from "../../protocol/view.ts";
import { type Context, writeLine } from "./context.ts";
import type { LoopOptions } from "./loop-options.ts";
import { findProject } from "./mission-access.ts";

export interface ResumedLoop {
  readonly project: Project;
  readonly task: string;
  readonly loop: { readonly promise: string; readonly maxIterations: number };
}

export async function resumeLoop(options: LoopOptions, context: Context): Promise<Outcome<ResumedLoop>> {
  const project = await findProject(context);
  if (!project.ok) return project;
  const opened = await openMission(project.value, { env: context.env });
  if (!opened.ok) return opened;
  const mission = opened.value;
  try {
    const row = chosen(await mission.runs(), options.runId);
    if (!row.ok) return row;
    const { task } = row.value;
    const { maxIterations, completionPromise: promise } = options;
    const resumed = await mission.submit({
      type: "loop.resume",
      task,
      ...(maxIterations !== undefined && { maxIterations }),
      ...(promise !== undefined && { promise }),
    });
    if (!resumed.ok) return resumed;
    const { iterations = 0, spec } = mission.state().tasks.get(task) ?? {};
    const loop = spec?.loop ?? { promise: "", maxIterations: 0 };
    writeLine(context.stdout, `resuming ${task}: ${oneLine(spec?.title ?? "", 300)}`);
    writeLine(
      context.stdout,
      `limits   ${iterations} of ${loop.maxIterations} iterations are used; ends with the promise ${oneLine(loop.promise)}`,
    );
    return succeeded({ project: project.value, task, loop });
  } finally {
    await mission.close();
  }
}

/** A run is named by its id or the beginning of it. */
function chosen(rows: readonly RunRow[], id: string | undefined): Outcome<RunRow & { readonly task: string }> {
  const loops = rows.filter((row): row is RunRow & { task: string } => row.task !== null);
  if (id === undefined) return loops.length === 0 ? failed(noLoop) : succeeded(loops[loops.length - 1] as never);
  const found = rows.filter(({ run }) => run.startsWith(id));
  const tasks = new Set(found.map(({ task }) => task));
  if (found.length === 0) return failed(noRun(id));
  if (tasks.size > 1) return failed(several(id));
  const [row] = loops.filter(({ run }) => run.startsWith(id));
  return row === undefined ? failed(notALoop(id)) : succeeded(row);
}

const look = "harness runs shows them all";
const noLoop: Failure = { kind: "usage", message: "there was no loop here", remedy: 'harness "what to do" starts one' };
const noRun = (id: string): Failure => ({
  kind: "usage",
  message: `there was no run "${oneLine(id, 80)}"`,
  remedy: look,
});
const several = (id: string): Failure => ({
  kind: "usage",
  message: `the ids of several runs begin with "${oneLine(id, 80)}"`,
  remedy: look,
});
const notALoop = (id: string): Failure => ({
  kind: "usage",
  message: `run "${oneLine(id, 80)}" worked on no loop`,
  remedy: "harness run goes on with the plan",
});
