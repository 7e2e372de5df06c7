// The user's own checkout as the one workspace: chosen by the user, one lane only. The mission branch is the branch that
// is checked out; how the checkout was before an attempt is recorded first and given back if the attempt fails.
import { openProof } from "../../git/proof.ts";
import { answer } from "../../git/refusal.ts";
import type { Site, SiteOptions } from "../../git/site.ts";
import { siteOf } from "../../git/slots/slots.ts";
import { nextBase } from "../../git/user-repository.ts";
import { failed, succeeded } from "../../protocol/failure.ts";
import type { Workspaces } from "../workspace.ts";
import { archiveHere, closeHere } from "./end-here.ts";
import { type Here, hereOf } from "./here.ts";
import { mergeHere } from "./merge-here.ts";
import { acceptHere, prepareHere, rebaseHere } from "./one-lane.ts";
import { openHere } from "./open-here.ts";
import { collectHere, commitHere, inspectHere } from "./work-here.ts";

export interface InPlaceOptions extends SiteOptions {
  /** Changes that were not committed become part of the first task's work; without this they are refused. */
  readonly withChanges: boolean;
}

export function createInPlaceWorkspaces(options: InPlaceOptions): Workspaces {
  const found = siteOf(options);
  const { withChanges } = options;
  const verb = <T>(work: (site: Site, here: Here) => Promise<T>) =>
    answer(async () => {
      const site = await found();
      return work(site, await hereOf(site));
    });
  return {
    head: () => verb(({ user, branch }) => nextBase(user, branch)),
    open: (request) => verb((site, here) => openHere(site, here, { ...request, withChanges })),
    inspect: (request) => verb((site, here) => inspectHere(site, here, request)),
    collect: (request) => verb((site, here) => collectHere(site, here, request)),
    commit: (request) => verb((site, here) => commitHere(site, here, request)),
    rebase: (request) => verb((site, here) => rebaseHere(site, here, request)),
    proof: (request) => verb((site) => openProof(site, request)),
    prepare: (request, make) => verb((site, here) => prepareHere(site, here, request, make)),
    merge: (request) => verb((site, here) => mergeHere(site, here, request)),
    archive: (request) => verb((site, here) => archiveHere(site, here, request)),
    close: (request) => verb((site, here) => closeHere(site, here, request)),
    trial: async () => succeeded({ end: "current" }),
    catchUp: async () => succeeded(false),
    accept: (request) => verb((site) => acceptHere(site, request)),
    drop: async ({ commit }) =>
      failed({ kind: "usage", message: `${commit} is in your own branch`, remedy: `git revert ${commit}` }),
  };
}
