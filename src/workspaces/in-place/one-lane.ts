// What other variants do about others who work beside an attempt, where there is one lane and the mission branch is the
// user's own: nothing is caught up with, brought onto another head or delivered.
import { missionLog } from "../../git/mission-log.ts";
import { prepareCheckout } from "../../git/prepare.ts";
import { proofAt } from "../../git/proof.ts";
import { refuse } from "../../git/refusal.ts";
import type { Site } from "../../git/site.ts";
import type { Accepted, AcceptRequest } from "../branch-keeping.ts";
import type { Make, PrepareRequest, RebaseRequest } from "../workspace.ts";
import { type Here, refuseOtherPath } from "./here.ts";
import { headOf } from "./open-here.ts";

/** The user set the checkout up. Whatever is made there would be the user's, so nothing is; a proof is as any other. */
export async function prepareHere(
  site: Site,
  here: Here,
  request: PrepareRequest,
  make: Make | null,
): Promise<{ readonly made: boolean }> {
  const proof = proofAt(site, request.path);
  if (proof !== null) return prepareCheckout(site, proof, request, make);
  refuseOtherPath(here, request.path);
  return { made: false };
}

/** Only a commit of the user's own can be in conflict here, and files of the user's get no markers: a person decides. */
export async function rebaseHere(site: Site, here: Here, { path, task }: RebaseRequest): Promise<never> {
  refuseOtherPath(here, path);
  return refuse({
    kind: "merge_conflict",
    message: `${site.branch} was moved while ${task} was worked on in place, and both changed the same files`,
    remedy: "Leave the branch alone while a task is under way, or work in clones: --workspace clone",
  });
}

/** All that is finished is in the user's branch since it was merged. */
export async function acceptHere(site: Site, { branch, tasks }: AcceptRequest): Promise<Accepted> {
  if (branch !== null && branch !== site.branch)
    refuse({
      kind: "usage",
      message: `this mission works in place: what is finished is in ${site.branch}, and does not go on to ${branch}`,
      remedy: `git switch ${branch} && git merge ${site.branch}`,
    });
  const { commit } = await headOf(site);
  const finished = (await missionLog(site, commit)).map(({ task }) => task);
  const wanted = finished.filter((task) => tasks === null || tasks.includes(task));
  return { how: "present", branch: site.branch, commit, tasks: wanted };
}
