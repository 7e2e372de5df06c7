// Submodules are kept at the commit their base names. Our indexes hold none while files are added: with them git would
// look into each one's checkout and run git there, under a configuration that the agent can write.
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CommitId } from "../protocol/ids.ts";
import { readHead } from "./agent-git.ts";
import { kindOf, readText } from "./files.ts";
import { type GitCall, gitBytes, gitPaths, pathList, shownPath } from "./git.ts";
import { refuse } from "./refusal.ts";

export interface Submodule {
  /** Byte by byte, as git lists it. */
  readonly path: string;
  readonly commit: CommitId;
}

const indexInfo = ["update-index", "-z", "--index-info"];

export async function listSubmodules(place: GitCall): Promise<Submodule[]> {
  return (await gitPaths(place, ["ls-files", "-z", "--stage"]))
    .filter((line) => line.startsWith("160000 "))
    .map((line) => ({ path: line.slice(line.indexOf("\t") + 1), commit: line.split(" ")[1] ?? "" }));
}

export async function takeOutSubmodules(place: GitCall): Promise<Submodule[]> {
  const submodules = await listSubmodules(place);
  const removals = submodules.map(({ path, commit }) => `0 ${"0".repeat(commit.length)}\t${path}`);
  if (removals.length > 0) await gitBytes({ ...place, input: pathList(removals) }, indexInfo);
  return submodules;
}

/** Those whose directory is still there. */
export async function putBackSubmodules(work: string, submodules: readonly Submodule[], place: GitCall): Promise<void> {
  const entries: string[] = [];
  for (const { path, commit } of submodules) {
    const kind = await kindOf(join(work, shownPath(path)));
    if (kind === "directory") entries.push(`160000 ${commit}\t${path}`);
  }
  if (entries.length > 0) await gitBytes({ ...place, input: pathList(entries) }, indexInfo);
}

/** A moved submodule would be a pointer to a commit that only this workspace has. */
export async function refuseMovedSubmodules(work: string, submodules: readonly Submodule[]): Promise<void> {
  for (const { path, commit } of submodules) {
    const directory = join(work, shownPath(path));
    if ((await kindOf(directory)) !== "directory" || (await readdir(directory)).length === 0) continue;
    const link = /^gitdir: (.+)\n?$/.exec((await readText(join(directory, ".git"), 8_192)) ?? "")?.[1];
    const gitDir = link === undefined ? join(directory, ".git") : resolve(directory, link);
    const head = gitDir.startsWith(`${work}/`) ? await readHead(gitDir) : null;
    if (head !== commit)
      refuse({
        kind: "task_exec",
        message: `the submodule ${shownPath(path)} is not at the commit the mission branch names`,
        remedy: "Put it back (`git submodule update`): changes of submodules cannot be part of a candidate.",
      });
  }
}
