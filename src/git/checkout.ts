// Makes private checkouts: a repository of its own that reads the user's objects, has no remote and shares no reference.
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../kit/make-folder.ts";
import type { CommitId } from "../protocol/ids.ts";
import { writeSmall } from "./files.ts";
import { git, gitText, refuseGit } from "./git.ts";
import { refuse } from "./refusal.ts";
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
  writeSmall(join(gitDir, "HEAD"), branch === undefined ? `${commit}\n` : `ref: refs/heads/${branch}\n`);
  if (branch !== undefined) writeSmall(ref, `${commit}\n`);
  const identity = Object.entries(site.user.ownIdentity).map(([key, value]) => `\t${key} = ${quoted(value)}\n`);
  const user = identity.length === 0 ? "" : `[user]\n${identity.join("")}`;
  writeSmall(join(gitDir, "config"), `${site.config.replace("bare = true", "bare = false")}${user}`);
  return gitDir;
}

const quoted = (value: string): string => `"${value.replace(/\p{Cc}/gu, "").replace(/[\\"]/g, "\\$&")}"`;

export async function makeCheckout(site: Site, request: CheckoutRequest): Promise<void> {
  const gitDir = await makeGitDir(site, request);
  const args = ["read-tree", "--reset", "-u", request.commit];
  const made = await git({ gitDir, workTree: request.directory }, args);
  if (made.code === 0) return;
  await refusePartial(site, request.commit);
  refuseGit(args, made);
}

/** Missing objects are not fetched: that would run what some configuration names, with the user's credentials. */
async function refusePartial(site: Site, commit: CommitId): Promise<void> {
  const packs = await readdir(join(site.user.objectsDir, "pack")).catch((): string[] => []);
  if (!packs.some((name) => name.endsWith(".promisor"))) return;
  const call = { gitDir: site.user.commonDir };
  const listed = await git(call, ["config", "--name-only", "--get-regexp", "^remote\\..*\\.promisor$"]);
  const remote = /^remote\.(.+)\.promisor$/m.exec(listed.stdout.toString("utf8"))?.[1] ?? "origin";
  refuse({
    kind: "env_setup",
    message: `the repository ${site.repository} is a partial clone that lacks files of ${commit}`,
    remedy: `Fetch them there: \`git fetch --refetch --no-filter ${remote}\``,
  });
}

export const treeOf = (site: Site, commit: CommitId): Promise<string> =>
  gitText({ gitDir: site.user.commonDir }, ["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`]);
