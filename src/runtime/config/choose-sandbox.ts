// Which sandbox a run has, given what was asked for and what the machine can do. Never less than was asked for.
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { SandboxWish } from "../../protocol/sandbox.ts";
import type { WorkspaceKind } from "../../protocol/task.ts";

export interface Wanted extends SandboxWish {
  /** Where the user said so: a file, a flag; null: nowhere. */
  readonly where: string | null;
}

export interface SandboxChoice {
  readonly use: "bubblewrap" | "none";
  readonly network: "on" | "off";
  /** Why there is none; null with one. */
  readonly why: string | null;
}

export interface SandboxFacts {
  readonly wanted: Wanted;
  readonly workspace: WorkspaceKind;
  /** Why this machine has none; null: it has one, or it was not asked. */
  readonly lack: string | null;
  /** The user agreed to go without, for exactly this lack. */
  readonly consent: boolean;
}

const places = { worktree: "a work tree of your repository", "in-place": "your own checkout" } as const;

export function chooseSandbox({ wanted, workspace, lack, consent }: SandboxFacts): Outcome<SandboxChoice> {
  const { mode, network, where } = wanted;
  const without = (why: string) => succeeded({ use: "none", network: "on", why } as const);
  if (mode === "off") return without(where === null ? "off" : `off, by ${where}`);
  if (workspace !== "clone")
    return mode === "required"
      ? failed(notAround(wanted, places[workspace]))
      : without(`not around ${places[workspace]}`);
  if (lack === null) return succeeded({ use: "bubblewrap", network, why: null });
  if (mode === "required") return failed(notToBeHad(wanted, lack));
  return consent ? without(`${lack}, and you agreed`) : failed(needsConsent(lack));
}

const notAround = ({ where }: Wanted, place: string): Failure => ({
  kind: "config",
  message: `${where ?? "configuration"}: sandbox is "required", and there is none around ${place}`,
  remedy: "work in clones: --workspace clone",
});

const notToBeHad = ({ where }: Wanted, lack: string): Failure => ({
  kind: "env_setup",
  message: `${where ?? "configuration"}: sandbox is "required", and there is none: ${lack}`,
  remedy: `${mend(lack)}; or ask for "auto" or "off" there`,
});

const mend = (lack: string): string =>
  lack === "bubblewrap is not installed"
    ? "install bubblewrap (apt-get install bubblewrap, dnf install bubblewrap …)"
    : "see what keeps bubblewrap from working (harness sandbox)";

/** Asked once for a machine and a reason. */
export const needsConsent = (lack: string): Failure => ({
  kind: "trust",
  message: `there is no sandbox on this machine (${lack}), and nobody agreed yet to work without one`,
  remedy: `${mend(lack)}; or agree once for this machine: harness sandbox consent`,
  evidence: reachWithout,
});

export const reachWithout = [
  "Without a sandbox an agent, and every program it starts, has all your rights on this machine. It can:",
  "- read your files: keys, tokens, mail, other projects",
  "- change or delete them, your repositories and Harness's own records included",
  "- use the network, and whatever you are logged in to",
  "- leave programs running that are hard to find",
].join("\n");
