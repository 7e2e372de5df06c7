// Which sandbox the programs of a mission's attempts run in. Whoever asks for one is never silently given less (PR-10).
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { causeOf } from "../kit/file-error.ts";
import { type Outcome, succeeded } from "../protocol/failure.ts";
import { type SandboxMode, wishOf } from "../protocol/sandbox.ts";
import type { WorkspaceKind } from "../protocol/task.ts";
import { chooseSandbox, type SandboxChoice, type Wanted } from "../runtime/config/choose-sandbox.ts";
import type { Layer } from "../runtime/config/problems.ts";
import { configOf } from "../runtime/config.ts";
import { consentsTo } from "../runtime/consent-store.ts";
import type { Environment, Project } from "../runtime/project.ts";
import { createBubblewrap, findBubblewrap, none } from "../sandboxes/index.ts";
import type { Reach, Sandbox } from "../sandboxes/sandbox.ts";

export interface Settled {
  readonly sandbox: Sandbox;
  readonly choice: SandboxChoice;
}

export interface SettleOptions {
  readonly project: Project;
  readonly env: Environment;
  readonly wanted: Wanted;
  readonly workspace: WorkspaceKind;
  readonly reach: () => Promise<Outcome<Reach>>;
}

/** The mode that was asked for, and where: the command line goes before the user's file. */
export function wantedSandbox(layers: readonly Layer[], flag: SandboxMode | undefined): Wanted {
  const wish = wishOf(configOf(layers).sandbox);
  if (flag !== undefined) return { ...wish, mode: flag, where: "--sandbox" };
  const place = layers.findLast(({ origin, written }) => origin === "user" && hasSandbox(written));
  return { ...wish, where: place === undefined ? null : place.name };
}
const hasSandbox = (written: unknown): boolean =>
  typeof written === "object" && written !== null && "sandbox" in written;

export async function settleSandbox({ project, env, wanted, workspace, reach }: SettleOptions): Promise<{
  readonly outcome: Outcome<Settled>;
  readonly lack: string | null;
}> {
  const isWanted = wanted.mode !== "off" && workspace === "clone";
  const found = isWanted ? await trySandbox(project, env, reach) : null;
  const lack = typeof found === "string" ? found : null;
  const consent = lack !== null && wanted.mode === "auto" ? await consentsTo(env, lack) : succeeded(false);
  if (!consent.ok) return { outcome: consent, lack };
  const choice = chooseSandbox({ wanted, workspace, lack, consent: consent.value });
  if (!choice.ok) return { outcome: choice, lack };
  const sandbox = found === null || typeof found === "string" ? none : found;
  return { outcome: succeeded({ sandbox, choice: choice.value }), lack };
}

/** A sandbox that was tried just now, or why there is none. */
export async function trySandbox(
  project: Project,
  env: Environment,
  reach: () => Promise<Outcome<Reach>>,
): Promise<Sandbox | string> {
  if (process.platform !== "linux") return `there is no sandbox for ${process.platform} yet`;
  const directory = dirname(project.home);
  const program = await findBubblewrap(env.PATH, [project.root, directory]);
  if (program === null) return "bubblewrap is not installed";
  const allowed = await reach();
  if (!allowed.ok) return allowed.failure.message;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const sandbox = createBubblewrap(program, directory);
    const { PATH = "/usr/local/bin:/usr/bin:/bin", HOME } = env;
    const lack = await sandbox.probe(allowed.value, { directory, env: { PATH, ...(HOME !== undefined && { HOME }) } });
    return lack ?? sandbox;
  } catch (error) {
    return `bubblewrap could not be tried: ${causeOf(error)}`;
  }
}
