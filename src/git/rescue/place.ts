// What a rescue is made of: a checkout somebody worked in, with its git directory, read as data.
import { oneLine } from "../../kit/escape.ts";
import { causeOf } from "../../kit/file-error.ts";
import type { CommitId, TaskId } from "../../protocol/ids.ts";
import { isMissing } from "../files.ts";
import { shownPath } from "../git.ts";
import { refuse } from "../refusal.ts";
import type { WorkTree } from "../snapshot.ts";

export interface Place {
  readonly at: WorkTree;
  /** Whoever worked there could write it: git is never pointed at it. */
  readonly gitDir: string;
  /** The git directory, or the objects and references behind it, is the user's: only what a rollback would change is kept. */
  readonly shared: boolean;
  readonly base: CommitId;
  /** Whether `at.index` is the index of the base. */
  readonly indexIsOfBase: boolean;
  /** Made by the declared set-up, relative to the work tree: it can be made again. Kept if anything there is tracked. */
  readonly exempt: readonly string[];
  /** What is never looked at: somebody else writes it, at any time, and no rollback touches it. */
  readonly passesOver?: (path: string) => boolean;
}

export interface RescueRequest extends Place {
  readonly task: TaskId;
  readonly attempt: number;
  /** In words, for people. */
  readonly why: string;
}

/** Everything below the git directory is called `.git/…`, wherever it lies. */
export const gitPrefix = ".git/";

/** A path of the place as the file system wants it: bytes. */
export function bytesOf(place: Pick<Place, "at" | "gitDir">, path: string): Buffer {
  if (path === ".git") return Buffer.from(place.gitDir);
  const isGit = path.startsWith(gitPrefix);
  const directory = isGit ? place.gitDir : place.at.work;
  return bytesBelow(directory, isGit ? path.slice(gitPrefix.length) : path);
}

export const bytesBelow = (directory: string, path: string): Buffer =>
  path === "" ? Buffer.from(directory) : Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(path, "latin1")]);

/** For file errors on a path of the place: the step that would discard it is refused by its name. */
export const unkept =
  (path: string) =>
  (error: unknown): never => {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return isMissing(error) ? refuseChanged(path) : refuseUnkept(path, causeOf(error).split(",", 1)[0] ?? "");
  };

const notKept = (path: string, why: string): string => `${oneLine(shownPath(path), 1_000)} cannot be rescued: ${why}`;

export function refuseUnkept(path: string, why: string): never {
  const remedy = "Nothing was discarded. See that the file can be read and the disk has room.";
  return refuse({ kind: "env_setup", message: notKept(path, why), remedy });
}

export function refuseChanged(path: string): never {
  const remedy = "Nothing was discarded. End what writes there, then run again.";
  return refuse({ kind: "env_setup", message: notKept(path, "it changed meanwhile"), remedy }, "passing");
}
