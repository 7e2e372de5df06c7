// The port of the gate family: one verb, judge a candidate.
import type * as z from "zod";
import type { AnnounceProcess, RecordOutput, Redacting } from "../protocol/agent.ts";
import type { Verdict } from "../protocol/gate.ts";
import type { ProgramLimits } from "../protocol/resources.ts";
import type { Confine } from "../protocol/sandbox.ts";

export interface GateRequest {
  /** A clean checkout of exactly the candidate. */
  readonly dir: string;
  /** Absolute paths in it that a set-up made before: not part of the candidate. */
  readonly made?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly announce: AnnounceProcess;
  /** Gets everything the check prints, as it comes; the check waits while it is pending. */
  readonly record?: RecordOutput;
  /** Past them the check is ended, and has not passed. */
  readonly limits?: ProgramLimits;
  /** Keeps what the check starts in its place; not given: nothing does. */
  readonly confine?: Confine | undefined;
  /** All that the check prints passes it before any of it is kept or cut. */
  readonly redactor: Redacting;
  /** Gives a clean checkout of what the candidate was made on; `dir` may be gone then. Null where there is none. */
  readonly base?: () => Promise<string | null>;
}

/**
 * Judges the work in `dir` and keeps evidence.
 *
 * Must answer `pass` only if the check itself ran and agreed. Must answer `unable` (kind `env_setup` or `config`)
 * when the check could not run at all, so that no attempt is charged for a broken environment. Must not throw for
 * anything the check does. Must start each process as `confine` makes it, announce it before it acts and leave none
 * behind. When `signal` aborts: must stop everything, then answer `unable`. Must not change state outside `dir`.
 */
export interface Gate {
  /** Only looks at files: it needs no set-up, and comes before those that do. */
  readonly startsNothing?: true;
  check(request: GateRequest, signal: AbortSignal): Promise<Verdict>;
}

export interface GateVariant<Options extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly options: Options;
  create(options: z.output<Options>): Gate;
}

export const defineGate = <Options extends z.ZodType>(variant: GateVariant<Options>): GateVariant<Options> => variant;
