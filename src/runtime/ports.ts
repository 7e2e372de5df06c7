// All that a mission needs from outside, chosen in compose.ts.
import type { Driver, ToolServer, Words } from "../drivers/driver.ts";
import type { Gate } from "../gates/gate.ts";
import type { Redactor } from "../kit/redact.ts";
import type { Notifier } from "../notifiers/notifier.ts";
import type { Tokens } from "../protocol/account.ts";
import type { ProcessIdentity } from "../protocol/agent.ts";
import type { AttemptEffect, Effect } from "../protocol/effect.ts";
import type { Outcome } from "../protocol/failure.ts";
import type { GateSpec } from "../protocol/gate.ts";
import type { TaskId } from "../protocol/ids.ts";
import type { Integration } from "../protocol/integration.ts";
import type { ProgramLimits } from "../protocol/resources.ts";
import type { Models } from "../protocol/role.ts";
import type { Confine } from "../protocol/sandbox.ts";
import type { Setup } from "../protocol/setup.ts";
import type { Period } from "../protocol/wait.ts";
import type { Store } from "../stores/store.ts";
import type { Workspaces } from "../workspaces/workspace.ts";
import type { Clock } from "./clock.ts";
import type { Room } from "./machine.ts";
import type { OutputFiles } from "./output/output-files.ts";
import type { ProjectCode } from "./trust.ts";
import type { EditSource } from "./views/view-source.ts";

/** Live text of an agent, redacted; for showing only. */
export interface Said {
  readonly task: TaskId;
  readonly lane: number;
  readonly text: string;
}

/** What an agent is doing at this moment, redacted; for showing only. */
export interface Doing {
  readonly task: TaskId;
  readonly lane: number;
  /** The tool that it has called, and what for; null: none, and it thinks. Not given: as before. */
  readonly call?: { readonly tool: string; readonly about: string } | null;
  /** All that its iteration has used so far, as far as that is known. */
  readonly tokens?: Tokens;
}

/** What a run must know of the place it works for. */
export interface ProjectFacts {
  readonly root: string;
  /** What its own files would have us run, as they are now. */
  facts(): Promise<ProjectCode & { readonly initScript: boolean }>;
}

/** The files people and agents read; written from the journal, never decided from. No method rejects. */
export interface Views {
  publish(): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Files by which anyone may ask for more care (rule C2). */
export interface SignalFiles {
  watch(on: { pause(): void; stop(): void }): { close(): void };
  /** What it asked for was done. */
  clear(name: "pause" | "stop"): Promise<void>;
}

/**
 * The lock of a state root that other programs see (rule L1). The journal is the truth about runs; this is honoured too.
 *
 * - `take` must not wait: a live holder is a failure with the seed's words. One that is nobody's is replaced by exactly
 *   one of those who try; `removedStale` is the pid it named.
 * - `release` removes the lock only if it is still the one taken here, may be called at any time and never rejects for
 *   what others did to the lock meanwhile.
 */
export interface Lock {
  take(owner: ProcessIdentity): Promise<Outcome<{ readonly removedStale: number | null }>>;
  release(): Promise<void>;
}

/** How the mission branch and the user's branch are kept together, as configured. */
export interface IntegrationChoice {
  readonly mode: Integration;
  /** The user's branch; null: the one that is checked out, or that the mission branch was cut from. */
  readonly baseBranch: string | null;
  /** What a merge of the user's branch must pass; null: nothing does that for the whole project. */
  readonly validation: GateSpec | null;
}

/** What keeps the programs of attempts in their place, as it was settled before the run. */
export interface Confinement {
  /** As it is recorded; null: nothing was settled. */
  readonly name: string | null;
  /** Set-up, validation, cleanup: commands the user accepted, on what an agent wrote. Undefined: nothing keeps them. */
  readonly commands: Confine | undefined;
  /** `answer` is asked by whoever has the agent's socket. */
  agent(answer: (line: string) => Promise<string>): Promise<AgentPlace>;
}

/** Where one iteration of an agent runs, and what it is told of it. */
export interface AgentPlace {
  readonly confine: Confine | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** The server of the attempt's tools; null: there is none to be had. */
  readonly tools: ToolServer | null;
  /** Where words for the agent can be left; null: it cannot be reached. */
  readonly letters: Pick<Words, "folder" | "seenAt"> | null;
  close(): Promise<void>;
}

export interface Ports {
  readonly confinement: Confinement;
  readonly integration: IntegrationChoice;
  /** Phases of the plan that begin one after the other; null: none; not given: as the mission has it. */
  readonly barrier?: readonly string[] | null;
  readonly lock: Lock;
  views(source: EditSource): Views;
  readonly signals: SignalFiles;
  readonly project: ProjectFacts;
  readonly store: Store;
  readonly clock: Clock;
  readonly workspaces: Workspaces;
  readonly notifier: Notifier;
  driver(): Outcome<Driver>;
  /** The name of that driver. */
  readonly agent: string;
  /** Not given: as the driver's options, or the agent's own settings, have it. */
  readonly models?: Models;
  /** Who can read what that agent prints, by the name of a driver; not given: it is plain text. */
  readonly agentForm?: string | undefined;
  /** At least 0, less than 1: another each time. */
  random(): number;
  /** When nobody is to be woken up, from this moment on, in order; not given: never. */
  quiet?(from: number): readonly Period[];
  gate(spec: GateSpec): Outcome<Gate>;
  readonly processes: Processes;
  /** A name that was never given before. */
  newId(): string;
  /** Every text that comes from a program passes it before it is kept or shown. */
  readonly redactor: Redactor;
  /** Everything a program started for this effect finds in its environment. */
  environment(effect: Effect): Readonly<Record<string, string>>;
  /** What each program, with all that it starts, may use. */
  readonly limits: ProgramLimits;
  readonly room: Room;
  /** Where what programs print is kept. */
  readonly output: OutputFiles;
  /** Names of the user's variables that such a program is not given. */
  withheld(effect: Effect): readonly string[];
  /** What makes a fresh checkout work. */
  readonly setup: Setup;
  /** The variables of set-up that hold ports, with the numbers its lane has. */
  lanePorts(effect: Pick<AttemptEffect, "lane" | "run">): Promise<Outcome<Readonly<Record<string, string>>>>;
  readonly onSaid?: (said: Said) => void;
  readonly onDoing?: (doing: Doing) => void;
}

/** Processes of the machine, by identity: never by number alone. */
export interface Processes {
  self(): Promise<ProcessIdentity>;
  isAlive(identity: ProcessIdentity): Promise<boolean>;
  /**
   * Ends the group a dead run left behind; must never touch a reused number. Members whose leader is gone are
   * recognised by the marker in their environment: the effect's id.
   */
  endGroup(identity: ProcessIdentity, marker: string): Promise<void>;
}
