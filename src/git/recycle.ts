// Brings a checkout that was used to exactly another commit, through an index and a git directory of ours. What a set-up
// made stays, everything else goes; whatever is odd about it is a no, and a checkout from nothing has none of it.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { CommitId } from "../protocol/ids.ts";
import { makeGitDir } from "./checkout.ts";
import { copyIndex, kindOf } from "./files.ts";
import { type GitCall, git, gitPaths } from "./git.ts";
import { excluding, isAmong } from "./made.ts";
import type { Scratch, Site } from "./site.ts";
import { throwAway } from "./trash.ts";

export interface Recycling {
  /** Where the checkout is, and the index that knows its files best. */
  readonly directory: string;
  readonly index: string;
  readonly commit: CommitId;
  readonly branch?: string;
  /** Roots of what a set-up made; found unchanged before. */
  readonly kept: readonly string[];
  /** Whether files are compared with the index once more: it was just made to fit them, by what it notes of each. */
  readonly compare?: boolean;
  /** Whether the index is the commit's already, and the files should be as well. */
  readonly isThere?: boolean;
  /** Its index is the checkout's when all is done. */
  readonly scratch: Scratch;
}

/** False when the checkout must be made from nothing; it is of no use then. */
export async function recycle(site: Site, asked: Recycling): Promise<boolean> {
  const { directory, commit, branch, scratch } = asked;
  // A link in place of the directory would lead the cleaning elsewhere.
  if ((await kindOf(directory)) !== "directory" || (await kindOf(asked.index)) !== "file") return false;
  const { indexFile } = scratch.place;
  await copyIndex(asked.index, indexFile);
  const place = { gitDir: site.ledger, workTree: directory, indexFile };
  await throwAway(site, join(directory, ".git"));
  const made = join(scratch.directory, "recycled");
  // Made while git works, so git is started first; it is of no use without the files, and goes with the scratch.
  const [isExact, gitDir] = await Promise.all([
    bringTo(site, place, asked),
    setImmediate().then(() => makeGitDir(site, { directory: made, commit, ...(branch !== undefined && { branch }) })),
  ]);
  if (!isExact) return false;
  await copyIndex(indexFile, join(gitDir, "index"));
  await rename(gitDir, join(directory, ".git"));
  return true;
}

/** Whether the files are the commit's in the end. */
async function bringTo(site: Site, place: GitCall, { commit, kept, compare, isThere }: Recycling): Promise<boolean> {
  const { withoutSubmodules: without } = site.user.known;
  if (
    isThere === true &&
    without.has(commit) &&
    (await lookAt(place, { kept, compare: true, listed: false })) === "exact"
  )
    return true;
  if ((await git(place, ["read-tree", "--reset", "-u", commit])).code !== 0) return false;
  const found = await lookAt(place, { kept, compare, listed: !without.has(commit) });
  // git neither cleans nor looks inside a submodule's directory.
  if (found === "submodules") return false;
  without.add(commit);
  if (found === "exact") return true;
  if ((await git(place, ["clean", "-q", "-ffdx", ...kept.map(excluding)])).code !== 0) return false;
  return (await lookAt(place, { kept, compare, listed: false })) === "exact";
}

interface Looking extends Pick<Recycling, "kept"> {
  readonly compare: boolean | undefined;
  /** Whether the index may hold submodules, so that all of it has to be gone through. */
  readonly listed: boolean;
}

/**
 * Whether the files are what the index has and nothing else is there – no empty directory either – but what is kept.
 * All in one call: H is a file of the index, ? one that it does not have, any other letter is a difference.
 */
export async function lookAt(
  place: GitCall,
  { kept, compare, listed }: Looking,
): Promise<"exact" | "odd" | "submodules"> {
  const options = [...(listed ? ["--stage"] : []), ...(compare ? ["--modified"] : [])];
  const args = ["ls-files", "-z", "-t", "--others", "--directory", ...options];
  let odd = false;
  for (const line of await gitPaths(place, args)) {
    if (line.startsWith("H 160000 ")) return "submodules";
    odd ||= !line.startsWith("H ") && !(line.startsWith("? ") && isAmong(kept, line.slice(2)));
  }
  return odd ? "odd" : "exact";
}
