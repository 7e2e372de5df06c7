// Where things of a mission lie, as names and quick looks. Loads next to nothing: a glance must start at once.
import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

const markers = ["harness-tasks.json", ".harness"];

/** The root we told an agent about, else the nearest ancestor that is one, or null. A workspace never is. */
export function rootAbove(from: string, env: Environment): string | null {
  const told = env.HARNESS_STATE_ROOT;
  if (told !== undefined && told !== "") return told;
  const states = realPathOf(statesDirectory(env));
  for (let directory = realpathSync.native(from); ; directory = dirname(directory)) {
    const isWorkspace = states !== null && (directory === states || directory.startsWith(`${states}/`));
    if (!isWorkspace && markers.some((marker) => exists(join(directory, marker)))) return directory;
    if (dirname(directory) === directory) return null;
  }
}

export const idFile = (root: string): string => join(root, ".harness", "id");
export const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);
export const homeOf = (id: string, env: Environment): string => join(statesDirectory(env), id);
/** Says which root a state home belongs to. */
export const rootFile = (home: string): string => join(home, "root");
export const journalIn = (home: string): string => join(home, "journal.db");

export const tasksFile = (root: string): string => join(root, "harness-tasks.json");
export const logFile = (root: string): string => join(root, "harness-progress.txt");
export const hookFile = (root: string): string => join(root, ".harness", "hook.json");
export const markerFile = (root: string): string => join(root, ".harness-active");

/** Of the run in the background (C1). */
export const workerPid = (root: string): string => join(root, ".harness", "worker.pid");
export const workerLog = (root: string): string => join(root, ".harness", "worker.log");

export const projectConfigFile = (root: string): string => join(root, ".harness", "config.json");

/** In `XDG_CONFIG_HOME`, which counts only if it is absolute, else in the usual place of the user's home. */
export function userConfigFile(env: Environment): string {
  const xdg = env.XDG_CONFIG_HOME;
  const folder = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env.HOME ?? homedir(), ".config");
  return join(folder, "harness", "config.json");
}

/** In `XDG_DATA_HOME`, which counts only if it is absolute, else in the usual place of the user's home. */
export function trustFile(env: Environment): string {
  const xdg = env.XDG_DATA_HOME;
  const folder = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env.HOME ?? homedir(), ".local", "share");
  return join(folder, "harness", "trust.json");
}

/** `HARNESS_STATE_HOME`, else `XDG_STATE_HOME`, else the usual place in the user's home. */
function statesDirectory(env: Environment): string {
  const own = env.HARNESS_STATE_HOME;
  if (own !== undefined && own !== "") return own;
  const xdg = env.XDG_STATE_HOME;
  return join(xdg !== undefined && xdg !== "" ? xdg : join(env.HOME ?? homedir(), ".local", "state"), "harness");
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    // Not there yet: then nothing lies below it.
    return null;
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // What may not be looked at is no project of this user.
    return false;
  }
}
