// A set-up for a project that has none: proposed from what it is, written into its configuration if the user wants it.

import { writeFileAtomic } from "../kit/atomic-file.ts";
import { isThere } from "../kit/is-there.ts";
import type { Config } from "../protocol/config.ts";
import type { Outcome } from "../protocol/failure.ts";
import { loadConfig } from "../runtime/config.ts";
import { detectProject } from "../runtime/detect/detect-project.ts";
import { lackOfSetup, type Proposed, proposeSetup, type SetupProposal } from "../runtime/detect/propose-setup.ts";
import { projectConfigFile } from "../runtime/place.ts";
import type { Environment, Project } from "../runtime/project.ts";
import { ignoredPaths } from "../workspaces/index.ts";

const ignoredIn = (root: string) => async (paths: readonly string[]) => {
  const listed = await ignoredPaths(root, paths);
  return listed.ok ? listed.value : [];
};

/** Whether the user or the project said anything about it. */
const isSetUp = ({ setup }: Config): boolean => setup.command !== null || setup.share.length > 0;

/** Nothing where there is a set-up already. */
export async function proposedSetup({ root }: Project, env: Environment): Promise<Outcome<Proposed | null>> {
  const config = await loadConfig({ root, env });
  if (!config.ok) return config;
  if (isSetUp(config.value)) return { ok: true, value: null };
  return { ok: true, value: await proposeSetup(root, await detectProject(root), ignoredIn(root)) };
}

/** False when the project has a configuration: that is the user's to change. */
export async function writeSetup({ root }: Project, setup: SetupProposal): Promise<boolean> {
  const file = projectConfigFile(root);
  if (isThere(file)) return false;
  try {
    await writeFileAtomic(file, `${JSON.stringify({ setup }, null, 2)}\n`, { mode: 0o644, onlyNew: true });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** What a run should say of a project that obviously needs a set-up and has none; null when there is nothing to say. */
export const missingSetup = async ({ root }: Project, config: Config): Promise<string | null> =>
  isSetUp(config) ? null : lackOfSetup(root, await detectProject(root), ignoredIn(root));
