// Before a cent is spent: who would work, how the work is judged, how that stands now – and one key to start.
import {
  type AgentChoice,
  configForRun,
  describeAgent,
  detectProject,
  findClaudeCode,
  modelNote,
  type OpenedMission,
  openMission,
  type Project,
  type RunConfig,
  uncommittedFiles,
} from "../../compose.ts";
import { capsText } from "../../core/views/budget.ts";
import type { Config } from "../../protocol/config.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Loop } from "../../protocol/task.ts";
import type { AgentFlags } from "./agent-choice.ts";
import { asking, canAsk } from "./ask.ts";
import { type Context, writeLine } from "./context.ts";
import { pressedKey } from "./keys.ts";
import { judged, mayTry, offeredSetup, validationOf } from "./loop-baseline.ts";
import type { LoopOptions } from "./loop-options.ts";
import { phasesFor } from "./loop-phases.ts";
import { type Named, startText } from "./loop-text.ts";
import { settleAgent } from "./settle-agent.ts";
import { settleConsent } from "./settle-consent.ts";
import { settleTrust } from "./settle-trust.ts";
import { agreement } from "./trust.ts";

export interface LoopWish {
  readonly objective: string;
  readonly loop: Loop;
  readonly chosen: AgentChoice | null;
  readonly options: LoopOptions;
}
export interface StartedLoop {
  readonly task: string;
  /** How the run is told who works. */
  readonly agent: AgentFlags;
}

/** Null: the person left. */
export async function prepareLoop(
  project: Project,
  wish: LoopWish,
  context: Context,
): Promise<Outcome<StartedLoop | null>> {
  const { options, chosen } = wish;
  const found = await configForRun(project, context.env);
  if (!found.ok) return found;
  const agent = await agentFor(chosen ?? found.value.config.agent, context);
  if (!agent.ok) return agent;
  const validation = await validationFor(options, found.value.config, project, context);
  if (!validation.ok) return validation;
  if (validation.value === "left") return succeeded(null);
  const phases = phasesFor(options.phases, found.value.config, validation.value?.command);
  if (!phases.ok) return phases;
  const loop = { ...wish.loop, ...(phases.value !== undefined && { phases: phases.value }) };
  const opened = await openMission(project, {
    env: context.env,
    agent: agent.value,
    ...(options.agentEnv === undefined ? {} : { agentEnv: options.agentEnv }),
    ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
  });
  if (!opened.ok) return opened;
  const mission = opened.value;
  const { maxCostUsd, maxTokens, maxMinutes } = options;
  const budget = found.value.budget({ maxCostUsd, maxTokens, maxMinutes }, true);
  const caps = capsText({ nanoUsd: null, tokens: null, ms: null, ...budget });
  const about = { agent: agent.value, models: found.value.models, caps };
  try {
    const busy = unfinishedIn(mission);
    if (busy !== null) return failed(busy);
    const isIt = await screen(mission, project, { ...wish, ...about, loop, validation: validation.value }, context);
    if (!isIt.ok || !isIt.value) return isIt.ok ? succeeded(null) : isIt;
    const added = await addLoop(mission, { ...wish, loop }, validation.value);
    if (!added.ok) return added;
    const flag = chosen === null && found.value.config.agent === undefined ? { agent: "claude-code" as const } : {};
    return succeeded({ task: added.value, agent: flag });
  } finally {
    await mission.close();
  }
}

/** As chosen or configured; else the one that is there. */
async function agentFor(choice: AgentChoice | undefined, { env, cwd }: Context): Promise<Outcome<AgentChoice>> {
  if (choice !== undefined) return succeeded(choice);
  return (await findClaudeCode(env, cwd)) ? succeeded({ use: "claude-code", options: {} }) : failed(noAgent);
}

const noAgent: Failure = {
  kind: "usage",
  message: "no agent was found: there is no program claude on the PATH",
  remedy: "install Claude Code, or name your agent: --agent-command 'your-agent …'",
};

/** By flag, as configured, as the project names it, or as the person says. Null: there is none, and its agent's word counts (I2). */
async function validationFor(
  { validate, yes: isQuiet }: LoopOptions,
  { validation }: Config,
  { root }: Project,
  context: Context,
): Promise<Outcome<Named | null | "left">> {
  if (validate !== undefined)
    return validate.trim() === "" ? failed(noCheck) : succeeded({ command: validate, from: "--validate" });
  if (validation.default !== null) return succeeded({ command: validation.default, from: "as configured" });
  const candidate = (await detectProject(root)).candidates.find((one) => one.validation !== null);
  if (candidate?.validation != null)
    return succeeded({ command: candidate.validation, from: `found: ${candidate.kind}` });
  if (isQuiet || !canAsk(context)) return succeeded(null);
  const question = "Which command says whether it is done (none: the agent's word)";
  const answer = await asking(context, ({ ask }) => ask(question, "", (text) => text));
  if (answer === null) return succeeded("left");
  return succeeded(answer === "" ? null : { command: answer, from: "as you said" });
}

