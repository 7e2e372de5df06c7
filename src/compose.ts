// Chosen variants → mission. The only file that knows every family.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Writable } from "node:stream";
import type { Driver } from "./drivers/driver.ts";
import { builtInDrivers } from "./drivers/index.ts";
import type { Gate } from "./gates/gate.ts";
import { builtInGates } from "./gates/index.ts";
import { endGroup } from "./kit/process-groups.ts";
import { identifySelf, isAlive } from "./kit/process-identity.ts";
import { createRedactor, secretsOf } from "./kit/redact.ts";
import { createConsoleNotifier, createSilentNotifier } from "./notifiers/index.ts";
import type { AdoptedPlan, AdoptedTask } from "./protocol/adopted.ts";
import type { ProcessIdentity } from "./protocol/agent.ts";
import type { Config } from "./protocol/config.ts";
import { type Failure, failed, type Outcome, succeeded } from "./protocol/failure.ts";
import type { GateSpec } from "./protocol/gate.ts";
import type { Limits } from "./protocol/task.ts";
import { systemClock } from "./runtime/clock.ts";
import type { Layer } from "./runtime/config/problems.ts";
import { configOf, isFromProject, loadConfig, loadConfigLayers } from "./runtime/config.ts";
import { environmentFor } from "./runtime/environment.ts";
import { createMission, type Mission } from "./runtime/mission.ts";
import { findPlan } from "./runtime/plan-file.ts";
import type { Ports, Said } from "./runtime/ports.ts";
import {
  createProject,
  type Environment,
  findRoot,
  journalFile,
  openProject,
  type Project,
  projectFacts,
} from "./runtime/project.ts";
import { openViews, signalFiles } from "./runtime/views/open-views.ts";
import { openSqliteStore, StoreError } from "./stores/index.ts";
import {
  createCloneWorkspaces,
  describeRepository,
  excludeFromGit,
  uncommittedFiles as uncommittedIn,
} from "./workspaces/index.ts";

export { loadConfig } from "./runtime/config.ts";
export { detectProject } from "./runtime/detect/detect-project.ts";
export { initScriptTemplate } from "./runtime/detect/init-script.ts";
export { circlesIn, readTasksFile } from "./runtime/plan-file.ts";
export { recentLog } from "./runtime/views/recent-log.ts";
export type { Environment, Mission, Project };

/** A driver and options only it understands. */
export interface AgentChoice {
  readonly use: string;
  readonly options: Record<string, unknown>;
}
export interface OpenOptions {
  readonly env: Environment;
  readonly agent?: AgentChoice;
  readonly onSaid?: (said: Said) => void;
  /** Where notifications are written; nowhere if not given. */
  readonly notifyOn?: Writable;
  /** A view that could not be written; the mission goes on. */
  readonly onTrouble?: (failure: Failure) => void;
}

const ownFiles = ["harness-tasks.json*", "harness-progress.txt", ".harness-active", ".harness/"];
/** A group that ignores a polite end gets this long, as in the runner. */
const graceMs = 5_000;

/** The project a directory belongs to (rule F1). A plan file without a journal is taken over on the way (F6). */
export async function locateProject(from: string, env: Environment, root?: string): Promise<Outcome<Project>> {
  const found = root ?? (await findRoot(from, env));
  if (found === null) {
    return failed({ kind: "usage", message: `no Harness project at or above ${from}`, remedy: "run: harness init" });
  }
  const project = await openProject(found, env);
  if (project.ok || !existsSync(join(found, "harness-tasks.json"))) return project;
  const begun = await initProject(found, env, found);
  return begun.ok ? succeeded(begun.value.project) : begun;
}

export interface Initialised {
  readonly project: Project;
  /** False when it was a project before; nothing was changed then. */
  readonly created: boolean;
  readonly branch: string;
  /** A plan that was found in a file. Its commands run only once somebody accepted them. */
  readonly adopted: { readonly tasks: number; readonly warnings: readonly string[] } | null;
}

