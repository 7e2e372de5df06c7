// Workspaces as private clones: what an agent does to git in one never reaches the user's repository.
import type { SiteOptions } from "../../git/site.ts";
import { clones } from "../../git/slots/make-clone.ts";
import { createSlots } from "../../git/slots/slots.ts";
import type { Workspaces } from "../workspace.ts";

export type CloneOptions = SiteOptions;

export const createCloneWorkspaces = (options: CloneOptions): Workspaces => createSlots(options, clones);
