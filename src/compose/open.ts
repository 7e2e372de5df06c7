// Chosen variants → an open mission. With its neighbours the only code that knows every family.
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import type { Writable } from "node:stream";
import type { AgentFacts, Driver } from "../drivers/driver.ts";
import { builtInDrivers } from "../drivers/index.ts";
import type { Gate } from "../gates/gate.ts";
import { builtInGates } from "../gates/index.ts";
import { isThere } from "../kit/is-there.ts";
import { projectSecrets, userSecrets } from "../kit/known-secrets.ts";
import { endGroup } from "../kit/process-groups.ts";
import { identifySelf, isAlive, isAliveSince } from "../kit/process-identity.ts";
import { createRedactor } from "../kit/redact.ts";
import { secretsOf } from "../kit/secret-names.ts";
import { followedAlive, stayingAlive } from "../kit/staying-alive.ts";
import { createConsoleNotifier, createSilentNotifier } from "../notifiers/index.ts";
import type { ProcessIdentity } from "../protocol/agent.ts";
import type { Config } from "../protocol/config.ts";
import { type Failure, failed, type Outcome, succeeded } from "../protocol/failure.ts";
import type { GateSpec } from "../protocol/gate.ts";
import { isOutsideRun } from "../protocol/ids.ts";
import type { Integration } from "../protocol/integration.ts";
import type { SandboxMode } from "../protocol/sandbox.ts";
import type { Setup } from "../protocol/setup.ts";
import type { WorkspaceKind } from "../protocol/task.ts";
import { systemClock } from "../runtime/clock.ts";
import { barrierOf } from "../runtime/config/barrier.ts";
import type { SandboxChoice } from "../runtime/config/choose-sandbox.ts";
import { configOf, isFromProject, loadConfigLayers, modelsOf } from "../runtime/config.ts";
import { environmentFor, passedTo, withheldNames } from "../runtime/environment.ts";
import { createVisibleLock } from "../runtime/lock/visible-lock.ts";
import { limitsOf, roomFor } from "../runtime/machine.ts";
import { createMission, type Mission } from "../runtime/mission.ts";
import { createOutputFiles } from "../runtime/output/output-files.ts";
import type { Doing, Ports, Said } from "../runtime/ports.ts";
import { type Environment, journalFile, type Project, projectFacts } from "../runtime/project.ts";
import { quietPeriods } from "../runtime/quiet-hours.ts";
import type { RunEnd } from "../runtime/run.ts";
import { PortLeases } from "../runtime/setup/port-leases.ts";
import { sharedPaths } from "../runtime/setup/shared-paths.ts";
import { buildVariant } from "../runtime/variants.ts";
import { openViews, signalFiles } from "../runtime/views/open-views.ts";
import type { Reach } from "../sandboxes/sandbox.ts";
import { openSqliteStore, StoreError } from "../stores/index.ts";
import { describeRepository, repositoryPlaces } from "../workspaces/index.ts";
import { agentProgram, checkAgent, outputFormOf } from "./chosen-agent.ts";
import { confinementOf } from "./confinement.ts";
import { type AgentNeeds, passingOf } from "./passing.ts";
import { settleWorkspace, workspacesFor } from "./place.ts";
import { type AgentChoice, commandsOf, integrationOf } from "./project-config.ts";
import { filesNamedIn, reachOf } from "./reach.ts";
import { type Settled, settleSandbox, wantedSandbox } from "./sandbox.ts";

export interface OpenOptions extends AgentNeeds {
  readonly env: Environment;
  /** In the user's own words. */
  readonly integration?: Integration;
  /** Where attempts are to work; as configured, else as the mission has it, if not given. */
  readonly workspace?: WorkspaceKind;
  /** In place: changes that are not committed become part of the work. */
  readonly withChanges?: boolean;
  /** In the user's own words; as configured if not given. */
  readonly sandbox?: SandboxMode;
  /** The command line of this program, for what agents start of it; without it they have no tools. */
  readonly program?: readonly [string, ...string[]];
  readonly onSaid?: (said: Said) => void;
  readonly onDoing?: (doing: Doing) => void;
  /** Where notifications are written; nowhere if not given. */
  readonly notifyOn?: Writable;
  /** A view that could not be written; the mission goes on. */
  readonly onTrouble?: (failure: Failure) => void;
}

export interface OpenedMission extends Mission {
  /** What keeps the programs of attempts in their place from now on. Tried once; what was refused is tried again. */
  sandbox(): Promise<Outcome<SandboxChoice>>;
  /** Whether the chosen agent could work in that; to be asked once its program may be started (rule T). */
  checkAgent(signal?: AbortSignal): Promise<Outcome<AgentFacts>>;
  /** Why this machine has none, after `sandbox` found that out; null: it has one, or nobody looked. */
  lack(): string | null;
}

