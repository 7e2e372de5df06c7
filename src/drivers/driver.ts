// The port of the driver family: one verb, run one iteration of a coding agent.
import type * as z from "zod";
import type { AgentEvent, AnnounceProcess, RecordOutput, Redacting } from "../protocol/agent.ts";
import type { Outcome } from "../protocol/failure.ts";
import type { TaskId } from "../protocol/ids.ts";
import type { ProgramLimits } from "../protocol/resources.ts";
import type { ModelChoice, RoleName } from "../protocol/role.ts";
import type { Confine, HomePath } from "../protocol/sandbox.ts";
import type { ReadTranscript } from "../protocol/transcript.ts";

/**
 * A server of tools for the agent of one attempt: it speaks MCP on its standard streams, ends when they are closed, and
 * whatever is told to it counts for this attempt and no other.
 */
export interface ToolServer {
  /** Its command line; to be started in the agent's own place, sandbox included. */
  readonly command: readonly [string, ...string[]];
  /** What it needs of its environment, should the agent not pass on its own. */
  readonly env: Readonly<Record<string, string>>;
}

/** How whoever asked for an iteration speaks to its agent while it works. */
export interface Words {
  /** A folder for the driver's own use, which the agent can read and is gone when the iteration has ended. */
  readonly folder: string;
  /** The same folder, as the agent finds it in its place. */
  readonly seenAt: string;
  /** Gets each word once, those said before included. */
  listen(listener: (text: string) => void): void;
}

/** What the agent is, apart from its task: the same text for every task, so that a provider's cache can keep it. */
export interface Role extends ModelChoice {
  readonly name: RoleName;
  readonly text: string;
}

export interface AgentRequest {
  readonly task: TaskId;
  readonly attempt: number;
  readonly iteration: number;
  readonly role: Role;
  /** What it is to do. */
  readonly brief: string;
  /** The workspace; the agent works here and nowhere else. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** What it may cost, for an agent that can be told; whoever asked watches the rest. */
  readonly budgetUsd?: number | undefined;
  readonly announce: AnnounceProcess;
  /** Gets everything the agent prints, as it comes; the agent waits while it is pending. */
  readonly record?: RecordOutput;
  /** Past them an agent is ended: `failed`, kind `resources`. */
  readonly limits?: ProgramLimits;
  /** Keeps the agent's processes in their place; not given: nothing does. */
  readonly confine?: Confine | undefined;
  /** Given only to a driver that says it `offersTools`. */
  readonly tools?: ToolServer | undefined;
  /** Heeded by a driver that can; not given: nothing will be said. */
  readonly words?: Words | undefined;
  /** All that the agent prints passes it before any of it is kept, cut or said. */
  readonly redactor: Redacting;
}

/**
 * Runs one coding agent once, with a fresh context, in `cwd`.
 *
 * Must yield exactly one `ended`, and yield it last. Must not throw for anything the agent does: a crash, garbage,
 * a missing program are `failed` ends. Must start each process as `confine` makes it, announce it before it acts, and
 * end it unheard when the answer is false (the end is then `interrupted`). Must stop everything it started, its own
 * process group included, before it yields `ended` – on a normal end, when `signal` aborts (`interrupted`), and past
 * `timeoutMs` (`failed`, kind `timeout`). Must hold memory flat however much the agent prints.
 *
 * Must judge an end by what the agent tells in fields, by its prose only where it has no fields, and never by its exit
 * code alone: `finished` is the agent's own claim. What the provider will not serve before a moment is `limited`; what
 * is gone without a word, and not by us, is `lost`; what gets nowhere is `stalled`. All that is known of what was used
 * is in the end's `account`; none, if nothing is known.
 *
 * Should tell what the agent tells, as it comes: that it `began`, what it `said`, each tool it `called` and what that
 * `answered` – after the call and under the same name –, what it `used` so far and how full its context is, when its service let it wait
 * (`retried`) and how much is left (`limit`); once `signal` aborted, nothing more but its end. Must bound and redact
 * every text of these.
 *
 * Must give the agent the role's text: as its instructions, where it has a place for them, else before the brief. Should
 * heed the role's model and effort before its own options; an agent that knows neither works without.
 *
 * May offer the request's `tools` to its agent, and says so: as a server called `harness`, beside those the user has, to
 * be called without asking in every mode of permissions. An agent that cannot reach it works without.
 *
 * May pass `words` on to its agent: as soon as that can hear them, and whole. An agent that hears none works without.
 *
 * May run without a process of its own. Must not judge the work.
 */
export interface Driver {
  /** The agent is told in its brief that it has them. */
  readonly offersTools?: true;
  /** It can play the summariser: answer once, without any tool. */
  readonly sumsUp?: true;
  run(request: AgentRequest, signal: AbortSignal): AsyncIterable<AgentEvent>;
}

/** For an agent that has one place for all it is told. */
export const wholeText = ({ role, brief }: Pick<AgentRequest, "role" | "brief">): string => `${role.text}\n\n${brief}`;

/** Where an agent would be started. */
export interface CheckPlace {
  readonly cwd: string;
  /** As the agent would find it. */
  readonly env: Readonly<Record<string, string>>;
  readonly sandboxed: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** What is known of an agent before it is started; null: it does not tell. */
export interface AgentFacts {
  readonly version: string | null;
  /** By which of the user's rights it works. */
  readonly login: string | null;
  /** The plan that pays for it; not given: each use is paid for, or that is not known. */
  readonly subscription?: string;
}

/** A variant owns its options: the engine keeps them opaque, the variant's schema parses them. */
export interface DriverVariant<Options extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly options: Options;
  /** What the agent needs of the user's home – login, settings, caches; all else is hidden from it in a sandbox. */
  readonly home?: readonly HomePath[];
  /** What a user should know before it starts, in a line; its first option, if not given. */
  describe?(options: z.output<Options>, chosen: ModelChoice): string;
  /** Its agent heeds a role's model and effort. */
  readonly takesModel?: true;
  /** The program it starts, by name or path; in a sandbox its file is shown, wherever a link on the PATH leads. */
  program?(options: z.output<Options>): string;
  /** Variables of the user's that its agent needs, beside those every program is given: `NAME`, or `PREFIX_*`. */
  env(options: z.output<Options>): readonly string[];
  /**
   * Whether it could work, before anything is begun or spent: a failure is all that the user has to mend, in one line
   * with its remedy. Must start nothing but the agent's own program, and spend nothing. Not given: nothing is known.
   */
  check?(options: z.output<Options>, place: CheckPlace): Promise<Outcome<AgentFacts>>;
  /** Reads back what was recorded of its agent, for people; not given: that is plain text. */
  readonly transcript?: ReadTranscript;
  create(options: z.output<Options>): Driver;
}

export const defineDriver = <Options extends z.ZodType>(variant: DriverVariant<Options>): DriverVariant<Options> =>
  variant;
