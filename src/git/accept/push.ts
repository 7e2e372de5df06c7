// What a push of the mission branch would be. It is made here and shown; only the user's own git ever does it.
import type { Outcome } from "../../protocol/failure.ts";
import { gitIn, refuseGit, runUsersGit } from "../git.ts";
import { answer, refuse } from "../refusal.ts";

export interface PushPlan {
  readonly branch: string;
  /** Null: there is nowhere to push to. */
  readonly remote: string | null;
  /** Without the program's name; the one branch and nothing else, whatever is configured. */
  readonly args: readonly string[];
  /** One line for each commit that the user's branch does not have, newest first. */
  readonly commits: readonly string[];
}

const safeBranch = /^harness\/mission[A-Za-z0-9_-]*$/;

export const planPush = (directory: string, branch: string): Promise<Outcome<PushPlan>> =>
  answer(async () => {
    // Nothing else of ours may leave this machine: neither set-aside work nor our own references.
    if (!safeBranch.test(branch))
      refuse({
        kind: "usage",
        message: `${branch} is no mission branch`,
        remedy: "What was done in place is in your own branch: push that as you always do.",
      });
    const remote = await chooseRemote(directory);
    const refspec = `refs/heads/${branch}:refs/heads/${branch}`;
    const plain = ["--no-follow-tags", "--recurse-submodules=no"];
    const args = ["push", ...plain, "--", remote ?? "<remote>", refspec];
    return { branch, remote, args, commits: await commitsOf(directory, branch) };
  });

/** As git would choose: where the branch comes from, else where pushes go, else `origin`, else the only one. */
async function chooseRemote(directory: string): Promise<string | null> {
  const listed = await gitIn(directory, ["remote"]);
  if (listed.code !== 0) refuseGit(["remote"], listed);
  const remotes = listed.stdout.toString("utf8").split("\n").filter(Boolean);
  const head = await gitIn(directory, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  const here = head.stdout.toString("utf8").trim();
  const keys = [...(here === "" ? [] : [`branch.${here}.pushRemote`, `branch.${here}.remote`]), "remote.pushDefault"];
  for (const key of keys) {
    const named = (await gitIn(directory, ["config", "--get", key])).stdout.toString("utf8").trim();
    if (remotes.includes(named)) return named;
  }
  return remotes.includes("origin") ? "origin" : remotes.length === 1 ? (remotes[0] ?? null) : null;
}

async function commitsOf(directory: string, branch: string): Promise<readonly string[]> {
  const args = ["rev-list", "--first-parent", "--oneline", "--max-count=100", `refs/heads/${branch}`, "--not", "HEAD"];
  const listed = await gitIn(directory, [...args, "--"]);
  if (listed.code !== 0 && listed.stderr.includes("bad revision"))
    refuse({
      kind: "usage",
      message: `there is no branch ${branch} to push`,
      remedy: "harness run makes it, and brings it back with all that was merged if somebody deleted it",
    });
  if (listed.code !== 0) refuseGit(args, listed);
  return listed.stdout.toString("utf8").split("\n").filter(Boolean);
}

/** The user's own git, after they saw and wanted it: their credentials, their hooks. */
export const push = (directory: string, { args }: PushPlan): Promise<number> => runUsersGit(directory, args);
