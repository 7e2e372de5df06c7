// Which missions have an attempt under way in a checkout of the user's, for all missions of the repository to see: what
// one of them began there must not be taken for another's, or be taken back by it.
import { createHash } from "node:crypto";
import { relative } from "node:path";
import { gitText } from "./git.ts";
import { refuse } from "./refusal.ts";
import type { Site } from "./site.ts";

/** Named by its git directory within the repository, which a move of both does not change. */
function refsOf({ user }: Site, gitDir: string): string {
  const within = relative(user.commonDir, gitDir);
  const isPlain = /^worktrees\/[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(within);
  const name = within === "" ? "main" : isPlain ? within : createHash("sha256").update(within).digest("hex");
  return `refs/harness/at-work/${name}`;
}

/** There as long as an attempt of this mission is under way in the checkout. */
export const atWorkRefOf = (site: Site, gitDir: string): string => `${refsOf(site, gitDir)}/${missionOf(site)}`;

const missionOf = ({ mission = "mission" }: Site): string => mission;

/** Other missions that are at work there. */
async function othersAtWork(site: Site, gitDir: string): Promise<readonly string[]> {
  const refs = `${refsOf(site, gitDir)}/`;
  const listed = await gitText({ gitDir: site.user.commonDir }, ["for-each-ref", "--format=%(refname)", refs]);
  const missions = listed.split("\n").flatMap((ref) => (ref === "" ? [] : [ref.slice(refs.length)]));
  return missions.filter((mission) => mission !== missionOf(site));
}

export async function refuseOthersAtWork(
  site: Site,
  { top, gitDir }: { readonly top: string; readonly gitDir: string },
): Promise<void> {
  const [mission] = await othersAtWork(site, gitDir);
  if (mission === undefined) return;
  refuse({
    kind: "config",
    message: `the mission ${mission} is at work in the checkout ${top}`,
    remedy: `Let it end, with harness run in its own project, then try again. If that is gone for good: git update-ref -d ${refsOf(site, gitDir)}/${mission}`,
  });
}
