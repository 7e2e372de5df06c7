// Everything of a project that waits for somebody to say that it may run, and one hash over it (rule T).
import { createHash } from "node:crypto";
import type { ReadonlyState } from "../core/state.ts";
import { untrustedCommands } from "../core/trust.ts";

export interface ProjectCode {
  readonly hash: string | null;
  /** As people should read it. */
  readonly what: readonly string[];
}
export interface Untrusted {
  readonly hash: string;
  readonly what: readonly string[];
}

/** Null when nothing waits. Bound to the exact text: one changed character is another hash. */
export function untrustedIn(state: ReadonlyState, project: ProjectCode): Untrusted | null {
  const commands = untrustedCommands(state);
  const code = project.hash === state.trustedProject ? [] : project.what;
  const what = [...commands, ...code];
  return what.length === 0 ? null : { hash: sha256(JSON.stringify(what)).slice(0, 16), what };
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
