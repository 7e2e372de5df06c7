// From a directory to a mission: found, made, or taken over from a plan file.
import { basename, join } from "node:path";
import { isThere } from "../kit/is-there.ts";
import type { AdoptedTask } from "../protocol/adopted.ts";
import type { Config } from "../protocol/config.ts";
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";
import type { Limits } from "../protocol/task.ts";
import { loadConfig, loadConfigLayers } from "../runtime/config.ts";
import type { Mission } from "../runtime/mission.ts";
import { type FoundPlan, findPlan, planFilesIn } from "../runtime/plan-file.ts";
import {
  createProject,
  type Environment,
  findRoot,
  journalFile,
  openProject,
  type Project,
  projectFacts,
} from "../runtime/project.ts";
import { openSqliteStore, StoreError } from "../stores/index.ts";
import { describeRepository, excludeFromGit } from "../workspaces/index.ts";
import { type OpenedMission, type OpenOptions, open } from "./open.ts";
import { commandsOf } from "./project-config.ts";

const ownFiles = ["harness-tasks.json*", "harness-progress.txt", ".harness-active", ".harness/"];
/** The project a directory belongs to (rule F1). A plan file without a journal is taken over on the way (F6). */
export async function locateProject(
  from: string,
  env: Environment,
  root?: string,
  onAdopted: (adopted: Adopted) => void = () => undefined,
): Promise<Outcome<Project>> {
  const found = root ?? (await findRoot(from, env));
  if (found === null) {
    return failed({ kind: "usage", message: `no Harness project at or above ${from}`, remedy: "run: harness init" });
  }
  const project = await openProject(found, env);
  if ((project.ok && !isHalfMade(project.value)) || (await planFilesIn(found)).length === 0) return project;
  const begun = await initProject(found, env, found);
  if (!begun.ok) return begun;
  if (begun.value.adopted !== null) onAdopted(begun.value.adopted);
  return succeeded(begun.value.project);
}

/** Another process is about to make it, or died in the middle of that: whoever comes next does the same. */
const isHalfMade = (project: Project): boolean => isThere(project.home) && !isThere(journalFile(project));

/** A plan that was found in a file. Its commands run only once somebody accepted them. */
export interface Adopted {
  readonly source: string;
  readonly tasks: number;
  readonly warnings: readonly string[];
}

export interface Initialised {
  readonly project: Project;
  /** False when it was a project before; nothing was changed then. */
  readonly created: boolean;
  readonly branch: string;
  readonly adopted: Adopted | null;
}

/** Makes the repository's top (or `root`) a project, with the plan found there or an empty one. */
export async function initProject(from: string, env: Environment, root?: string): Promise<Outcome<Initialised>> {
  const place = await describeRepository(root ?? from);
  if (!place.ok) return place;
  const at = root ?? (await findRoot(from, env)) ?? place.value.toplevel;
  const known = await openProject(at, env);
  const isNew = !known.ok || !(await hasBegun(known.value));
  // Read before anything is made: what cannot be read is left exactly as it is.
  const plan = isNew ? await findPlan(at) : succeeded(null);
  if (!plan.ok) return plan;
  const config = await loadConfig({ root: at, env });
  if (!config.ok) return config;
  const project = await createProject(at, env);
  if (!project.ok) return project;
  const excluded = await excludeOwnFiles(project.value);
  if (!excluded.ok) return excluded;
  const mission = await open(project.value, { env }, { create: true });
  if (!mission.ok) return mission;
  try {
    const { limits, validation, concurrency } = config.value;
    const found = withDefault(plan.value, validation);
    return await begin(mission.value, project.value, { found, limits, concurrency });
  } finally {
    await mission.value.close();
  }
}

/** Tasks without a validation of their own inherit the configured one (CFG); with the plan it waits for trust. */
function withDefault(
  found: FoundPlan | null,
  { default: command, timeoutSeconds }: Config["validation"],
): FoundPlan | null {
  if (found === null || command === null) return found;
  const validation = { command, timeoutMs: timeoutSeconds * 1_000, quick: null };
  const inherited = (task: AdoptedTask): AdoptedTask =>
    task.spec.validation === null ? { ...task, spec: { ...task.spec, validation } } : task;
  return { ...found, plan: { ...found.plan, tasks: found.plan.tasks.map(inherited) } };
}

async function excludeOwnFiles(project: Project): Promise<Outcome<null>> {
  const place = await describeRepository(project.root);
  if (!place.ok) return place;
  return excludeFromGit(
    project.root,
    ownFiles.map((file) => `/${join(place.value.prefix, file)}`),
  );
}

interface Beginning {
  readonly found: FoundPlan | null;
  readonly limits: Limits;
  readonly concurrency: Config["concurrency"];
}

async function begin(
  mission: Mission,
  project: Project,
  { found, limits, concurrency = found?.plan.concurrencyMode ?? "exclusive" }: Beginning,
): Promise<Outcome<Initialised>> {
  const id = `mission-${slug(basename(project.root))}-${project.id.slice(0, 6)}`;
  const about = { mission: id, branch: `harness/${id}`, root: project.root, limits };
  const isNew = mission.state().mission === null;
  // One command id for ever: a second init, or two at once, begin one mission.
  const begun = await mission.submit(
    found === null
      ? { type: "mission.create", ...about, concurrency }
      : { type: "plan.adopt", ...found, plan: { ...found.plan, concurrencyMode: concurrency }, ...about },
    `init/${project.id}`,
  );
  const present = mission.state().mission;
  if (present === null) return begun.ok ? failed({ kind: "usage", message: "the mission was not recorded" }) : begun;
  const adopted =
    isNew && found !== null
      ? { source: found.source, tasks: found.plan.tasks.length, warnings: found.plan.warnings }
      : null;
  return succeeded({ project, created: begun.ok && isNew, branch: present.branch, adopted });
}

/** Opens the mission of a project for asking, looking and – with an agent – running. */
export async function openMission(project: Project, options: OpenOptions): Promise<Outcome<OpenedMission>> {
  const opened = await open(project, options, { create: false });
  if (!opened.ok || opened.value.state().mission !== null) return opened;
  if ((await planFilesIn(project.root)).length === 0) return opened;
  // Another process is about to adopt the plan, or died in the middle of that: one of us does it.
  await opened.value.close();
  const begun = await initProject(project.root, options.env, project.root);
  return begun.ok ? open(project, options, { create: false }) : begun;
}

/** The user made or read the project's own files just now: they may run as they are (rule T). */
export async function trustProject(project: Project, env: Environment): Promise<Outcome<null>> {
  const layers = await loadConfigLayers({ root: project.root, env });
  if (!layers.ok) return layers;
  const { hash } = await projectFacts(project.root, commandsOf(layers.value, {}));
  const mission = hash === null ? null : await openMission(project, { env });
  if (hash === null || mission === null) return succeeded(null);
  if (!mission.ok) return mission;
  const trusted = await mission.value.submit({ type: "project.trust", hash });
  await mission.value.close();
  return trusted.ok ? succeeded(null) : trusted;
}

/** False for a journal that an init made and died before it recorded anything. */
async function hasBegun(project: Project): Promise<boolean> {
  if (!isThere(journalFile(project))) return false;
  try {
    const store = await openSqliteStore({ path: journalFile(project), readOnly: true });
    const { position } = await store.head().finally(() => store.close());
    return position > 0;
  } catch (error) {
    // Any other trouble is told when it is opened for writing, and nothing is adopted over it.
    return !(error instanceof StoreError && error.trouble === "missing");
  }
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40) || "project";
