// The variants of the workspace family, what the user's checkout is for those who choose, and what was put away.

export { type PushPlan, planPush, push } from "../git/accept/push.ts";
export { type Changes, changesOf } from "../git/changes.ts";
export {
  checkedOutBranch,
  describeRepository,
  excludeFromGit,
  ignoredPaths,
  repositoryPlaces,
  uncommittedFiles,
} from "../git/describe.ts";
export { dropPutAway, filesOf, putAwayIn, restorePutAway, type ShownFile } from "../git/rescue/look.ts";
export type { Restored } from "../git/rescue/restore.ts";
export type { PutAway } from "../git/rescue/shelf.ts";
export { createCloneWorkspaces } from "./clone/clone-workspaces.ts";
export { createInPlaceWorkspaces } from "./in-place/in-place-workspaces.ts";
export { createMemoryRepository } from "./memory/memory-repository.ts";
export { createMemoryWorkspaces } from "./memory/memory-workspaces.ts";
export { createWorktreeWorkspaces } from "./worktree/worktree-workspaces.ts";