/** A group that ignores a polite end gets this long, as in the runner. */
const graceMs = 5_000;

/** The mission of a project as its journal has it; nothing is adopted on the way. */
export async function open(
  project: Project,
  options: OpenOptions,
  { create }: { create: boolean },
): Promise<Outcome<OpenedMission>> {
  if (!create && !isThere(journalFile(project))) return failed(journalMissing(project));
  const layers = await loadConfigLayers({ root: project.root, env: options.env });
  if (!layers.ok) return layers;
  const store = await openStore(project);
  if (!store.ok) return store;
  const { setup, resources, output, tokens = {} } = configOf(layers.value);
  const passing = passingOf(layers.value, options.env, options);
  const redactor = createRedactor({
    values: () => [
      ...userSecrets(options.env),
      ...Object.values(tokens),
      ...secretsOf(setup.env),
      ...projectSecrets(
        project.root,
        sharedPaths(setup).map(({ path }) => path),
      ),
    ],
  });
  const processes = {
    self: identifySelf,
    isAlive,
    endGroup: async (identity: ProcessIdentity, marker: string) => void (await endGroup(identity, { graceMs, marker })),
  };
  const { onTrouble = () => undefined } = options;
  const ports: Ports = {
    project: { root: project.root, facts: () => projectFacts(project.root, commandsOf(layers.value, options)) },
    integration: integrationOf(layers.value, options.integration),
    barrier: barrierOf(configOf(layers.value)),
    store: store.value,
    lock: createVisibleLock({ root: project.root, store: store.value, lookout: { isAlive, isAliveSince } }),
    clock: systemClock,
    get workspaces() {
      return workspaces();
    },
    views: (source) => openViews(project, source, { env: options.env, processes, onTrouble, shown: redactor.redact }),
    signals: signalFiles(project.root),
    notifier: options.notifyOn === undefined ? createSilentNotifier() : createConsoleNotifier(options.notifyOn),
    driver: () => chooseDriver(options.agent ?? configOf(layers.value).agent),
    agent: (options.agent ?? configOf(layers.value).agent)?.use ?? "",
    models: modelsOf(configOf(layers.value)),
    agentForm: outputFormOf((options.agent ?? configOf(layers.value).agent)?.use),
    random: Math.random,
    quiet: (from) => quietPeriods(configOf(layers.value).quietHours, from),
    gate: chooseGate,
    processes,
    environment: (effect) => environmentFor(effect, passing, project.root),
    withheld: ({ kind }) => withheldNames(kind, passing),
    get confinement() {
      return confinementOf(settled, { ...project, prefix: () => rootPrefix, program: options.program });
    },
    newId: () => randomBytes(12).toString("hex"),
    redactor,
    limits: limitsOf(resources),
    room: roomFor(project.home, resources),
    output: createOutputFiles({ home: project.home, keeping: output, redactor, onTrouble }),
    setup,
    lanePorts: lanePortsOf(project, setup, processes),
    ...(options.onSaid === undefined ? {} : { onSaid: options.onSaid }),
    ...(options.onDoing === undefined ? {} : { onDoing: options.onDoing }),
  };
  // Asked only by those who work there: most commands need no git.
  const repository = once(() => describeRepository(project.root));
  let rootPrefix = "";
  // Made when first used: the branch is known only once the journal has been read.
  const workspaces = once(() => {
    const { branch = "harness/mission", workspace = "clone", id } = mission.state().mission ?? {};
    const { withChanges = false } = options;
    const links = config.branchIsolation?.enabled !== false && config.branchIsolation?.useWorktrees === true;
    const exclusively = <T>(work: () => T): Promise<T> => ports.store.exclusively(work);
    const site = { rootPrefix, branch, exclusively, ...(id !== undefined && { mission: id }) };
    return workspacesFor({ project, workspace, withChanges, links, ...site });
  });
  const config = configOf(layers.value);
  const mission = await createMission(ports);
  const wanted = {
    workspace: options.workspace ?? config.workspace,
    sandbox: wantedSandbox(layers.value, options.sandbox),
  };
  let lack: string | null = null;
  let settled: (Settled & { readonly reach: Reach | null }) | null = null;
  const reach = async (): Promise<Outcome<Reach>> => {
    const [place, places] = [await repository(), await repositoryPlaces(project.root)];
    if (!place.ok) return place;
    if (!places.ok) return places;
    const { agent = config.agent } = options;
    const isUsers = options.agent !== undefined || !isFromProject(layers.value, ["agent"]);
    const home = builtInDrivers.find(({ name }) => name === agent?.use)?.home ?? [];
    const named = Object.values(agent?.options ?? {}).flatMap((value) => filesNamedIn(String(value)));
    const files = isUsers ? [...named, ...(await agentProgram(agent, options.env, project.root))] : [];
    const repositoryOf = [place.value.toplevel, ...places.value];
    return succeeded(
      reachOf({ project, env: options.env, repository: repositoryOf, wish: wanted.sandbox, home, files }),
    );
  };
  const sandbox = async (): Promise<Outcome<SandboxChoice>> => {
    if (settled !== null) return succeeded(settled.choice);
    const workspace = mission.state().mission?.workspace ?? "clone";
    const found = await settleSandbox({ project, env: options.env, wanted: wanted.sandbox, workspace, reach });
    lack = found.lack;
    if (!found.outcome.ok) return found.outcome;
    const { value } = found.outcome;
    const allowed = value.choice.use === "none" ? null : await reach();
    if (allowed !== null && !allowed.ok) return allowed;
    settled = { ...value, reach: allowed === null ? null : allowed.value };
    return succeeded(settled.choice);
  };
  const atWork = async <T>(work: () => Promise<T>, otherwise: (failure: Failure) => T): Promise<T> => {
    const place = await repository();
    if (!place.ok) return otherwise(place.failure);
    rootPrefix = place.value.prefix;
    return stayingAlive(work);
  };
  /** For whatever starts programs of an attempt. */
  const inSandbox = async <T>(work: () => Promise<T>, otherwise: (failure: Failure) => T): Promise<T> => {
    const chosen = await sandbox();
    return chosen.ok ? atWork(work, otherwise) : otherwise(chosen.failure);
  };
  const inItsMode = async <T>(work: () => Promise<T>, otherwise: (failure: Failure) => T): Promise<T> => {
    const full = await ports.room.shortage();
    if (full !== null) return otherwise(full);
    const placed = await settleWorkspace(mission, project, wanted.workspace);
    if (!placed.ok) return otherwise(placed.failure);
    return inSandbox(async () => {
      await settleConcurrency(mission, config);
      return work();
    }, otherwise);
  };
  const { outside } = mission;
  return succeeded({
    ...mission,
    sandbox,
    checkAgent: (signal) =>
      checkAgent(options.agent ?? config.agent, {
        cwd: project.root,
        env: passedTo("agent.run", passing),
        sandboxed: settled !== null && settled.choice.use !== "none",
        signal,
      }),
    lack: () => lack,
    baseline: (validation, signal) => inItsMode(() => mission.baseline(validation, signal), failed),
    run: (how, signal) =>
      inItsMode<RunEnd>(
        async () => {
          const changed = await ports.store.verify();
          if (changed !== null) return { started: false, failure: journalChanged(project, changed) };
          return mission.run(how, signal);
        },
        (failure) => ({ started: false, failure }),
      ),
    outside: {
      renew: (holding) => outside.renew(holding),
      claim: (request, signal) => inItsMode(() => outside.claim(request, signal), failed),
      checkpoint: (holding, mark) => atWork(() => outside.checkpoint(holding, mark), failed),
      done: (holding, message, signal) => inSandbox(() => outside.done(holding, message, signal), failed),
      fail: (holding, failure, signal) => inSandbox(() => outside.fail(holding, failure, signal), failed),
    },
    accept: (wish) => atWork(() => mission.accept(wish), failed),
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

/** An outside worker may take as long as this for what it claimed. */
const outsideMs = 86_400_000;

/** Leased for all missions of this user's, beside their state homes. */
function lanePortsOf(project: Project, setup: Setup, processes: Ports["processes"]): Ports["lanePorts"] {
  const { self, isAlive: alive } = processes;
  const leases = new PortLeases({
    directory: join(dirname(project.home), "ports"),
    self,
    isAlive: alive,
    now: systemClock.now,
  });
  return async ({ lane, run }) => {
    const numbers: Record<string, string> = {};
    for (const name of setup.ports) {
      const until = isOutsideRun(run) ? systemClock.now() + outsideMs : 0;
      const port = await leases.lease(`${project.id} ${lane} ${name}`, until);
      if (!port.ok) return port;
      numbers[name] = String(port.value);
    }
    return succeeded(numbers);
  };
}

/** Whatever is in it would be acted on: a person looks first. */
const journalChanged = (project: Project, position: number): Failure => ({
  kind: "config",
  message: `the journal ${journalFile(project)} was changed by somebody else: event ${position} does not fit those before it`,
  remedy: "put back a copy from before, or begin anew with another HARNESS_STATE_HOME and: harness init",
});

const journalMissing = (project: Project): Failure => ({
  kind: "usage",
  message: `the journal of ${project.root} is not at ${journalFile(project)}`,
  remedy: "set HARNESS_STATE_HOME as it was, or begin anew with: harness init",
});

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
