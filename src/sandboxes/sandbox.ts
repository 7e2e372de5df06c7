// The port of the sandbox family: a command line becomes one that reaches no more than it may.
import type { Confined } from "../protocol/sandbox.ts";

/** Paths are absolute. Of several that hold for a file the most specific counts; of the same path the widest. */
export interface Reach {
  /** Shown empty. What is written there is the program's own, and gone with it. */
  readonly hidden: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Directories shown at another place, to read. */
  readonly shown?: readonly { readonly from: string; readonly at: string }[];
  readonly network: boolean;
  /** Set, or taken away, in the program's environment. */
  readonly env?: Readonly<Record<string, string | null>>;
}

/**
 * Keeps a program, and everything it starts, to its reach.
 *
 * - The program must find the machine's files where they are, to read only; `hidden` ones not at all; `write` paths to
 *   write; a temporary directory of its own.
 * - It must not see or signal a process of the machine that is not its own. When the started process ends, however it
 *   ends, everything the program started must end, whatever session, group or environment it gave itself.
 * - The program's exit code must be the command's, and its streams the command's.
 * - `probe` must try forbidden acts in a real sandbox of this reach and answer null only if each was refused and the
 *   allowed ones worked; else why not, in one line that is the same each time.
 */
export interface Sandbox {
  /** As it is shown and recorded; "none" where nothing is kept from a program. */
  readonly name: string;
  confine(argv: readonly string[], cwd: string, reach: Reach): Promise<Confined>;
  probe(reach: Reach, place: ProbePlace): Promise<string | null>;
}

export interface ProbePlace {
  /** A hidden directory in which things may be made for the time of the probe. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}
