// What a configuration means for a run that is about to begin: what it forbids, and what of it will not be heeded.
import { keysWithoutEffect } from "../../protocol/config.ts";
import type { Limits, WorkspaceKind } from "../../protocol/task.ts";
import { configOf, writtenIn } from "../config.ts";
import { valueAt } from "./merge.ts";
import type { Layer } from "./problems.ts";
import { tightened } from "./tighten.ts";

/** What the user gives up by choosing another workspace than a clone. */
export function workspaceNote(workspace: WorkspaceKind, branch: string): readonly string[] {
  if (workspace === "worktree")
    return ["worktree: without a sandbox; an agent reaches your repository's branches, stashes and configuration"];
  if (workspace === "in-place")
    return [`in-place: without a sandbox; agents work in this checkout, and finished tasks are committed to ${branch}`];
  return [];
}

/** A line for each way in which something that was written will not be heeded; `limits` are the mission's. */
export function unheeded(layers: readonly Layer[], limits: Limits | null): readonly string[] {
  const keys = keysWithoutEffect(configOf(layers));
  const written = writtenIn(layers);
  const others = Object.entries(limits ?? {})
    .filter(([key, value]) => ![undefined, value].includes(valueAt(written, ["limits", key]) as number | undefined))
    .map(([key, value]) => `${key} ${value}`);
  return [
    ...tightened(layers, {}).heldBack.map(
      ({ key, asked, holds }) => `a project may not loosen ${key}: it asks for ${asked}, ${holds} holds`,
    ),
    ...(keys.length === 0 ? [] : [`configured, but without effect yet: ${keys.join(", ")}`]),
    ...(others.length === 0
      ? []
      : [`limits hold as they were when the mission began, not as configured now: ${others.join(", ")}`]),
  ];
}
