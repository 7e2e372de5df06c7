// Lists everything in a place, byte by byte, without git: what git would leave out is what gets lost.
import { type BigIntStats, type Dirent, lstatSync, readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { refuse } from "../refusal.ts";
import type { Listing } from "./listing.ts";
import { bytesOf, gitPrefix, type Place, unkept } from "./place.ts";

export interface Found {
  readonly path: string;
  readonly kind: "file" | "link" | "directory" | "special";
  readonly mode: number;
  readonly size: number;
  /** Not ignored, and of no repository inside the place. */
  readonly isWork: boolean;
  /** Changes whenever the entry does. */
  readonly stamp: string;
}

/** More than this is not copied: whoever asked must keep the place itself. */
const most = {
  workFiles: 50_000,
  workBytes: 512 * 2 ** 20,
  otherFiles: 5_000,
  otherBytes: 64 * 2 ** 20,
  oneFile: 2 ** 30,
};

/** How many entries are looked at before others get their turn. */
const turn = 200;

export async function surveyPlace(
  place: Place,
  { work, tracked }: Pick<Listing, "work" | "tracked">,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  const spent = { workFiles: 0, workBytes: 0, otherFiles: 0, otherBytes: 0 };
  const isExempt = exemption(place, tracked);
  const open: { readonly path: string; readonly apart: boolean }[] = [{ path: "", apart: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path: directory, apart: below } = next;
    const inGit = directory.startsWith(gitPrefix);
    const entries = namesIn(place, directory);
    // A repository of its own: its files are not ours to sort out.
    const apart = below || (directory !== "" && !inGit && entries.includes(".git"));
    for (const name of entries) {
      const path = `${directory}${name}`;
      if (isLeftOut(place, path) || place.passesOver?.(path)) continue;
      const stats = statOf(place, path);
      const isWork = !apart && !inGit && work.has(path);
      if (!inGit && isExempt(path)) continue;
      const entry = describe(path, stats, isWork);
      found.push(entry);
      spend(spent, entry, Number(stats.blocks) * 512);
      if (entry.kind === "directory") open.push({ path: `${path}/`, apart });
      if (found.length % turn === 0) await setImmediate();
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function namesIn(place: Place, directory: string): string[] {
  const names = readdir(place, directory).map(({ name }) => name.toString("latin1"));
  if (directory !== "" || !hasGitDir(place)) return names;
  // The git directory has its place in the tree, wherever it lies.
  return [".git", ...names.filter((name) => name !== ".git")];
}

function readdir(place: Place, directory: string): Dirent<Buffer>[] {
  try {
    return readdirSync(bytesOf(place, directory.replace(/\/$/, "")), { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    return unkept(directory)(error);
  }
}

function statOf(place: Place, path: string): BigIntStats {
  try {
    return lstatSync(path === ".git" && hasGitDir(place) ? place.gitDir : bytesOf(place, path), { bigint: true });
  } catch (error) {
    return unkept(path)(error);
  }
}

/** Whoever worked there may have put anything in place of the git directory. Then it is an entry like any other. */
export const hasGitDir = (place: Pick<Place, "gitDir">): boolean =>
  lstatSync(place.gitDir, { throwIfNoEntry: false })?.isDirectory() === true;

/** Objects are kept as objects. Of a git directory that stays, only what belongs to this checkout's state. */
function isLeftOut({ shared }: Place, path: string): boolean {
  if (!path.startsWith(gitPrefix)) return false;
  const inside = path.slice(gitPrefix.length);
  if (inside === "objects") return true;
  if (!shared) return false;
  return !/^(HEAD|index|[A-Z]+_HEAD|MERGE_[A-Z]+|AUTO_MERGE|(rebase-merge|rebase-apply|sequencer)(\/.*)?)$/s.test(
    inside,
  );
}

/** A path of the set-up that came to hold something tracked is kept like any other. */
function exemption({ exempt }: Place, tracked: ReadonlySet<string>): (path: string) => boolean {
  const prefixes = exempt
    .map((path) => Buffer.from(path.replace(/\/+$/, ""), "utf8").toString("latin1"))
    .filter((prefix) => ![...tracked].some((path) => path === prefix || path.startsWith(`${prefix}/`)));
  return (path) => prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

function describe(path: string, stats: BigIntStats, isWork: boolean): Found {
  const kind = stats.isFile()
    ? "file"
    : stats.isSymbolicLink()
      ? "link"
      : stats.isDirectory()
        ? "directory"
        : "special";
  const mode = Number(stats.mode) & 0o7777;
  const size = kind === "file" || kind === "link" ? Number(stats.size) : 0;
  // Reading changes none of these; a directory's own size and times follow from what is in it.
  const times = kind === "directory" ? "" : `${size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  return { path, kind, mode, size, isWork, stamp: `${kind} ${mode} ${stats.ino} ${times}` };
}

function spend(spent: Record<Exclude<keyof typeof most, "oneFile">, number>, found: Found, allocated: number): void {
  const bytes = found.kind === "file" ? Math.min(found.size, allocated) : 0;
  if (found.isWork || found.kind === "directory") {
    spent.workFiles += 1;
    spent.workBytes += bytes;
  } else {
    spent.otherFiles += 1;
    spent.otherBytes += bytes;
  }
  const isTooMuch =
    found.size > most.oneFile ||
    (Object.keys(spent) as (keyof typeof spent)[]).some((what) => spent[what] > most[what]);
  if (isTooMuch)
    refuse({ kind: "env_setup", message: "there is too much to copy", remedy: "Keep the directory itself." });
}
