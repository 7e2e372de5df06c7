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
import { type Failure, failed, type Outcome, succeeded } from "./protocol/failure.ts";
import type { GateSpec } from "./protocol/gate.ts";
import { Limits } from "./protocol/task.ts";
import { systemClock } from "./runtime/clock.ts";
import { environmentFor } from "./runtime/environment.ts";
import { createMission, type Mission } from "./runtime/mission.ts";
import type { Ports, Said } from "./runtime/ports.ts";
import {
  createProject,
  type Environment,
  findRoot,
  journalFile,
  openProject,
  type Project,
} from "./runtime/project.ts";
import { openSqliteStore, StoreError } from "./stores/index.ts";
import {
  createCloneWorkspaces,
  describeRepository,
  excludeFromGit,
  uncommittedFiles as uncommittedIn,
} from "./workspaces/index.ts";

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
}

const ownFiles = ["harness-tasks.json*", "harness-progress.txt", ".harness-active", ".harness/"];
/** A group that ignores a polite end gets this long, as in the runner. */
const graceMs = 5_000;

/** The project a directory belongs to (rule F1). */
export async function locateProject(from: string, env: Environment, root?: string): Promise<Outcome<Project>> {
  const found = root ?? (await findRoot(from, env));
  if (found !== null) return openProject(found, env);
  return failed({ kind: "config", message: `no Harness project at or above ${from}`, remedy: "run: harness init" });
}

export interface Initialised {
  readonly project: Project;
  /** False when it was a project before; nothing was changed then. */
  readonly created: boolean;
  readonly branch: string;
}

/** Makes the repository's top (or `root`) a project with an empty plan. */
export async function initProject(from: string, env: Environment, root?: string): Promise<Outcome<Initialised>> {
  const place = await describeRepository(root ?? from);
  if (!place.ok) return place;
  const at = root ?? (await findRoot(from, env)) ?? place.value.toplevel;
  const project = await createProject(at, env);
  if (!project.ok) return project;
  const prefix = root === undefined ? "" : place.value.prefix;
  const excluded = await excludeFromGit(
    project.value.root,
    ownFiles.map((file) => `/${join(prefix, file)}`),
  );
  if (!excluded.ok) return excluded;
  const mission = await open(project.value, { env }, { create: true });
  if (!mission.ok) return mission;
  try {
    const id = `mission-${slug(basename(project.value.root))}-${project.value.id.slice(0, 6)}`;
    const command = { type: "mission.create", mission: id, branch: `harness/${id}`, limits: Limits.parse({}) } as const;
    const isNew = mission.value.state().mission === null;
    // One id for ever: a second init, or two at once, create one mission.
    const created = await mission.value.submit(command, `init/${project.value.id}`);
    const present = mission.value.state().mission;
    if (present === null)
      return created.ok ? failed({ kind: "config", message: "the mission was not recorded" }) : created;
    return succeeded({ project: project.value, created: created.ok && isNew, branch: present.branch });
  } finally {
    await mission.value.close();
  }
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
  const store = await openStore(project);
  if (!store.ok) return store;
  const redactor = createRedactor({ values: secretsOf(options.env) });
  const branchOf = (): string => mission.state().mission?.branch ?? "harness/mission";
  const ports: Ports = {
    store: store.value,
    clock: systemClock,
    get workspaces() {
      return workspaces();
    },
    notifier: options.notifyOn === undefined ? createSilentNotifier() : createConsoleNotifier(options.notifyOn),
    driver: () => chooseDriver(options.agent),
    gate: chooseGate,
    processes: {
      self: identifySelf,
      isAlive,
      endGroup: async (identity, marker) => void (await endGroup(identity, { graceMs, marker })),
    },
    environment: (effect) => environmentFor(effect, options.env, project.root),
    newId: () => randomBytes(12).toString("hex"),
    redactor,
    ...(options.onSaid === undefined ? {} : { onSaid: options.onSaid }),
  };
  // Made when first used: the branch is known only once the journal has been read.
  const workspaces = once(() =>
    createCloneWorkspaces({
      repository: project.root,
      home: project.home,
      branch: branchOf(),
      rootPrefix: place.value.prefix,
    }),
  );
  const mission = await createMission(ports);
  return succeeded(mission);
}

const journalMissing = (project: Project): Failure => ({
  kind: "config",
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
    return failed({ kind: "config", message: "no agent was chosen", remedy: "run: harness run --agent-command CMD" });
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
