// The variants of the workspace family, and what the user's checkout is for those who choose.
export { type CloneOptions, createCloneWorkspaces } from "./clone/clone-workspaces.ts";
export { describeRepository, excludeFromGit, type RepositoryPlace, uncommittedFiles } from "./clone/describe.ts";
export {
  createMemoryRepository,
  type MemoryArchive,
  type MemoryCommit,
  type MemoryMerge,
  type MemoryRepository,
} from "./memory/memory-repository.ts";
export { createMemoryWorkspaces } from "./memory/memory-workspaces.ts";
