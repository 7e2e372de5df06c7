// What `status` and `tasks` show, without opening the mission: from the glance in the state home, if it speaks of
// exactly what is there now. Loads no schema, no database and no program; every doubt is answered with null.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { lastRowOf } from "./kit/sqlite-file.ts";
import type { Glance } from "./protocol/glance.ts";
import {
  bootId,
  glanceFile,
  glanceFormat,
  glanceTasksFile,
  sameStamps,
  stampOf,
  watchedFiles,
} from "./runtime/glance-file.ts";
import { type Environment, homeOf, idFile, isId, journalIn, rootAbove, rootFile } from "./runtime/place.ts";

export { rootAbove };

export interface Glanced extends Pick<Glance, "view" | "owners" | "log"> {
  /** All tasks as `tasks --json` prints them; null if they changed since. */
  tasks(): Buffer | null;
}

/** Null: open the mission instead. Must not be called in a process that has opened it. */
export function glanceAt(from: () => string, env: Environment): Glanced | null {
  try {
    return readGlance(from(), env);
  } catch {
    // Missing, damaged or forbidden: opening the mission says which.
    return null;
  }
}

function readGlance(from: string, env: Environment): Glanced | null {
  const found = rootAbove(from, env);
  if (found === null) return null;
  const root = realpathSync.native(found);
  const id = readFileSync(idFile(root), "utf8").trim();
  const home = homeOf(id, env);
  // A folder that was moved or copied is for others to judge.
  if (!isId(id) || readFileSync(rootFile(home), "utf8") !== root) return null;
  const glance = JSON.parse(readFileSync(glanceFile(home), "utf8")) as Glance;
  if (glance.format !== glanceFormat || glance.boot !== bootId()) return null;
  if (!sameStamps(glance.files, watchedFiles(root, env).map(stampOf))) return null;
  return isHead(glance.head, journalIn(home)) ? { ...glance, tasks: () => readTasks(home, glance.tasks) } : null;
}

/** Events never change and none is taken away: the same last event is the same journal. */
function isHead({ position, hash }: Glance["head"], journal: string): boolean {
  const last = lastRowOf(journal, "events");
  return last !== null && last.rowid === position && last.values.at(-1) === hash;
}

function readTasks(home: string, { ino, size, mtimeMs }: Glance["tasks"]): Buffer | null {
  const path = glanceTasksFile(home);
  const bytes = readFileSync(path);
  const stats = statSync(path);
  const isIt = stats.ino === ino && stats.mtimeMs === mtimeMs && stats.size === size && bytes.length === size;
  return isIt ? bytes : null;
}