const noCheck: Failure = {
  kind: "usage",
  message: "--validate is empty",
  remedy: '--validate "command that checks it"',
};

/** Another plan is under way: a run would go on with that, too. */
function unfinishedIn(mission: OpenedMission): Failure | null {
  const { tasks, runs } = mission.state();
  const open = [...tasks.values()].filter(({ phase }) =>
    phase.status === "failed" ? !phase.final : phase.status === "pending" || phase.status === "in_progress",
  ).length;
  if (open === 0 && runs.size === 0) return null;
  return {
    kind: "usage",
    message: `there is unfinished work here: ${open === 1 ? "1 task" : `${open} tasks`}`,
    remedy: 'harness run goes on with it; harness add "what to do" puts this behind it',
  };
}

interface Screened extends LoopWish {
  readonly agent: AgentChoice;
  readonly models: RunConfig["models"];
  /** Null: nothing checks it. */
  readonly validation: Named | null;
  readonly caps: string;
}

/** Whether to start. */
async function screen(
  mission: OpenedMission,
  project: Project,
  { objective, loop, agent, models, validation, caps, options }: Screened,
  context: Context,
): Promise<Outcome<boolean>> {
  const { stdout } = context;
  const mayAsk = options.yes !== true;
  const trusted = await settleTrust(
    mission,
    project,
    { how: "none" },
    {
      env: context.env,
      ask: async (waiting) => mayAsk && (await agreement(waiting, context)) === "yes",
    },
  );
  if (!trusted.ok) return trusted;
  if (trusted.value.how === "none" && (await mission.untrusted()) !== null) return failed(notAccepted);
  const boxed = await settleConsent(mission, context, mayAsk);
  if (!boxed.ok) return boxed;
  const checked = await settleAgent(mission, trusted.value);
  if (!checked.ok) return checked;
  // It is there for the check; an agent can set up what it needs itself.
  const setup = validation === null ? succeeded(null) : await offeredSetup(project, context);
  if (!setup.ok) return setup;
  const isTried = validation !== null && (await mayTry(validation, setup.value, mayAsk, context));
  if (isTried === null) return succeeded(false);
  if (isTried && setup.value !== null) await setup.value.write();
  const baseline =
    isTried && validation !== null ? await judged(mission, validation, options, context) : succeeded(null);
  if (!baseline.ok) return baseline;
  const branch = mission.state().mission?.branch ?? "";
  const uncommitted = await uncommittedFiles(project);
  const found = { facts: checked.value, sandbox: boxed.value, branch, baseline: baseline.value, uncommitted };
  const how = describeAgent(agent, models.worker);
  const notes = modelNote(agent, models);
  writeLine(
    stdout,
    startText({
      objective,
      agent,
      how,
      loop,
      outputs: options.output ?? [],
      validation,
      setup: setup.value,
      withChanges: options.withChanges === true,
      caps,
      notes,
      ...found,
    }),
  );
  if (!mayAsk) return succeeded(true);
  writeLine(stdout, "\nEnter starts, q leaves");
  return succeeded((await pressedKey(context, ["\r"])) !== null);
}

const notAccepted: Failure = {
  kind: "trust",
  message: "the project brings commands that were not accepted",
  remedy: "harness trust accept, then start again",
};

async function addLoop(
  mission: OpenedMission,
  { objective, loop, options }: LoopWish,
  check: Named | null,
): Promise<Outcome<string>> {
  const [first = objective] = objective.split("\n");
  const title = first.length <= 200 ? first : `${first.slice(0, 199)}…`;
  const added = await mission.submit({
    type: "task.add",
    task: {
      title,
      kind: "feature",
      loop,
      validation: check === null ? null : validationOf(check.command, options.timeout),
      outputs: options.output,
      ...(title === objective ? {} : { description: objective }),
    },
  });
  if (!added.ok) return added;
  const event = added.value.find((recorded) => recorded.type === "task.added");
  if (event === undefined) throw new Error("task.add was accepted without a task.added");
  return succeeded(event.spec.id);
}
