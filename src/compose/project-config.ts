// What a project's configuration asks for, and whether somebody accepted it.
import type { BudgetWish } from "../protocol/budget.ts";
import type { Config } from "../protocol/config.ts";
import { type Outcome, succeeded } from "../protocol/failure.ts";
import type { Integration } from "../protocol/integration.ts";
import type { Resources } from "../protocol/resources.ts";
import type { Models } from "../protocol/role.ts";
import type { Limits, WorkspaceKind } from "../protocol/task.ts";
import { type BudgetFlags, budgetWish } from "../runtime/config/budget.ts";
import { unheeded, workspaceNote } from "../runtime/config/for-run.ts";
import type { Layer } from "../runtime/config/problems.ts";
import { configOf, isFromProject, loadConfigLayers, modelsOf } from "../runtime/config.ts";
import { withheldNames } from "../runtime/environment.ts";
import { usualMemoryMb } from "../runtime/machine.ts";
import type { IntegrationChoice } from "../runtime/ports.ts";
import type { Environment, Project } from "../runtime/project.ts";
import type { Choice } from "../runtime/variants.ts";
import { type AgentNeeds, passingOf } from "./passing.ts";

/** A driver and options only it understands. */
export type AgentChoice = Choice;

export interface RunConfig {
  readonly config: Config;
  readonly models: Models;
  /** Lines on what was configured and will not be heeded, given the limits with which the mission began. */
  unheeded(limits: Limits | null): readonly string[];
  /** Lines on what a kind of workspace means that is not the usual one. */
  about(workspace: WorkspaceKind, branch: string): readonly string[];
  /** What programs may use of this machine. */
  readonly resources: Resources & { readonly memoryMb: number };
  /** What the mission is to be bounded by, flags before what is configured; `anew`: for work of its own. */
  budget(flags: BudgetFlags, anew: boolean): BudgetWish | undefined;
  /** A line on variables of the user's that this agent is not given; none if it is given all. */
  withheld(needs: AgentNeeds): readonly string[];
}

/** What a run is to go by; refused where it could not keep to it. */
export async function configForRun({ root }: Project, env: Environment): Promise<Outcome<RunConfig>> {
  const layers = await loadConfigLayers({ root, env });
  if (!layers.ok) return layers;
  const config = configOf(layers.value);
  const { memoryMb = usualMemoryMb(), ...others } = config.resources;
  return succeeded({
    config,
    models: modelsOf(config),
    unheeded: (limits) => unheeded(layers.value, limits),
    about: workspaceNote,
    resources: { ...others, memoryMb },
    budget: (flags, anew) => budgetWish(config, flags, anew),
    withheld: (needs) => withheldNote(withheldNames("agent.run", passingOf(layers.value, env, needs))),
  });
}

/** Names only: what is in them is what must not be told. */
function withheldNote(names: readonly string[]): readonly string[] {
  const [first, more] = [names.slice(0, 8).join(", "), names.length - 8];
  const rest = more > 0 ? ` and ${more} more` : "";
  return names.length === 0
    ? []
    : [`not passed to agents: ${first}${rest} of your variables (--agent-env NAME, or env in your configuration)`];
}

/** How the user's branch and the mission branch are kept together; a flag goes before what is configured. */
export function integrationOf(layers: readonly Layer[], flag: Integration | undefined): IntegrationChoice {
  const { integration, branchIsolation, validation } = configOf(layers);
  const { default: command, timeoutSeconds } = validation;
  const options = { command, timeoutMs: timeoutSeconds * 1_000 };
  return {
    mode: flag ?? integration,
    baseBranch: branchIsolation?.baseBranch ?? null,
    validation: command === null ? null : { use: "command", options },
  };
}

/** What a configuration that may have come with a clone would have us run; flags of the user are his own words. */
export function commandsOf(
  layers: readonly Layer[],
  { agent: flag, integration }: { readonly agent?: AgentChoice; readonly integration?: Integration },
): readonly string[] {
  const { agent, validation, setup, phases } = configOf(layers);
  const named = flag === undefined && agent !== undefined && isFromProject(layers, ["agent"]);
  const inherited = validation.default !== null && isFromProject(layers, ["validation", "default"]);
  const chosen = integration === undefined && isFromProject(layers, ["integration"]);
  const moves = chosen || isFromProject(layers, ["branchIsolation", "baseBranch"]);
  return [
    ...(moves ? branchMoves(integrationOf(layers, integration)) : []),
    ...(named ? [`agent of .harness/config.json: ${JSON.stringify(agent)}`] : []),
    // Whole: a variable or a shared path can make a known command do something else.
    ...(isFromProject(layers, ["setup"]) ? [`setup of .harness/config.json: ${JSON.stringify(setup)}`] : []),
    ...(judgesPhases(phases) && isFromProject(layers, ["phases"])
      ? [`phases of .harness/config.json: ${JSON.stringify(phases)}`]
      : []),
    ...(inherited ? [`validation of .harness/config.json: ${validation.default}`] : []),
  ];
}

/** Files that are looked for, and words to an agent that reads the project anyway, run nothing. */
const judgesPhases = (phases: Config["phases"]): boolean =>
  Array.isArray(phases) && phases.some(({ gate }) => gate.command !== undefined);

/** A repository must not decide that the user's branches move. */
const branchMoves = ({ mode, baseBranch }: IntegrationChoice): readonly string[] =>
  mode === "current"
    ? [`integration of .harness/config.json: each finished task moves ${baseBranch ?? "your branch"}`]
    : [];
