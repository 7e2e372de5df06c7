// What a configuration means for a run that is about to begin: what it forbids, and what of it will not be heeded.
import { keysWithoutEffect } from "../../protocol/config.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Limits, WorkspaceKind } from "../../protocol/task.ts";
import { configOf, writtenIn } from "../config.ts";
import { valueAt } from "./merge.ts";
import type { Layer } from "./problems.ts";

/** Whoever asks for a sandbox is never given less: there is none yet, and in some workspaces there can be none. */
export function sandboxRefusal(layers: readonly Layer[], workspace: WorkspaceKind = "clone"): Failure | null {
  const place = layers.findLast(({ written }) => valueAt(written, ["sandbox"]) !== undefined);
  if (place === undefined || valueAt(place.written, ["sandbox"]) !== "required") return null;
  if (workspace !== "clone")
    return {
      kind: "config",
      message: `${place.name}: sandbox is "required", and there is none around ${workspaceWords[workspace]}`,
      remedy: "work in clones: --workspace clone",
    };
  return {
    kind: "config",
    message: `${place.name}: sandbox is "required", and this version has none`,
    remedy: 'write "auto" or "off" there to let agents work with all your rights',
  };
}

const workspaceWords = { worktree: "a work tree of your repository", "in-place": "your own checkout" } as const;

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
    ...(keys.length === 0 ? [] : [`configured, but without effect yet: ${keys.join(", ")}`]),
    ...(others.length === 0
      ? []
      : [`limits hold as they were when the mission began, not as configured now: ${others.join(", ")}`]),
  ];
}
