// `harness run`: carries the plan's tasks until nothing is left to do, showing what happens.
import {
  type AgentChoice,
  type AgentFacts,
  configForRun,
  describeAgent,
  missingSetup,
  modelNote,
  openMission,
  type RunConfig,
  type SandboxChoice,
  settleWorkspace,
  uncommittedFiles,
} from "../../compose.ts";
import { statusView } from "../../core/views/status.ts";
import { waitText } from "../../core/views/wait-text.ts";
import type { BudgetWish } from "../../protocol/budget.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Trust } from "../../protocol/input.ts";
import type { Integration } from "../../protocol/integration.ts";
import type { SandboxMode } from "../../protocol/sandbox.ts";
import type { WorkspaceKind } from "../../protocol/task.ts";
import type { Mission } from "../../runtime/mission.ts";
import type { Doing, Said } from "../../runtime/ports.ts";
import type { Project } from "../../runtime/project.ts";
import type { RunEnd } from "../../runtime/run.ts";
import { type AgentFlags, chooseAgent, noAgent } from "./agent-choice.ts";
import {
  type Background,
  type BackgroundRun,
  backgroundRunIn,
  isForBackground,
  startInBackground,
} from "./background.ts";
import { refusalOfAgent } from "./caller.ts";
import { type Context, refuse, warningText, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitOfRun } from "./exit-codes.ts";
import { leaseSeconds, workerId } from "./holding.ts";
import { findProject } from "./mission-access.ts";
import { ownProgram } from "./own-program.ts";
import { isTerminal } from "./paint.ts";
import { endText, introText } from "./run-text.ts";
import { createRunView, type RunView } from "./run-view.ts";
import { settleAgent } from "./settle-agent.ts";
import { settleConsent } from "./settle-consent.ts";
import { settleTrust } from "./settle-trust.ts";
import { catchStopSignals } from "./stop-signals.ts";
import { agreement } from "./trust.ts";

export interface RunOptions extends AgentFlags, Background {
  readonly agentEnv?: readonly string[];
  readonly lanes?: number;
  readonly trust?: string;
  readonly trustAll?: true;
  readonly once?: true;
  readonly integration?: Integration;
  readonly workspace?: WorkspaceKind;
  readonly sandbox?: SandboxMode;
  readonly withChanges?: true;
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
  readonly maxMinutes?: number;
  /** The work has a budget of its own, whatever was said of earlier work. */
  readonly newWork?: true;
  readonly json?: true;
  /** What a run says first was said already. */
  readonly told?: true;
}

const what = "cannot run";

export async function run(options: RunOptions, context: Context): Promise<ExitCode> {
  // Accepting commands, work outside of a clone or a sandbox, or a cost is the user's word, also when an agent starts a run.
  const { trust, trustAll, workspace, withChanges, sandbox, maxCostUsd, maxTokens, maxMinutes } = options;
  const isElsewhere = ![undefined, "clone"].includes(workspace) || ![undefined, "required"].includes(sandbox);
  const isBudget = [maxCostUsd, maxTokens, maxMinutes].some((cap) => cap !== undefined);
  const isUsersWord = trust !== undefined || trustAll || withChanges || isElsewhere || isBudget;
  const agentsWord = isUsersWord ? await refusalOfAgent(context) : null;
  if (agentsWord !== null) return refuse(context, what, agentsWord);
  const flags = chooseAgent(options, context.cwd);
  if (!flags.ok) return refuse(context, what, flags.failure);
  const project = await findProject(context);
  if (!project.ok) return refuse(context, what, project.failure);
  if (isForBackground(options, context)) return startInBackground(project.value.root, context);
  const background = await backgroundRunIn(project.value.root, options, context);
  if ("kind" in background) return refuse(context, what, background);
  try {
    return await runHere(project.value, options, flags.value, { ...context, background });
  } finally {
    background.release();
  }
}

