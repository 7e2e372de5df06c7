// The variants of the workspace family.
export { type CloneOptions, createCloneWorkspaces } from "./clone/clone-workspaces.ts";
export {
  createMemoryRepository,
  type MemoryArchive,
  type MemoryCommit,
  type MemoryMerge,
  type MemoryRepository,
} from "./memory/memory-repository.ts";
export { createMemoryWorkspaces } from "./memory/memory-workspaces.ts";
