// `harness tasks`: the plan, as lines, as data or as a picture of what depends on what; takes no lock.
import { dotGraph, graphNodes, mermaidGraph, treeGraph } from "../../core/views/graph.ts";
import { statusView } from "../../core/views/status.ts";
import { failed, succeeded } from "../../protocol/failure.ts";
import type { TaskLine } from "../../protocol/view.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { noMission, withMission } from "./mission-access.ts";
import { painterFor } from "./paint.ts";
import { taskText } from "./task-text.ts";

const graphs = { tree: treeGraph, mermaid: mermaidGraph, dot: dotGraph };

export interface TasksOptions {
  readonly status?: TaskLine["status"];
  readonly graph?: keyof typeof graphs;
  readonly json?: true;
}

export async function tasks(options: TasksOptions, context: Context): Promise<ExitCode> {
  const seen = await withMission(context, async (mission) => {
    const state = await mission.refresh();
    const view = statusView(state);
    if (view === null) return failed(noMission);
    const lines = view.tasks.filter(({ status }) => options.status === undefined || status === options.status);
    return succeeded({ lines, nodes: options.graph === undefined ? [] : graphNodes(state) });
  });
  if (!seen.ok) return refuse(context, "cannot show the tasks", seen.failure);
  const { lines, nodes } = seen.value;
  const { stdout, env } = context;
  const paint = painterFor(stdout, env);
  if (options.graph !== undefined) writeLine(stdout, graphs[options.graph](nodes));
  else if (options.json) writeJson(stdout, lines);
  else if (lines.length > 0) writeLine(stdout, lines.map((task) => taskText(task, paint)).join("\n"));
  return exitCodes.done;
}