/** Makes the repository's top (or `root`) a project, with the plan found there or an empty one. */
export async function initProject(from: string, env: Environment, root?: string): Promise<Outcome<Initialised>> {
  const place = await describeRepository(root ?? from);
  if (!place.ok) return place;
  const at = root ?? (await findRoot(from, env)) ?? place.value.toplevel;
  const known = await openProject(at, env);
  const isNew = !known.ok || !existsSync(journalFile(known.value));
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
    const { limits, validation } = config.value;
    return await begin(mission.value, project.value, { plan: withDefault(plan.value, validation), limits });
  } finally {
    await mission.value.close();
  }
}

/** Tasks without a validation of their own inherit the configured one (CFG); with the plan it waits for trust. */
function withDefault(
  plan: AdoptedPlan | null,
  { default: command, timeoutSeconds }: Config["validation"],
): AdoptedPlan | null {
  if (plan === null || command === null) return plan;
  const validation = { command, timeoutMs: timeoutSeconds * 1_000, quick: null };
  const inherited = (task: AdoptedTask): AdoptedTask =>
    task.spec.validation === null ? { ...task, spec: { ...task.spec, validation } } : task;
  return { ...plan, tasks: plan.tasks.map(inherited) };
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
  readonly plan: AdoptedPlan | null;
  readonly limits: Limits;
}
async function begin(mission: Mission, project: Project, { plan, limits }: Beginning): Promise<Outcome<Initialised>> {
  const id = `mission-${slug(basename(project.root))}-${project.id.slice(0, 6)}`;
  const about = { mission: id, branch: `harness/${id}`, root: project.root, limits };
  const isNew = mission.state().mission === null;
  // One command id for ever: a second init, or two at once, begin one mission.
  const begun = await mission.submit(
    plan === null
      ? { type: "mission.create", ...about }
      : { type: "plan.adopt", source: "harness-tasks.json", plan, ...about },
    `init/${project.id}`,
  );
  const present = mission.state().mission;
  if (present === null) return begun.ok ? failed({ kind: "usage", message: "the mission was not recorded" }) : begun;
  const adopted = isNew && plan !== null ? { tasks: plan.tasks.length, warnings: plan.warnings } : null;
  return succeeded({ project, created: begun.ok && isNew, branch: present.branch, adopted });
}

/** Opens the mission of a project for asking, looking and – with an agent – running. */
export const openMission = (project: Project, options: OpenOptions): Promise<Outcome<Mission>> =>
  open(project, options, { create: false });

async function open(
  project: Project,
  options: OpenOptions,
  { create }: { create: boolean },
): Promise<Outcome<Mission>> {
  const place = await describeRepository(project.root);
  if (!place.ok) return place;
  if (!create && !existsSync(journalFile(project))) return failed(journalMissing(project));
  const layers = await loadConfigLayers({ root: project.root, env: options.env });
  if (!layers.ok) return layers;
  const store = await openStore(project);
  if (!store.ok) return store;
  const processes = {
    self: identifySelf,
    isAlive,
    endGroup: async (identity: ProcessIdentity, marker: string) => void (await endGroup(identity, { graceMs, marker })),
  };
  const ports: Ports = {
    project: { root: project.root, facts: () => projectFacts(project.root, commandsOf(layers.value, options.agent)) },
    store: store.value,
    clock: systemClock,
    get workspaces() {
      return workspaces();
    },
    views: (source) =>
      openViews(project, source, { env: options.env, processes, onTrouble: options.onTrouble ?? (() => undefined) }),
    signals: signalFiles(project.root),
    notifier: options.notifyOn === undefined ? createSilentNotifier() : createConsoleNotifier(options.notifyOn),
    driver: () => chooseDriver(options.agent ?? configOf(layers.value).agent),
    gate: chooseGate,
    processes,
    environment: (effect) => environmentFor(effect, options.env, project.root),
    newId: () => randomBytes(12).toString("hex"),
    redactor: createRedactor({ values: secretsOf(options.env) }),
    ...(options.onSaid === undefined ? {} : { onSaid: options.onSaid }),
  };
  // Made when first used: the branch is known only once the journal has been read.
  const workspaces = once(() => {
    const branch = mission.state().mission?.branch ?? "harness/mission";
    const { prefix: rootPrefix } = place.value;
    return createCloneWorkspaces({ repository: project.root, home: project.home, branch, rootPrefix });
  });
  const mission = await createMission(ports);
  return succeeded({ ...mission, run: (how, signal) => stayingAlive(() => mission.run(how, signal)) });
}

