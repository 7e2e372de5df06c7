// The variants of the workspace family, and what the user's checkout is for those who choose.

export { describeRepository, excludeFromGit, uncommittedFiles } from "../git/describe.ts";
export { createCloneWorkspaces } from "./clone/clone-workspaces.ts";
export { createMemoryRepository } from "./memory/memory-repository.ts";
export { createMemoryWorkspaces } from "./memory/memory-workspaces.ts";
export { createWorktreeWorkspaces } from "./worktree/worktree-workspaces.ts";
