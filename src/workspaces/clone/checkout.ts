// Makes private checkouts: a repository of its own that reads the user's objects, has no remote and shares no reference.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { CommitId } from "../../protocol/ids.ts";
import { gitBytes, gitText } from "./git.ts";
import { furnish, type Site } from "./site.ts";

/** `branch` is checked out; without one the head is detached. */
export interface CheckoutRequest {
  readonly directory: string;
  readonly commit: CommitId;
  readonly branch?: string;
}

/** A git directory at `<directory>/.git` whose head is `commit`; no files and no index yet. */
export async function makeGitDir(site: Site, { directory, commit, branch }: CheckoutRequest): Promise<string> {
  const gitDir = join(directory, ".git");
  await mkdir(gitDir, { recursive: true });
  const head = `--initial-branch=${branch ?? "harness/detached"}`;
  const format = `--object-format=${site.user.format}`;
  await gitBytes({ gitDir, workTree: directory }, ["init", "-q", "--template=", head, format]);
  await furnish(site, gitDir);
  const ref = branch === undefined ? ["--no-deref", "HEAD"] : [`refs/heads/${branch}`];
  await gitBytes({ gitDir }, ["update-ref", ...ref, commit]);
  for (const [key, value] of Object.entries(site.user.ownIdentity))
    await gitBytes({ gitDir }, ["config", `user.${key}`, value]);
  return gitDir;
}

export async function makeCheckout(site: Site, request: CheckoutRequest): Promise<void> {
  const gitDir = await makeGitDir(site, request);
  await gitBytes({ gitDir, workTree: request.directory }, ["read-tree", "--reset", "-u", request.commit]);
}

export const treeOf = (site: Site, commit: CommitId): Promise<string> =>
  gitText({ gitDir: site.user.commonDir }, ["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`]);
