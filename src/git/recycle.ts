// Brings a checkout that was used to exactly another commit, through an index and a git directory of ours. What a set-up
// made stays, everything else goes; whatever is odd about it is a no, and a checkout from nothing has none of it.
import { rename } from "node:fs/promises";
import { join } from "node:path";
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
  readonly compare: boolean;
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
  if ((await git(place, ["read-tree", "--reset", "-u", commit])).code !== 0) return false;
  const { withoutSubmodules } = site.user.known;
  const made = join(scratch.directory, "recycled");
  // Made while git looks; it is of no use without a good answer, and goes with the scratch.
  const [found, gitDir] = await Promise.all([
    lookAt(place, { ...asked, listed: !withoutSubmodules.has(commit) }),
    makeGitDir(site, { directory: made, commit, ...(branch !== undefined && { branch }) }),
  ]);
  // git neither cleans nor looks inside a submodule's directory.
  if (found === "submodules") return false;
  withoutSubmodules.add(commit);
  if (found === "odd") {
    if ((await git(place, ["clean", "-q", "-ffdx", ...asked.kept.map(excluding)])).code !== 0) return false;
    if ((await lookAt(place, { ...asked, listed: false })) !== "exact") return false;
  }
  await copyIndex(indexFile, join(gitDir, "index"));
  await rename(gitDir, join(directory, ".git"));
  return true;
}

interface Looking extends Pick<Recycling, "kept" | "compare"> {
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
