// Workspaces as linked work trees of the user's repository: each on a branch of its own, with the repository's stashes,
// configuration and branches within an agent's reach. Chosen by the user; the default is a private clone.
import type { SiteOptions } from "../../git/site.ts";
import { linkedWorkTrees } from "../../git/slots/make-linked.ts";
import { createSlots } from "../../git/slots/slots.ts";
import type { Workspaces } from "../workspace.ts";

export const createWorktreeWorkspaces = (options: SiteOptions): Workspaces => createSlots(options, linkedWorkTrees);
