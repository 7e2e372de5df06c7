// Which of the user's variables reach the agent that was chosen: by the user's configuration, by flag, by its driver.
import { builtInDrivers } from "../drivers/index.ts";
import type { Layer } from "../runtime/config/problems.ts";
import { configOf } from "../runtime/config.ts";
import type { Passing } from "../runtime/environment.ts";
import type { Environment } from "../runtime/project.ts";
import type { Choice } from "../runtime/variants.ts";

export interface AgentNeeds {
  /** In the user's own words; as configured, if not given. */
  readonly agent?: Choice;
  /** Variables named by flag. */
  readonly agentEnv?: readonly string[];
}

export function passingOf(layers: readonly Layer[], env: Environment, { agent, agentEnv = [] }: AgentNeeds): Passing {
  const { env: passed, agent: configured } = configOf(layers);
  const wanted = wantedBy(agent ?? configured);
  return { env, passed: { pass: passed.pass, agent: [...passed.agent, ...agentEnv, ...wanted] } };
}

/** Options that the driver does not understand are told of when it is built. */
function wantedBy(choice: Choice | undefined): readonly string[] {
  const variant = builtInDrivers.find(({ name }) => name === choice?.use);
  const options = variant?.options.safeParse(choice?.options);
  return variant !== undefined && options?.success ? variant.env(options.data) : [];
}
