// The commit that a checkout of the user's repository is at.
import { join } from "node:path";
import { CommitId } from "../protocol/ids.ts";
import { readText } from "./files.ts";
import { git } from "./git.ts";
import type { Site } from "./site.ts";

/** Of a HEAD as it is written: a commit, or the name of a reference. Null when there is no such commit. */
export async function resolveHead(site: Site, headText: string): Promise<CommitId | null> {
  if (!headText.startsWith("ref: refs/")) return CommitId.safeParse(headText).data ?? null;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${headText.slice(5)}^{commit}`];
  const found = await git({ gitDir: site.user.commonDir }, args);
  return CommitId.safeParse(found.stdout.toString("utf8").trim()).data ?? null;
}

export const headOfGitDir = async (site: Site, gitDir: string): Promise<CommitId | null> =>
  resolveHead(site, ((await readText(join(gitDir, "HEAD"), 4_096)) ?? "").trim());
