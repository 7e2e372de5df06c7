// One verb of one variant, in a process of its own; bundled because the oldest Node cannot run TypeScript.
import { createInPlaceWorkspaces, createWorktreeWorkspaces } from "../../src/workspaces/index.ts";
import type { Workspaces } from "../../src/workspaces/workspace.ts";

const { variant, options, verb, request } = JSON.parse(process.argv[2] ?? "{}");
type PlainVerb = Exclude<keyof Workspaces, "prepare">;
const make: Record<string, () => Workspaces> = {
  worktree: () => createWorktreeWorkspaces(options),
  "in-place": () => createInPlaceWorkspaces(options),
};
const workspaces = make[variant]?.();
if (workspaces === undefined) throw new Error(`no variant ${variant}`);
const answer = await workspaces[verb as PlainVerb](request);
process.stdout.write(JSON.stringify(answer));
