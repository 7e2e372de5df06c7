// Workspaces as private clones: what an agent does to git in one never reaches the user's repository.
import { join } from "node:path";
import { makeCheckout } from "../../git/checkout.ts";
import type { SiteOptions } from "../../git/site.ts";
import { branchOf } from "../../git/slots/ground.ts";
import type { MakePlace } from "../../git/slots/open.ts";
import { createSlots } from "../../git/slots/slots.ts";
import type { Workspaces } from "../workspace.ts";

export type CloneOptions = SiteOptions;

export const createCloneWorkspaces = (options: CloneOptions): Workspaces => createSlots(options, makeClone);

const makeClone: MakePlace = async (site, _slot, { directory, base, task }) => {
  await makeCheckout(site, { directory, commit: base, branch: branchOf(task) });
  const gitDir = join(directory, ".git");
  return { gitDir, workTree: directory, indexFile: join(gitDir, "index") };
};
