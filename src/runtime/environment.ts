// What a started program finds in its environment: the user's own, without what would lead it out of its workspace.
import type { Effect } from "../protocol/effect.ts";
import type { Environment } from "./project.ts";

/** Set when we were started from a git hook; git in a workspace must not follow them to the user's repository. */
const leadsElsewhere = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
  "PWD",
  "OLDPWD",
]);
/** Ours, for agents and their hooks only: a project whose tests use Harness must not find them (rule F1). */
const ours = new Set(["HARNESS_STATE_ROOT", "HARNESS_LANE", "HARNESS_TASK_ID", "HARNESS_FENCE", "HARNESS_PROCESS"]);

export function environmentFor(effect: Effect, env: Environment, root: string): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !leadsElsewhere.has(name) && !ours.has(name)) result[name] = value;
  }
  // By this a process whose supervisor died is recognised as ours.
  result.HARNESS_PROCESS = effect.id;
  if (effect.kind === "agent.run") {
    result.HARNESS_STATE_ROOT = root;
    result.HARNESS_LANE = String(effect.lane);
    result.HARNESS_TASK_ID = effect.task;
    result.HARNESS_FENCE = String(effect.fence);
  }
  return result;
}
