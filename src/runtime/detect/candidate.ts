// A guess at how a project is tested and set up, and the form in which each kind of project makes it.
import type { Look } from "./look.ts";

/** Commands are our own texts, chosen by what was found: nothing written in a project's file becomes part of one. */
export interface Candidate {
  readonly kind: string;
  /** Exit 0 means that the work is good; null when the project shows no tests. */
  readonly validation: string | null;
  /** Fetches what the project depends on; null when nothing needs to be fetched, or only the user knows how. */
  readonly setup: string | null;
  readonly why: string;
  /** Programs that both need. */
  readonly tools: readonly string[];
  /** The folder that `setup` fills; null when `setup` itself sees what is there already. */
  readonly dependencies: string | null;
}

export interface Detected {
  /** The likeliest first; none when nothing was recognised. */
  readonly candidates: readonly Candidate[];
}

export interface Finding extends Omit<Candidate, "kind"> {
  /** Whether the project names the command itself, or it is what such projects usually have. */
  readonly basis: "declared" | "usual";
}

export interface Kind {
  readonly kind: string;
  /** Null when the project is not of this kind. */
  detect(look: Look): Promise<Finding | null>;
}
