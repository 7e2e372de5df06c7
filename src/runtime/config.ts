// What the user and the project want, from their files and flags (rule CFG).
import { isDeepStrictEqual } from "node:util";
import { Config, type ConfigInput } from "../protocol/config.ts";
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";
import type { Integration } from "../protocol/integration.ts";
import { type Models, RoleName } from "../protocol/role.ts";
import { parseStrictJson } from "../protocol/strict-json.ts";
import { merged, valueAt } from "./config/merge.ts";
import { failureOf, type Layer, type Problem, problemsIn } from "./config/problems.ts";
import { readSmallFile } from "./config/small-file.ts";
import { tightened } from "./config/tighten.ts";
import { type Environment, projectConfigFile, userConfigFile } from "./place.ts";

export interface ConfigPlaces {
  /** The state root; null where there is no project. */
  readonly root: string | null;
  readonly env: Environment;
  readonly flags?: ConfigInput;
}

/** Defaults, then the user's file, then the project's, then flags: what comes later wins. */
export async function loadConfig(places: ConfigPlaces): Promise<Outcome<Config>> {
  const layers = await loadConfigLayers(places);
  return layers.ok ? succeeded(configOf(layers.value)) : layers;
}

/** What was written where, weakest first; each checked by itself. */
export async function loadConfigLayers({ root, env, flags = {} }: ConfigPlaces): Promise<Outcome<readonly Layer[]>> {
  const userFile = userConfigFile(env);
  const layers: Layer[] = [];
  const problems: Problem[] = [];
  const take = (layer: Layer): void => {
    layers.push(layer);
    problems.push(...problemsIn(layer, userFile));
  };
  for (const [origin, name] of [
    ["user", userFile],
    ["project", root === null ? null : projectConfigFile(root)],
  ] as const) {
    if (name === null) continue;
    const written = await readConfigFile(name);
    if (!written.ok) problems.push({ message: written.failure.message, remedy: written.failure.remedy ?? "mend it" });
    else if (written.value !== undefined) take({ origin, name, written: written.value });
  }
  take({ origin: "flags", name: "command line", written: flags });
  const [first, ...others] = problems;
  return first === undefined ? succeeded(layers) : failed(failureOf([first, ...others]));
}

/** Of layers that were found in order. */
export function configOf(layers: readonly Layer[]): Config {
  const { $schema, ...config } = Config.parse(writtenIn(layers));
  return config;
}

/** Of roles that are played; others are kept for later. */
export function modelsOf({ models = {} }: Config): Models {
  const chosen = RoleName.options.flatMap((role) => {
    const { [role]: choice } = models;
    return choice === undefined ? [] : [[role, typeof choice === "string" ? { model: choice } : choice] as const];
  });
  return Object.fromEntries(chosen);
}

/** What becomes of a task that passed, in a seed's words. */
const onPass = { merge: "current", pr: "pr", keep: "branch" } as const;

function integrationIn(all: unknown): Integration | undefined {
  const isolation = (key: string) => valueAt(all, ["branchIsolation", key]);
  const said = isolation("onPass");
  if (isolation("enabled") === false || (said === undefined && isolation("enabled") !== true)) return undefined;
  return onPass[(said ?? "merge") as keyof typeof onPass];
}

/** Without defaults. Some keys of the seeds are other names of ours, and hold where ours are not written. */
export function writtenIn(layers: readonly Layer[]): unknown {
  const all = layers.map(({ written }) => written).reduce(merged, {});
  const lanes = valueAt(all, ["parallelWorkers", "max"]);
  const seconds = valueAt(all, ["timeouts", "worker"]);
  const iterationTimeoutMs = typeof seconds === "number" ? Math.ceil(seconds * 1_000) : undefined;
  const integration = integrationIn(all);
  const named = [
    ...(integration === undefined ? [] : [{ integration }]),
    ...(lanes === undefined ? [] : [{ lanes }]),
    ...(iterationTimeoutMs === undefined ? [] : [{ limits: { iterationTimeoutMs } }]),
  ];
  return tightened(layers, merged(named.reduce(merged, {}), all)).written;
}

/**
 * Whether what counts at `path` is the project's doing. Its file may have come with a clone, or an agent may have
 * written it: a command from there needs the user's trust (rule T).
 */
export function isFromProject(layers: readonly Layer[], path: readonly string[]): boolean {
  const without = layers.filter(({ origin }) => origin !== "project");
  return !isDeepStrictEqual(valueAt(configOf(layers), path), valueAt(configOf(without), path));
}

/** Undefined when there is no such file. */
async function readConfigFile(path: string): Promise<Outcome<unknown>> {
  const text = await readSmallFile(path);
  if (!text.ok) return text;
  return text.value === null ? succeeded(undefined) : parseStrictJson(text.value, path);
}
