// Chosen variants → an open mission. With its neighbours the only code that knows every family.
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import type { Writable } from "node:stream";
import type { Driver } from "../drivers/driver.ts";
import { builtInDrivers } from "../drivers/index.ts";
import type { Gate } from "../gates/gate.ts";
import { builtInGates } from "../gates/index.ts";
import { isThere } from "../kit/is-there.ts";
import { endGroup } from "../kit/process-groups.ts";
import { identifySelf, isAlive, isAliveSince } from "../kit/process-identity.ts";
import { createRedactor, secretsOf } from "../kit/redact.ts";
import { followedAlive, stayingAlive } from "../kit/staying-alive.ts";
import { createConsoleNotifier, createSilentNotifier } from "../notifiers/index.ts";
import type { ProcessIdentity } from "../protocol/agent.ts";
import type { Config } from "../protocol/config.ts";
import { type Failure, failed, type Outcome, succeeded } from "../protocol/failure.ts";
import type { GateSpec } from "../protocol/gate.ts";
import { isOutsideRun } from "../protocol/ids.ts";
import type { Integration } from "../protocol/integration.ts";
import type { Setup } from "../protocol/setup.ts";
import type { WorkspaceKind } from "../protocol/task.ts";
import { systemClock } from "../runtime/clock.ts";
import { sandboxRefusal } from "../runtime/config/for-run.ts";
import { configOf, loadConfigLayers } from "../runtime/config.ts";
import { environmentFor } from "../runtime/environment.ts";
import { createVisibleLock } from "../runtime/lock/visible-lock.ts";
import { createMission, type Mission } from "../runtime/mission.ts";
import type { Ports, Said } from "../runtime/ports.ts";
import { type Environment, journalFile, type Project, projectFacts } from "../runtime/project.ts";
import type { RunEnd } from "../runtime/run.ts";
import { PortLeases } from "../runtime/setup/port-leases.ts";
import { buildVariant } from "../runtime/variants.ts";
import { openViews, signalFiles } from "../runtime/views/open-views.ts";
import { openSqliteStore, StoreError } from "../stores/index.ts";
import { describeRepository } from "../workspaces/index.ts";
import { settleWorkspace, workspacesFor } from "./place.ts";
import { type AgentChoice, commandsOf, integrationOf } from "./project-config.ts";

export interface OpenOptions {
  readonly env: Environment;
  readonly agent?: AgentChoice;
  /** In the user's own words. */
  readonly integration?: Integration;
  /** Where attempts are to work; as configured, else as the mission has it, if not given. */
  readonly workspace?: WorkspaceKind;
  /** In place: changes that are not committed become part of the work. */
  readonly withChanges?: boolean;
  readonly onSaid?: (said: Said) => void;
  /** Where notifications are written; nowhere if not given. */
  readonly notifyOn?: Writable;
  /** A view that could not be written; the mission goes on. */
  readonly onTrouble?: (failure: Failure) => void;
}

/** A group that ignores a polite end gets this long, as in the runner. */
const graceMs = 5_000;

/** The mission of a project as its journal has it; nothing is adopted on the way. */
export async function open(
  project: Project,
  options: OpenOptions,
  { create }: { create: boolean },
): Promise<Outcome<Mission>> {
  if (!create && !isThere(journalFile(project))) return failed(journalMissing(project));
  const layers = await loadConfigLayers({ root: project.root, env: options.env });
  if (!layers.ok) return layers;
  const store = await openStore(project);
  if (!store.ok) return store;
  const { setup } = configOf(layers.value);
  const processes = {
    self: identifySelf,
    isAlive,
    endGroup: async (identity: ProcessIdentity, marker: string) => void (await endGroup(identity, { graceMs, marker })),
  };
  const ports: Ports = {
    project: { root: project.root, facts: () => projectFacts(project.root, commandsOf(layers.value, options)) },
    integration: integrationOf(layers.value, options.integration),
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
    redactor: createRedactor({ values: secretsOf({ ...options.env, ...setup.env }) }),
    setup,
    lanePorts: lanePortsOf(project, setup, processes),
    ...(options.onSaid === undefined ? {} : { onSaid: options.onSaid }),
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
  const wanted = options.workspace ?? config.workspace;
  const atWork = async <T>(work: () => Promise<T>, otherwise: (failure: Failure) => T): Promise<T> => {
    const place = await repository();
    if (!place.ok) return otherwise(place.failure);
    rootPrefix = place.value.prefix;
    return stayingAlive(work);
  };
  const inItsMode = async <T>(work: () => Promise<T>, otherwise: (failure: Failure) => T): Promise<T> => {
    const refusal = sandboxRefusal(layers.value, wanted ?? mission.state().mission?.workspace);
    if (refusal !== null) return otherwise(refusal);
    const placed = await settleWorkspace(mission, project, wanted);
    if (!placed.ok) return otherwise(placed.failure);
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
