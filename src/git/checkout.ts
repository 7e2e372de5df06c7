// Makes private checkouts: a repository of its own that reads the user's objects, has no remote and shares no reference.
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { namingFile } from "../kit/file-error.ts";
import { makeFolder } from "../kit/make-folder.ts";
import type { CommitId } from "../protocol/ids.ts";
import { gitBytes, gitText } from "./git.ts";
import { furnish, type Site } from "./site.ts";

/** `branch` is checked out; without one the head is detached. */
export interface CheckoutRequest {
  readonly directory: string;
  readonly commit: CommitId;
  readonly branch?: string;
}

/**
 * A git directory at `<directory>/.git` whose head is `commit`; no files and no index yet. Written by hand: four small
 * files in git's oldest format, where `git init` and three calls after it took a sixth of the time of an opening.
 */
export async function makeGitDir(site: Site, { directory, commit, branch }: CheckoutRequest): Promise<string> {
  const gitDir = join(directory, ".git");
  const ref = join(gitDir, "refs", "heads", branch ?? "none");
  await makeFolder(dirname(ref));
  await furnish(site, gitDir);
  await write(join(gitDir, "HEAD"), branch === undefined ? `${commit}\n` : `ref: refs/heads/${branch}\n`);
  if (branch !== undefined) await write(ref, `${commit}\n`);
  const identity = Object.entries(site.user.ownIdentity).map(([key, value]) => `\t${key} = ${quoted(value)}\n`);
  const user = identity.length === 0 ? "" : `[user]\n${identity.join("")}`;
  await write(join(gitDir, "config"), `${site.config.replace("bare = true", "bare = false")}${user}`);
  return gitDir;
}

const quoted = (value: string): string => `"${value.replace(/\p{Cc}/gu, "").replace(/[\\"]/g, "\\$&")}"`;

export async function makeCheckout(site: Site, request: CheckoutRequest): Promise<void> {
  const gitDir = await makeGitDir(site, request);
  await gitBytes({ gitDir, workTree: request.directory }, ["read-tree", "--reset", "-u", request.commit]);
}

export const treeOf = (site: Site, commit: CommitId): Promise<string> =>
  gitText({ gitDir: site.user.commonDir }, ["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`]);

const write = (path: string, text: string): Promise<void> => writeFile(path, text).catch(namingFile(path));
