// Where a mission's attempts work. Chosen by the user, kept by the mission: it stays where it is until told otherwise.
import { normalize } from "node:path";
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";
import type { WorkspaceKind } from "../protocol/task.ts";
import type { Mission } from "../runtime/mission.ts";
import type { Project } from "../runtime/project.ts";
import {
  checkedOutBranch,
  createCloneWorkspaces,
  createInPlaceWorkspaces,
  createWorktreeWorkspaces,
} from "../workspaces/index.ts";
import type { Workspaces } from "../workspaces/workspace.ts";
import { withLinks } from "./task-links.ts";

/** Brings the mission to the wanted kind of workspace; refused while an attempt is open. */
export async function settleWorkspace(
  mission: Mission,
  { root }: Pick<Project, "root">,
  wanted: WorkspaceKind | undefined,
): Promise<Outcome<null>> {
  const present = (await mission.refresh()).mission;
  if (present === null || wanted === undefined || present.workspace === wanted) return succeeded(null);
  const branch = wanted === "in-place" ? await checkedOutBranch(root) : succeeded(`harness/${present.id}`);
  if (!branch.ok) return branch;
  const placed = await mission.submit({ type: "mission.place", workspace: wanted, branch: branch.value });
  return placed.ok ? succeeded(null) : failed(placed.failure);
}

export interface WorkPlace {
  readonly project: Project;
  readonly rootPrefix: string;
  readonly workspace: WorkspaceKind;
  readonly branch: string;
  readonly mission?: string;
  readonly withChanges: boolean;
  /** Also show each task's workspace in the project, by a link. */
  readonly links: boolean;
  readonly exclusively: <T>(work: () => T) => Promise<T>;
}

export function workspacesFor({ project, workspace, withChanges, links, ...site }: WorkPlace): Workspaces {
  const options = { repository: project.root, home: project.home, ...site };
  const made = {
    clone: () => createCloneWorkspaces(options),
    worktree: () => createWorktreeWorkspaces(options),
    "in-place": () => createInPlaceWorkspaces({ ...options, withChanges }),
  }[workspace]();
  const isShown = workspace === "worktree" || (workspace === "clone" && links);
  return isShown ? withLinks(made, { root: project.root, home: normalize(project.home) }) : made;
}
