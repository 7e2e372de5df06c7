// Chosen variants → mission. The only file that knows every family.
import { randomBytes } from "node:crypto";
import { basename, join } from "node:path";
import type { Writable } from "node:stream";
import type { Driver } from "./drivers/driver.ts";
import { builtInDrivers } from "./drivers/index.ts";
import type { Gate } from "./gates/gate.ts";
import { builtInGates } from "./gates/index.ts";
import { isThere } from "./kit/is-there.ts";
import { endGroup } from "./kit/process-groups.ts";
import { identifySelf, isAlive, isAliveSince } from "./kit/process-identity.ts";
import { createRedactor, secretsOf } from "./kit/redact.ts";
import { followedAlive, stayingAlive } from "./kit/staying-alive.ts";
import { createConsoleNotifier, createSilentNotifier } from "./notifiers/index.ts";
import type { AdoptedTask } from "./protocol/adopted.ts";
import type { ProcessIdentity } from "./protocol/agent.ts";
import type { Config } from "./protocol/config.ts";
import { type Failure, failed, type Outcome, succeeded } from "./protocol/failure.ts";
import type { GateSpec } from "./protocol/gate.ts";
import type { Limits } from "./protocol/task.ts";
import { systemClock } from "./runtime/clock.ts";
import { sandboxRefusal, unheeded } from "./runtime/config/for-run.ts";
import type { Layer } from "./runtime/config/problems.ts";
import { configOf, isFromProject, loadConfig, loadConfigLayers } from "./runtime/config.ts";
import { environmentFor } from "./runtime/environment.ts";
import { createVisibleLock } from "./runtime/lock/visible-lock.ts";
import { createMission, type Mission } from "./runtime/mission.ts";
import { type FoundPlan, findPlan, planFilesIn } from "./runtime/plan-file.ts";
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
import type { RunEnd } from "./runtime/run.ts";
import { buildVariant, type Choice } from "./runtime/variants.ts";
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
export { circlesIn, planFilesIn, readPlanText } from "./runtime/plan-file.ts";
export { recentLog } from "./runtime/views/recent-log.ts";
export type { Environment, Mission, Project };

/** A driver and options only it understands. */
export type AgentChoice = Choice;
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
export async function openMission(project: Project, options: OpenOptions): Promise<Outcome<Mission>> {
  const opened = await open(project, options, { create: false });
  if (!opened.ok || opened.value.state().mission !== null) return opened;
  if ((await planFilesIn(project.root)).length === 0) return opened;
  // Another process is about to adopt the plan, or died in the middle of that: one of us does it.
  await opened.value.close();
  const begun = await initProject(project.root, options.env, project.root);
  return begun.ok ? open(project, options, { create: false }) : begun;
}

async function open(
  project: Project,
  options: OpenOptions,
  { create }: { create: boolean },
): Promise<Outcome<Mission>> {
  if (!create && !isThere(journalFile(project))) return failed(journalMissing(project));
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
    lock: createVisibleLock({ root: project.root, store: store.value, lookout: { isAlive, isAliveSince } }),
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
  // Asked only by those who work there: most commands need no git.
  const repository = once(() => describeRepository(project.root));
  let rootPrefix = "";
  // Made when first used: the branch is known only once the journal has been read.
  const workspaces = once(() => {
    const branch = mission.state().mission?.branch ?? "harness/mission";
    return createCloneWorkspaces({
      repository: project.root,
      home: project.home,
      branch,
      rootPrefix,
      exclusively: (work) => ports.store.exclusively(work),
    });
  });
  const mission = await createMission(ports);
  const config = configOf(layers.value);
  const refusal = sandboxRefusal(layers.value);
  const atWork = async <T>(work: () => Promise<T>, otherwise: (failure: Failure) => T): Promise<T> => {
    const place = await repository();
    if (!place.ok) return otherwise(place.failure);
    rootPrefix = place.value.prefix;
    return stayingAlive(work);
  };
  const inItsMode = async <T>(work: () => Promise<T>, otherwise: (failure: Failure) => T): Promise<T> => {
    if (refusal !== null) return otherwise(refusal);
    return atWork(async () => {
      await settleConcurrency(mission, config);
      return work();
    }, otherwise);
  };
  const { outside } = mission;
  return succeeded({
    ...mission,
    run: (how, signal) =>
      inItsMode<RunEnd>(
        () => mission.run(how, signal),
        (failure) => ({ started: false, failure }),
      ),
    outside: {
      renew: (holding) => outside.renew(holding),
      claim: (request, signal) => inItsMode(() => outside.claim(request, signal), failed),
      checkpoint: (holding, mark) => atWork(() => outside.checkpoint(holding, mark), failed),
      done: (holding, message, signal) => atWork(() => outside.done(holding, message, signal), failed),
      fail: (holding, failure, signal) => atWork(() => outside.fail(holding, failure, signal), failed),
    },
    events: (after, signal) => followedAlive(mission.events(after, signal)),
  });
}

/**
 * Brings a mission to the mode that is configured, unless somebody works on it: then it is worked on as it is, and the
 * next one to come when all is settled finds it changed.
 */
async function settleConcurrency(mission: Mission, { concurrency }: Config): Promise<void> {
  if (concurrency === undefined || mission.state().mission?.concurrency === concurrency) return;
  await mission.submit({ type: "mission.configure", concurrency });
}

export interface RunConfig {
  readonly config: Config;
  /** Lines on what was configured and will not be heeded, given the limits with which the mission began. */
  unheeded(limits: Limits | null): readonly string[];
}

/** What a run is to go by; refused where it could not keep to it. */
export async function configForRun({ root }: Project, env: Environment): Promise<Outcome<RunConfig>> {
  const layers = await loadConfigLayers({ root, env });
  if (!layers.ok) return layers;
  const refusal = sandboxRefusal(layers.value);
  if (refusal !== null) return failed(refusal);
  return succeeded({ config: configOf(layers.value), unheeded: (limits) => unheeded(layers.value, limits) });
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
  return buildVariant("agent", builtInDrivers, choice);
}

const chooseGate = (spec: GateSpec): Outcome<Gate> => buildVariant("gate", builtInGates, spec);

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
