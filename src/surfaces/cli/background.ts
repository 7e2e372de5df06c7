// A run that goes on without its terminal (rule C1): the same command once more, in a session of its own, with its words in
// `.harness/worker.log`. Whoever asked for it hears whether it has begun.
import { spawn } from "node:child_process";
import { closeSync, constants, lstatSync, openSync, readFileSync, renameSync } from "node:fs";
import { relative } from "node:path";
import { workerLog, workerPid } from "../../compose.ts";
import { holderOf, releasePidFile, takePidFile } from "../../kit/pid-file.ts";
import type { Event } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/failure.ts";
import { refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { ownProgram } from "./own-program.ts";

/** Says to a process that it is the one in the background. */
const variable = "HARNESS_BACKGROUND";
const began = "began";

export interface Background {
  readonly background?: true;
}

/** Whether somebody else is to do it. */
export const isForBackground = ({ background }: Background, { env }: Context): boolean =>
  background === true && env[variable] !== "1";

export async function startInBackground(root: string, context: Context): Promise<ExitCode> {
  const what = "nothing was started";
  const agentsWord = await refusalOfAgent(context);
  if (agentsWord !== null) return refuse(context, what, agentsWord);
  const holder = await holderOf(workerPid(root));
  if (holder !== null) return refuse(context, what, alreadyThere(holder));
  const log = workerLog(root);
  rotate(log);
  const output = openSync(log, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND, 0o600);
  const [program, ...args] = [...ownProgram(), ...process.argv.slice(2)];
  const child = spawn(program, args, {
    cwd: context.cwd,
    env: { ...context.env, [variable]: "1" },
    stdio: ["ignore", output, output, "ipc"],
    detached: true,
  });
  closeSync(output);
  // Until it has begun it is still ours to end.
  const stop = (signal: NodeJS.Signals): boolean => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  const code = await new Promise<ExitCode | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("message", (said) => said === began && resolve(null));
    child.once("exit", (end) => resolve((end ?? exitCodes.interrupted) as ExitCode));
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
  const shown = relative(context.cwd, log) || log;
  if (code !== null) {
    context.stderr.write(readFileSync(log, "utf8"));
    return code;
  }
  child.disconnect();
  child.unref();
  writeLine(context.stdout, `Started in the background (pid ${child.pid}); its words are in ${shown}`);
  writeLine(context.stdout, "  look: harness status, harness logs --follow; end: harness stop");
  return exitCodes.done;
}

export interface BackgroundRun {
  event(event: Event): void;
  release(): void;
}
const none: BackgroundRun = { event: () => undefined, release: () => undefined };

/** Of the process in the background: it holds the file with its pid, and tells once its run has begun. */
export async function backgroundRunIn(
  root: string,
  { background }: Background,
  { env }: Context,
): Promise<BackgroundRun | Failure> {
  if (background !== true || env[variable] !== "1") return none;
  const path = workerPid(root);
  const holder = await takePidFile(path);
  if (holder !== null) return alreadyThere(holder);
  return {
    event({ type }) {
      if (type !== "run.started" || !process.connected) return;
      process.send?.(began);
    },
    release: () => releasePidFile(path),
  };
}

const alreadyThere = (pid: number): Failure => ({
  kind: "usage",
  message: `a run of this project is in the background already (pid ${pid})`,
  remedy: "harness status shows it, harness stop ends it",
});

/** The last three are kept. */
function rotate(log: string): void {
  const names = [log, `${log}.1`, `${log}.2`, `${log}.3`];
  for (let at = names.length - 2; at >= 0; at--) {
    const [from = "", to = ""] = [names[at], names[at + 1]];
    // Also what is no file of ours: nothing is written through a link.
    if (lstatSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, to);
  }
}