/** A paused run waits for nothing but other processes: without this, Node would take it for finished. */
async function stayingAlive<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, 3_600_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** The user made or read the project's own files just now: they may run as they are (rule T). */
export async function trustProject(project: Project, env: Environment): Promise<Outcome<null>> {
  const layers = await loadConfigLayers({ root: project.root, env });
  if (!layers.ok) return layers;
  const { hash } = await projectFacts(project.root, commandsOf(layers.value, undefined));
  const mission = hash === null ? null : await openMission(project, { env });
  if (hash === null || mission === null) return succeeded(null);
  if (!mission.ok) return mission;
  const trusted = await mission.value.submit({ type: "project.trust", hash });
  await mission.value.close();
  return trusted.ok ? succeeded(null) : trusted;
}

/** What a configuration that may have come with a clone would have us run; flags of the user are his own words. */
function commandsOf(layers: readonly Layer[], flag: AgentChoice | undefined): readonly string[] {
  const { agent, validation } = configOf(layers);
  const named = flag === undefined && agent !== undefined && isFromProject(layers, ["agent"]);
  const inherited = validation.default !== null && isFromProject(layers, ["validation", "default"]);
  return [
    ...(named ? [`agent of .harness/config.json: ${JSON.stringify(agent)}`] : []),
    ...(inherited ? [`validation of .harness/config.json: ${validation.default}`] : []),
  ];
}

const journalMissing = (project: Project): Failure => ({
  kind: "usage",
  message: `the journal of ${project.root} is not at ${journalFile(project)}`,
  remedy: "set HARNESS_STATE_HOME as it was, or begin anew with: harness init",
});

/** Files of the user's checkout that attempts do not see. */
export async function uncommittedFiles(project: Project): Promise<readonly string[]> {
  const listed = await uncommittedIn(project.root);
  return listed.ok ? listed.value : [];
}

/** The first position at which the journal's chain does not fit, or null. */
export async function verifyJournal(project: Project): Promise<number | null> {
  const store = await openSqliteStore({ path: journalFile(project), readOnly: true });
  try {
    return await store.verify();
  } finally {
    await store.close();
  }
}

async function openStore(project: Project): Promise<Outcome<Ports["store"]>> {
  try {
    return succeeded(await openSqliteStore({ path: journalFile(project) }));
  } catch (error) {
    if (error instanceof StoreError) return failed({ kind: "env_setup", message: error.message });
    throw error;
  }
}

function chooseDriver(choice: AgentChoice | undefined): Outcome<Driver> {
  if (choice === undefined) {
    return failed({ kind: "usage", message: "no agent was chosen", remedy: "run: harness run --agent-command CMD" });
  }
  return build("agent", builtInDrivers, choice);
}

const chooseGate = (spec: GateSpec): Outcome<Gate> => build("gate", builtInGates, spec);

interface Variant<T> {
  readonly name: string;
  readonly options: {
    safeParse(options: unknown): {
      success: boolean;
      data?: unknown;
      error?: { issues: readonly { path: PropertyKey[]; message: string }[] };
    };
  };
  create(options: never): T;
}

/** Options stay opaque up to here: the variant's own schema judges them. */
function build<T>(family: string, variants: readonly Variant<T>[], { use, options }: AgentChoice): Outcome<T> {
  const variant = variants.find(({ name }) => name === use);
  if (variant === undefined) {
    const names = variants.map(({ name }) => name).join(", ");
    return failed({ kind: "config", message: `there is no ${family} "${use}"`, remedy: `choose one of: ${names}` });
  }
  const parsed = variant.options.safeParse(options);
  if (parsed.success) return succeeded(variant.create(parsed.data as never));
  const issue = parsed.error?.issues[0];
  return failed({
    kind: "config",
    message: `${family} "${use}", option "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "not valid"}`,
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40) || "project";
