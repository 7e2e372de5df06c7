// The branch that finished work is brought into, and where it is checked out.
import type { CommitId } from "../../protocol/ids.ts";
import type { AcceptRequest } from "../../workspaces/branch-keeping.ts";
import { kindOf } from "../files.ts";
import { git, gitIn, refuseGit } from "../git.ts";
import { refuse } from "../refusal.ts";
import type { Site } from "../site.ts";
import { usersBranch } from "../users-branch.ts";

export interface Checkout {
  readonly top: string;
  /** Of the checkout itself: its index and HEAD are there. */
  readonly gitDir: string;
}

export interface Target {
  /** As people name it. */
  readonly branch: string;
  readonly ref: string;
  readonly head: CommitId;
  /** Null where it is checked out nowhere. */
  readonly checkout: Checkout | null;
}

type Wanted = Pick<AcceptRequest, "branch" | "otherwise">;

const heads = "refs/heads/";

export async function findTarget(site: Site, { branch, otherwise }: Wanted): Promise<Target> {
  const cutFrom = branch === null && otherwise === "cut-from" ? await usersBranch(site.user, site.branch) : null;
  const ref = branch === null ? (cutFrom ?? (await branchHere(site))) : `${heads}${branch}`;
  const name = ref.slice(heads.length);
  if (name.startsWith("harness/"))
    refuse({
      kind: "usage",
      message: `${name} is a branch of Harness itself, and work is brought into a branch of yours`,
      remedy: "git switch to your own branch, then: harness accept",
    });
  const head = await readBranch(site, ref);
  if (head === null)
    refuse({
      kind: "usage",
      message: `the branch ${name} has no commit`,
      remedy: `commit once on it, or take the work with: git merge ${site.branch}`,
    });
  return { branch: name, ref, head, checkout: await checkoutOf(site, ref) };
}

async function branchHere(site: Site): Promise<string> {
  const found = await git({ gitDir: site.user.gitDir }, ["symbolic-ref", "--quiet", "HEAD"]);
  const ref = found.stdout.toString("utf8").trim();
  if (found.code === 0 && ref.startsWith(heads)) return ref;
  return refuse({
    kind: "usage",
    message: "no branch is checked out here (detached HEAD), so there is none to bring the work into",
    remedy: "git switch to your branch, then: harness accept",
  });
}

export async function readBranch(site: Site, ref: string): Promise<CommitId | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const found = await git({ gitDir: site.user.commonDir }, args);
  return found.code === 0 ? found.stdout.toString("utf8").trim() : null;
}

async function checkoutOf(site: Site, ref: string): Promise<Checkout | null> {
  const args = ["worktree", "list", "--porcelain", "-z"];
  const listed = await gitIn(site.repository, args);
  if (listed.code !== 0) refuseGit(args, listed);
  const records = listed.stdout.toString("utf8").split("\0\0");
  const found: Checkout[] = [];
  for (const record of records) {
    const fields = record.split("\0");
    const top = fields.find((field) => field.startsWith("worktree "))?.slice("worktree ".length);
    if (top === undefined || !fields.includes(`branch ${ref}`) || (await kindOf(top)) !== "directory") continue;
    found.push(await describeCheckout(top));
  }
  const [first, ...others] = found;
  if (others.length > 0)
    refuse({
      kind: "usage",
      message: `${ref.slice(heads.length)} is checked out at several places: ${found.map(({ top }) => top).join(", ")}`,
      remedy: "switch all but one of them to other branches",
    });
  return first ?? null;
}

async function describeCheckout(directory: string): Promise<Checkout> {
  const args = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--absolute-git-dir"];
  const found = await gitIn(directory, args);
  if (found.code !== 0) refuseGit(args, found);
  const [top = "", gitDir = ""] = found.stdout.toString("utf8").split("\n");
  return { top, gitDir };
}
