// What git says about a place, asked through our own git directory: what is ignored, and what the index there holds.
import { copyIndex, kindOf } from "../files.ts";
import { type GitCall, git, gitBytes, gitPaths } from "../git.ts";
import type { Scratch } from "../site.ts";
import type { Place } from "./place.ts";

export interface Listing {
  /** Tracked, by the base or by the index there, or untracked; never ignored. */
  readonly work: ReadonlySet<string>;
  /** Objects only the index there names. */
  readonly staged: readonly string[];
}

export async function listWork(place: Place, scratch: Scratch): Promise<Listing> {
  const call: GitCall = { ...scratch.place, workTree: place.at.work };
  if (place.indexIsOfBase && (await kindOf(place.at.index)) === "file")
    await copyIndex(place.at.index, scratch.place.indexFile);
  else await gitBytes(call, ["read-tree", place.base]);
  const [seen, theirs] = await Promise.all([
    gitPaths(call, ["ls-files", "-z", "-t", "--stage", "--cached", "--others", "--exclude-standard"]),
    theirIndex(place, call),
  ]);
  const work = new Set<string>(theirs.map(({ path }) => path));
  const base = new Set<string>();
  for (const line of seen) {
    // Untracked: `? path`. Tracked: `H mode id stage<tab>path`.
    if (line.startsWith("? ")) work.add(line.slice(2));
    else {
      const { id, path } = staged(line.slice(2));
      base.add(id);
      work.add(path);
    }
  }
  return { work, staged: [...new Set(theirs.map(({ id }) => id))].filter((id) => !base.has(id)) };
}

/** An index git cannot read names nothing; its file is kept like any other. */
async function theirIndex({ at }: Place, call: GitCall): Promise<readonly Staged[]> {
  if ((await kindOf(at.theirIndex)) !== "file") return [];
  const listed = await git({ ...call, indexFile: at.theirIndex }, ["ls-files", "-z", "--stage"]);
  if (listed.code !== 0) return [];
  return listed.stdout
    .toString("latin1")
    .split("\0")
    .slice(0, -1)
    .map(staged)
    .filter(({ mode }) => mode !== "160000");
}

interface Staged {
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

function staged(line: string): Staged {
  const [mode = "", id = ""] = line.split(" ", 2);
  return { mode, id, path: line.slice(line.indexOf("\t") + 1) };
}
