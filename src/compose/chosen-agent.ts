// The chosen agent, as its driver knows it: how it is told of before it starts, and where its program lies.
import { realpath } from "node:fs/promises";
import type { AgentFacts, CheckPlace } from "../drivers/driver.ts";
import { builtInDrivers } from "../drivers/index.ts";
import { findProgram } from "../kit/find-program.ts";
import { type Outcome, succeeded } from "../protocol/failure.ts";
import type { ModelChoice, Models } from "../protocol/role.ts";
import type { ReadTranscript } from "../protocol/transcript.ts";
import type { Environment } from "../runtime/project.ts";
import type { Choice } from "../runtime/variants.ts";

/** In a line. Options that the driver does not understand are told of when it is built. */
export function describeAgent(choice: Choice, model: ModelChoice = {}): string {
  const variant = builtInDrivers.find(({ name }) => name === choice.use);
  const options = variant?.options.safeParse(choice.options);
  if (variant?.describe !== undefined && options?.success) return variant.describe(options.data, model);
  const [first = ""] = Object.values(choice.options).map(String);
  return first;
}

/** A line for each model that was chosen and that this agent will not hear of. */
export function modelNote(choice: Choice, models: Models): readonly string[] {
  const takesModel = builtInDrivers.find(({ name }) => name === choice.use)?.takesModel === true;
  return Object.entries(models)
    .filter(([, model]) => !takesModel && Object.keys(model).length > 0)
    .map(([role]) => `models.${role} is not heeded: the agent ${choice.use} does not let its model be chosen`);
}

/**
 * A link in a folder of the PATH may lead to where a sandbox shows nothing. Empty: the driver names no program, or it is
 * not there, which is told when it is started.
 */
export async function agentProgram(
  choice: Choice | undefined,
  env: Environment,
  cwd: string,
): Promise<readonly string[]> {
  const variant = builtInDrivers.find(({ name }) => name === choice?.use);
  const options = variant?.options.safeParse(choice?.options ?? {});
  if (variant?.program === undefined || !options?.success) return [];
  const file = await findProgram(variant.program(options.data), {
    cwd,
    env: env.PATH === undefined ? {} : { PATH: env.PATH },
  });
  return file === null ? [] : [await realpath(file)];
}

/** What its driver finds out before anything is begun. Options that it does not understand are told of when it is built. */
export async function checkAgent(choice: Choice | undefined, place: CheckPlace): Promise<Outcome<AgentFacts>> {
  const variant = builtInDrivers.find(({ name }) => name === choice?.use);
  const options = variant?.options.safeParse(choice?.options ?? {});
  if (variant?.check === undefined || !options?.success) return succeeded({ version: null, login: null });
  return variant.check(options.data, place);
}

/** For who chose none: the agent that most people have. */
export const findClaudeCode = async (env: Environment, cwd: string): Promise<boolean> =>
  (await findProgram("claude", { cwd, env: env.PATH === undefined ? {} : { PATH: env.PATH } })) !== null;

/** How the output of an agent is read back; null: it is plain text, or of a driver that is no longer there. */
export const transcriptOf = (form: string | null): ReadTranscript | null =>
  builtInDrivers.find(({ name }) => name === form)?.transcript ?? null;

export const outputFormOf = (agent: string | undefined): string | undefined =>
  transcriptOf(agent ?? null) === null ? undefined : agent;
