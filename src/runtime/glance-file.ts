// The glance: what `status` and `tasks` print, kept ready in the state home, out of an agent's reach. It speaks of one
// head of the journal and of the project's files as they were then; if either differs, it is not used.
//
// Loads next to nothing: the reader must start at once. What is in the file: protocol/glance.ts.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FileStamp, Glance } from "../protocol/glance.ts";
import {
  type Environment,
  hookFile,
  logFile,
  markerFile,
  projectConfigFile,
  tasksFile,
  userConfigFile,
} from "./place.ts";

/** Raised with every change of what is in the file or of how it follows from the state. */
export const glanceFormat: Glance["format"] = 6;

export const glanceFolder = (home: string): string => join(home, "views");
export const glanceFile = (home: string): string => join(glanceFolder(home), "status.json");
/** Exactly what `tasks --json` prints. */
export const glanceTasksFile = (home: string): string => join(glanceFolder(home), "tasks.json");

/** Files that a command takes up, rebuilds or complains about when they changed: then a glance is not enough. */
export const watchedFiles = (root: string, env: Environment): readonly string[] => [
  tasksFile(root),
  logFile(root),
  hookFile(root),
  markerFile(root),
  projectConfigFile(root),
  userConfigFile(env),
];

/** Without numbers when there is no such file, or none that we may see. */
export function stampOf(path: string): FileStamp {
  try {
    const stats = statSync(path);
    return [path, stats.size, stats.mtimeMs];
  } catch {
    return [path, null, null];
  }
}

export const sameStamps = (a: readonly FileStamp[], b: readonly FileStamp[]): boolean =>
  a.length === b.length && a.every((stamp, n) => stamp.every((part, m) => part === b[n]?.[m]));

/**
 * Glances are not synced, so one of an earlier boot may be anything. Null where the system does not say it in a file:
 * then there are no glances.
 */
export function bootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}
