import { vi } from "vitest";
import { describeBranchKeeping } from "../branch-keeping.contract.ts";
import { describeConflicts } from "../conflict.contract.ts";
import { describeLeft } from "../left.contract.ts";
import { describePreparing } from "../prepare.contract.ts";
import { makeRealGit } from "../real-git.fixture.ts";
import { describeStanding } from "../standing.contract.ts";
import { describeWorkspaces } from "../workspace.contract.ts";
import { createWorktreeWorkspaces } from "./worktree-workspaces.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 30_000 });

const make = () => makeRealGit({ create: createWorktreeWorkspaces });
describeWorkspaces("worktree", make);
describeBranchKeeping("worktree", make);
describePreparing("worktree", make);
describeConflicts("worktree", make);
describeLeft("worktree", (files) => makeRealGit({ files, create: createWorktreeWorkspaces }));
describeStanding("worktree", make);
