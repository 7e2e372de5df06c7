// `harness run`: carries the plan's tasks until nothing is left to do, showing what happens.
import { type AgentChoice, locateProject, openMission, uncommittedFiles } from "../../compose.ts";
import { statusView } from "../../core/views/status.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Mission } from "../../runtime/mission.ts";
import type { Said } from "../../runtime/ports.ts";
import type { Project } from "../../runtime/project.ts";
import type { RunEnd } from "../../runtime/run.ts";
import { type AgentFlags, chooseAgent } from "./agent-choice.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitOfRun } from "./exit-codes.ts";
import { endText, introText } from "./run-text.ts";
import { createRunView, type RunView } from "./run-view.ts";
import { catchStopSignals } from "./stop-signals.ts";

export interface RunOptions extends AgentFlags {
  readonly lanes: number;
  readonly json?: true;
}

const what = "cannot run";

export async function run(options: RunOptions, context: Context): Promise<ExitCode> {
  const agent = chooseAgent(options, context.cwd);
  if (!agent.ok) return refuse(context, what, agent.failure);
  const project = await locateProject(context.cwd, context.env, context.root);
  if (!project.ok) return refuse(context, what, project.failure);
  let onSaid: (said: Said) => void = () => undefined;
  const opened = await openMission(project.value, {
    env: context.env,
    agent: agent.value,
    onSaid: (said) => onSaid(said),
  });
  if (!opened.ok) return refuse(context, what, opened.failure);
  const mission = opened.value;
  try {
    if (mission.state().tasks.size === 0) return refuse(context, what, nothingToDo);
    writeLine(forPeople(options, context), await intro(mission, project.value, agent.value, options));
    const view = createRunView(mission, context, { json: options.json === true });
    onSaid = view.said;
    const { end, faults } = await carry(mission, options.lanes, view);
    return await conclude(mission, end, faults, options, context);
  } finally {
    await mission.close();
  }
}

const nothingToDo = {
  kind: "config",
  message: "the plan has no tasks",
  remedy: 'harness add "what to do" --validate "command that checks it"',
} as const;

/** Piped output is for programs: what is for people goes to standard error then. */
const forPeople = ({ json }: RunOptions, { stdout, stderr }: Context) => (json || !stdout.isTTY ? stderr : stdout);

async function intro(mission: Mission, project: Project, agent: AgentChoice, { lanes }: RunOptions): Promise<string> {
  const { tasks, mission: about } = mission.state();
  const todo = [...tasks.values()].filter(({ phase }) =>
    phase.status === "failed" ? !phase.final : phase.status === "pending" || phase.status === "in_progress",
  ).length;
  const uncommitted = await uncommittedFiles(project);
  return introText({ agent, branch: about?.branch ?? "", lanes, todo, total: tasks.size, uncommitted });
}

async function carry(
  mission: Mission,
  lanes: number,
  view: RunView,
): Promise<{ end: RunEnd; faults: readonly Failure[] }> {
  const faults: Failure[] = [];
  const watching = new AbortController();
  const stop = catchStopSignals(() => view.note("stopping – work is kept; again to stop at once"));
  const watch = async (after: number) => {
    for await (const { event } of mission.events(after, watching.signal)) {
      if (event.type === "run.faulted") faults.push(event.failure);
      view.event(event);
    }
  };
  const watched = watch(mission.state().position);
  // Awaited below; until then a rejection must not count as unhandled.
  watched.catch(() => undefined);
  try {
    const end = await mission.run({ lanes }, stop.signal);
    watching.abort();
    await watched;
    return { end, faults };
  } finally {
    watching.abort();
    view.close();
    stop.release();
  }
}

async function conclude(
  mission: Mission,
  end: RunEnd,
  faults: readonly Failure[],
  options: RunOptions,
  context: Context,
): Promise<ExitCode> {
  if (!end.started) return refuse(context, what, end.failure);
  const exit = exitOfRun(end);
  const view = statusView(await mission.refresh());
  if (view === null) throw new Error("a run ended in a project without a mission");
  const { reason, detail } = end;
  const withStats = !options.json && context.stdout.isTTY;
  writeLine(forPeople(options, context), endText({ reason, detail, view, faults, withStats }));
  if (options.json) {
    const { stats, mission: about, tasks } = view;
    writeJson(context.stdout, { reason, detail, exit, stats, branch: about.branch, tasks });
  }
  return exit;
}
