// Starts a program that waits, before its first own instruction, until it is let go.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { causeOf } from "./file-error.ts";
import { markerVariable } from "./process-groups.ts";
import { identifyProcess, type ProcessIdentity } from "./process-identity.ts";
import { limitingScript, type ProcessLimits } from "./process-limits.ts";
import { openStandardStreams } from "./standard-streams.ts";

export interface ProgramToHold {
  /** Absolute; looked up beforehand, so that a missing program cannot pass for one that exits with 127. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | undefined;
  readonly limits?: ProcessLimits | undefined;
}

export interface HeldProgram {
  readonly identity: ProcessIdentity;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Lets the program begin. Without it, also when we die first, it ends without having begun. */
  letGo(): void;
}

/** The system would not start it. */
export class StartError extends Error {}

/**
 * The program gets a session and group of its own. What waits is a shell, for one line on descriptor 3; it then
 * becomes the program by exec, so what is known about the pid stays true.
 */
export async function startHeld(program: ProgramToHold): Promise<HeldProgram> {
  const { file, args, cwd, env, limits } = program;
  const streams = await openStandardStreams(program.stdin).catch(asStartError);
  try {
    const child = spawn("/bin/sh", ["-c", waitingScript(env, limits), "sh", file, ...args], {
      cwd,
      env,
      detached: true,
      stdio: [streams.stdin, streams.stdout, streams.stderr, "pipe"],
    });
    const exited: HeldProgram["exited"] = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    const line = child.stdio[3];
    // The waiting shell may be ended first; then there is nobody to let go, which is what its end reports.
    line?.on("error", () => undefined);
    await once(child, "spawn");
    streams.handedOver();
    const identity = await identifyHeld(child);
    return {
      identity,
      ...streams.ours(child),
      exited,
      letGo() {
        if (line instanceof Socket) line.end("go\n", () => line.destroy());
      },
    };
  } catch (error) {
    streams.discard();
    return asStartError(error);
  }
}

/** What cannot be recognised later must not begin. */
async function identifyHeld(child: ChildProcess): Promise<ProcessIdentity> {
  try {
    const identity = await identifyProcess(child.pid ?? 0);
    if (identity !== null) return identity;
    throw new Error("it ended before it could begin");
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

function asStartError(error: unknown): never {
  throw new StartError(causeOf(error));
}

/** Shells export these on their own; the program must see exactly the environment it was given. */
const shellVariables = ["PWD", "OLDPWD", "SHLVL", "_"];

export function waitingScript(env: Readonly<Record<string, string>>, limits?: ProcessLimits): string {
  const added = shellVariables.filter((name) => env[name] === undefined);
  const forget = added.length === 0 ? "" : `unset ${added.join(" ")}; `;
  // The pid is known only here, and stays the program's.
  const mark = env[markerVariable] === undefined ? "" : `${markerVariable}="$${markerVariable}@$$"; `;
  const limit = limits === undefined ? "" : limitingScript(limits);
  return `IFS= read -r go <&3 && [ "$go" = go ] || exit 125; unset go; ${mark}${forget}${limit}exec "$@" 3<&-`;
}