async function runHere(
  project: Project,
  options: RunOptions,
  chosen: AgentChoice | null,
  context: Context & { readonly background: BackgroundRun },
): Promise<ExitCode> {
  const { sandbox } = options;
  const plan = await settle(options, chosen, project, context);
  if (!plan.ok) return refuse(context, what, plan.failure);
  let onSaid: (said: Said) => void = () => undefined;
  let onDoing: (doing: Doing) => void = () => undefined;
  const toStderr = (text: string) => writeLine(context.stderr, text);
  let tell = toStderr;
  const opened = await openMission(project, {
    env: context.env,
    ...(chosen === null ? {} : { agent: chosen }),
    ...(options.integration === undefined ? {} : { integration: options.integration }),
    ...(plan.value.workspace === undefined ? {} : { workspace: plan.value.workspace }),
    ...(options.withChanges === undefined ? {} : { withChanges: true }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(options.agentEnv === undefined ? {} : { agentEnv: options.agentEnv }),
    // Only a terminal shows it.
    ...(options.json || !isTerminal(context.stdout, context.env)
      ? {}
      : { onSaid: (said: Said) => onSaid(said), onDoing: (doing: Doing) => onDoing(doing) }),
    onTrouble: (failure) => tell(warningText(failure)),
    program: ownProgram(),
  });
  if (!opened.ok) return refuse(context, what, opened.failure);
  const mission = opened.value;
  try {
    if (mission.state().tasks.size === 0) return refuse(context, what, nothingToDo);
    const placed = await settleWorkspace(mission, project, plan.value.workspace);
    if (!placed.ok) return refuse(context, what, placed.failure);
    if (options.withChanges && mission.state().mission?.workspace !== "in-place")
      return refuse(context, what, changesElsewhere);
    const trusted = await settleTrust(mission, project, plan.value.trust, {
      env: context.env,
      ask: async (waiting) => options.json !== true && (await agreement(waiting, context)) === "yes",
    });
    if (!trusted.ok) return refuse(context, what, trusted.failure);
    const boxed = await settleConsent(mission, context, options.json !== true);
    if (!boxed.ok) return refuse(context, what, boxed.failure);
    const checked = await settleAgent(mission, trusted.value);
    if (!checked.ok) return refuse(context, what, checked.failure);
    const found = { sandbox: boxed.value, facts: checked.value };
    if (!options.told) writeLine(forPeople(options, context), await intro(mission, project, plan.value, found));
    const view = createRunView(mission, context, { json: options.json === true });
    onSaid = view.said;
    onDoing = view.doing;
    tell = view.note;
    const watched = { view, background: context.background };
    const { end, faults } = await carry(mission, { ...plan.value, trust: trusted.value }, watched).finally(() => {
      tell = toStderr;
    });
    return await conclude(mission, { end, faults, integration: plan.value.integration }, options, context);
  } finally {
    await mission.close();
  }
}

interface RunPlan {
  readonly agent: AgentChoice;
  /** Of this agent, in a line, and what it will not heed. */
  readonly how: string;
  readonly unheard: readonly string[];
  readonly lanes: number;
  readonly trust: Trust;
  readonly once: boolean;
  readonly budget: BudgetWish | undefined;
  readonly worker: string | undefined;
  readonly leaseSeconds: number;
  readonly workspace: WorkspaceKind | undefined;
  readonly unheeded: RunConfig["unheeded"];
  readonly about: RunConfig["about"];
  readonly resources: RunConfig["resources"];
  /** A line on the user's variables that agents are not given. */
  readonly withheld: readonly string[];
  readonly integration: Integration;
  /** That the project has no set-up and needs one. */
  readonly lacks: string | null;
}

/** Flags go before what is configured. */
async function settle(
  options: RunOptions,
  chosen: AgentChoice | null,
  project: Project,
  { env }: Context,
): Promise<Outcome<RunPlan>> {
  const { lanes, trust, trustAll, once, integration, workspace, agentEnv = [], newWork = false } = options;
  const { maxCostUsd, maxTokens, maxMinutes } = options;
  const found = await configForRun(project, env);
  if (!found.ok) return found;
  const { config, models, unheeded, about, resources, withheld } = found.value;
  const agent = chosen ?? config.agent;
  if (agent === undefined) return failed(noAgent);
  const seconds = leaseSeconds(env);
  if (!seconds.ok) return seconds;
  const named = env.HARNESS_WORKER_ID === undefined ? succeeded(undefined) : workerId(env);
  if (!named.ok) return named;
  return succeeded({
    agent,
    how: describeAgent(agent, models.worker),
    unheard: modelNote(agent, models),
    lanes: lanes ?? config.lanes,
    trust: trustOf(trust, trustAll === true),
    once: once === true,
    budget: found.value.budget({ maxCostUsd, maxTokens, maxMinutes }, newWork),
    worker: named.value,
    leaseSeconds: seconds.value,
    workspace: workspace ?? config.workspace,
    unheeded,
    about,
    resources,
    withheld: withheld({ agent, agentEnv }),
    integration: integration ?? config.integration,
    lacks: await missingSetup(project, config),
  });
}

const trustOf = (hash: string | undefined, all: boolean): Trust =>
  all ? { how: "all" } : hash === undefined ? { how: "none" } : { how: "hash", hash };

const changesElsewhere = {
  kind: "usage",
  message: "--with-changes is for work in place: other workspaces begin with what is committed",
  remedy: "commit the changes, or add --workspace in-place",
} as const;

const nothingToDo = {
  kind: "usage",
  message: "the plan has no tasks",
  remedy: 'harness add "what to do" --validate "command that checks it"',
} as const;

/** Piped output is for programs: what is for people goes to standard error then. */
const forPeople = ({ json }: RunOptions, { stdout, stderr }: Context) => (json || !stdout.isTTY ? stderr : stdout);

interface Found {
  readonly sandbox: SandboxChoice;
  readonly facts: AgentFacts;
}

async function intro(mission: Mission, project: Project, plan: RunPlan, found: Found): Promise<string> {
  const { agent, how, lanes, lacks, resources } = plan;
  const { tasks, waits, mission: about } = mission.state();
  const todo = [...tasks.values()].filter(({ phase }) =>
    phase.status === "failed" ? !phase.final : phase.status === "pending" || phase.status === "in_progress",
  ).length;
  const { branch = "", workspace = "clone", limits = null } = about ?? {};
  // In place they are there, and are refused or taken along.
  const uncommitted = workspace === "in-place" ? [] : await uncommittedFiles(project);
  const configured = [...plan.unheeded(limits), ...plan.unheard, ...plan.withheld];
  // It may be over by now, which the run will see.
  const wait = waits.get(agent.use);
  const limited = wait?.on === true ? [`${waitText(wait)}, unless it is over`] : [];
  const notes = [...plan.about(workspace, branch), ...configured, ...(lacks === null ? [] : [lacks]), ...limited];
  return introText({
    agent,
    how,
    ...found,
    branch,
    lanes,
    resources,
    todo,
    total: tasks.size,
    uncommitted,
    notes,
  });
}

async function carry(
  mission: Mission,
  { lanes, trust, once, worker, leaseSeconds: seconds, budget }: RunPlan,
  { view, background }: { readonly view: RunView; readonly background: BackgroundRun },
): Promise<{ end: RunEnd; faults: readonly Failure[] }> {
  const faults: Failure[] = [];
  const watching = new AbortController();
  const stop = catchStopSignals(() => view.note("stopping – work is kept; again to stop at once"));
  const watch = async (after: number) => {
    for await (const { event } of mission.events(after, watching.signal)) {
      if (event.type === "run.faulted") faults.push(event.failure);
      background.event(event);
      view.event(event);
    }
  };
  const watched = watch(mission.state().position);
  // Awaited below; until then a rejection must not count as unhandled.
  watched.catch(() => undefined);
  try {
    const end = await mission.run({ lanes, trust, once, worker, leaseSeconds: seconds, budget }, stop.signal);
    watching.abort();
    await watched;
    return { end, faults };
  } finally {
    watching.abort();
    view.close();
    stop.release();
  }
}

interface Conclusion extends Pick<RunPlan, "integration"> {
  readonly end: RunEnd;
  readonly faults: readonly Failure[];
}

async function conclude(
  mission: Mission,
  { end, faults, integration }: Conclusion,
  options: RunOptions,
  context: Context,
): Promise<ExitCode> {
  if (!end.started) return refuse(context, what, end.failure);
  const exit = exitOfRun(end);
  const view = statusView(await mission.refresh());
  if (view === null) throw new Error("a run ended in a project without a mission");
  const { reason, detail } = end;
  const withStats = !options.json && context.stdout.isTTY;
  // Whoever told what comes first also tells what came of it.
  if (!options.told || reason !== "completed")
    writeLine(forPeople(options, context), endText({ reason, detail, view, faults, withStats, integration }));
  if (options.json) {
    const { stats, used, mission: about, tasks } = view;
    writeJson(context.stdout, { reason, detail, exit, stats, used, branch: about.branch, tasks });
  }
  return exit;
}
