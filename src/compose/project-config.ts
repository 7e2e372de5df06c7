// What a project's configuration asks for, and whether somebody accepted it.
import type { Config } from "../protocol/config.ts";
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";
import type { Limits, WorkspaceKind } from "../protocol/task.ts";
import { sandboxRefusal, unheeded, workspaceNote } from "../runtime/config/for-run.ts";
import type { Layer } from "../runtime/config/problems.ts";
import { configOf, isFromProject, loadConfigLayers } from "../runtime/config.ts";
import type { Environment, Project } from "../runtime/project.ts";
import type { Choice } from "../runtime/variants.ts";

/** A driver and options only it understands. */
export type AgentChoice = Choice;

export interface RunConfig {
  readonly config: Config;
  /** Lines on what was configured and will not be heeded, given the limits with which the mission began. */
  unheeded(limits: Limits | null): readonly string[];
  /** Lines on what a kind of workspace means that is not the usual one. */
  about(workspace: WorkspaceKind, branch: string): readonly string[];
}

/** What a run is to go by; refused where it could not keep to it. */
export async function configForRun(
  { root }: Project,
  env: Environment,
  workspace?: WorkspaceKind,
): Promise<Outcome<RunConfig>> {
  const layers = await loadConfigLayers({ root, env });
  if (!layers.ok) return layers;
  const config = configOf(layers.value);
  const refusal = sandboxRefusal(layers.value, workspace ?? config.workspace);
  if (refusal !== null) return failed(refusal);
  return succeeded({ config, unheeded: (limits) => unheeded(layers.value, limits), about: workspaceNote });
}

/** What a configuration that may have come with a clone would have us run; flags of the user are his own words. */
export function commandsOf(layers: readonly Layer[], flag: AgentChoice | undefined): readonly string[] {
  const { agent, validation } = configOf(layers);
  const named = flag === undefined && agent !== undefined && isFromProject(layers, ["agent"]);
  const inherited = validation.default !== null && isFromProject(layers, ["validation", "default"]);
  return [
    ...(named ? [`agent of .harness/config.json: ${JSON.stringify(agent)}`] : []),
    ...(inherited ? [`validation of .harness/config.json: ${validation.default}`] : []),
  ];
}
