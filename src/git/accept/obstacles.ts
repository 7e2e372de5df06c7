// Why the files of a checkout must not be moved just now: something there is not committed, is in the way, or would
// have to be converted on its way to the disk.
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, kindOf } from "../files.ts";
import { gitInWithoutFilters, refuseGit } from "../git.ts";
import { refuse } from "../refusal.ts";
import { isHarnessFile, type Site } from "../site.ts";
import { type ChangedFile, isSubmodule, named, placeIn } from "./changed-files.ts";
import type { Checkout } from "./target.ts";

export interface Moving {
  /** As people name it. */
  readonly branch: string;
  readonly checkout: Checkout;
  readonly changes: readonly ChangedFile[];
}

/** Refuses, naming the files; changes nothing. */
export async function refuseObstacles(site: Site, moving: Moving): Promise<void> {
  await refuseUnfinished(moving);
  const dirty = await uncommitted(site, moving);
  if (dirty.length > 0)
    hold(
      moving,
      `has changes that are not committed: ${named(dirty)}`,
      `commit or stash them, then: ${again(site, moving)}`,
    );
  const untracked = await inTheWay(moving);
  if (untracked.length > 0)
    hold(
      moving,
      `has files in the way that git does not track: ${named(untracked)}`,
      `move them away, then: ${again(site, moving)}`,
    );
}

const again = (site: Site, { branch }: Moving): string => `harness accept (or, on ${branch}: git merge ${site.branch})`;

function hold({ branch, checkout }: Moving, why: string, remedy: string): never {
  return refuse({ kind: "usage", message: `${branch} stays as it is: its checkout ${checkout.top} ${why}`, remedy });
}

/** A merge or the like under way would be finished on another commit than it was begun on. */
const unfinished = {
  MERGE_HEAD: "a merge",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase",
  sequencer: "a sequence of picks",
};

async function refuseUnfinished(moving: Moving): Promise<void> {
  for (const [name, what] of Object.entries(unfinished))
    if ((await kindOf(join(moving.checkout.gitDir, name))) !== "missing")
      hold(moving, `is in the middle of ${what}`, "finish or abort it, then: harness accept");
}

/**
 * Staged, modified or unmerged; untracked files matter only where something is to be written. Views of ours that the
 * user keeps in the repository differ nearly always, and are in nobody's way where nothing is to be written.
 */
async function uncommitted(site: Site, { checkout: { top }, changes }: Moving): Promise<readonly string[]> {
  const options = ["--untracked-files=no", "--no-renames", "--ignore-submodules=none"];
  const args = ["status", "--porcelain=v1", "-z", ...options];
  const listed = await gitInWithoutFilters(top, args);
  if (listed.code !== 0) refuseGit(args, listed);
  const [isOurs, written] = [isHarnessFile(site), new Set(changes.map(({ path }) => path))];
  return listed.stdout
    .toString("latin1")
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => ({ state: entry.slice(0, 2), path: entry.slice(3) }))
    .filter(({ state, path }) => state !== " M" || !isOurs(path) || written.has(path))
    .map(({ path }) => path);
}

/**
 * Files that would be overwritten or removed although no commit holds them. Ignored ones count: git takes them for
 * expendable, their owner may not.
 */
async function inTheWay({ checkout, changes }: Moving): Promise<readonly string[]> {
  const leaving = new Set(changes.flatMap(({ path, before }) => (before === null ? [] : [path])));
  const found = new Set<string>();
  for (const { path, before, after } of changes) {
    if (after === null || (before !== null && !isSubmodule(after) && !isSubmodule(before))) continue;
    for (const parent of parentsOf(path)) {
      const kind = await kindAt(checkout, parent);
      if (kind === "missing") break;
      if (kind === "other" && !leaving.has(parent)) found.add(parent);
    }
    const kind = await kindAt(checkout, path);
    if (kind === "other" && !leaving.has(path)) found.add(path);
    if (kind === "directory" && !isSubmodule(after))
      for (const file of await filesBelow(checkout, path)) if (!leaving.has(file)) found.add(file);
  }
  return [...found];
}

const parentsOf = (path: string): readonly string[] =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, depth, parts) => parts.slice(0, depth + 1).join("/"));

async function kindAt({ top }: Checkout, path: string): Promise<"missing" | "directory" | "other"> {
  try {
    return (await lstat(placeIn(top, path))).isDirectory() ? "directory" : "other";
  } catch (error) {
    if (isMissing(error)) return "missing";
    throw error;
  }
}

async function filesBelow(checkout: Checkout, path: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readdir(placeIn(checkout.top, path), { withFileTypes: true, encoding: "buffer" })) {
    const below = `${path}/${entry.name.toString("latin1")}`;
    if (entry.isDirectory()) files.push(...(await filesBelow(checkout, below)));
    else files.push(below);
  }
  return files;
}
