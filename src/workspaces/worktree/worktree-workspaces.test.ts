import { vi } from "vitest";
import { makeRealGit } from "../real-git.fixture.ts";
import { describeWorkspaces } from "../workspace.contract.ts";
import { createWorktreeWorkspaces } from "./worktree-workspaces.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 30_000 });

describeWorkspaces("worktree", () => makeRealGit({ create: createWorktreeWorkspaces }));
