// Which fields of harness-tasks.json are ours to write; all others are somebody else's and survive (F2).
import { SessionConfig, TaskEntry, TasksFile } from "../../protocol/tasks-file.ts";

/** Described in the schema, but kept as they are: nothing of ours reads them yet. */
export const kept = ["claims", "acceptance_criteria", "output_files", "qa_cycle_count", "unverified"] as const;

const keptNames: ReadonlySet<string> = new Set(kept);

export const taskFields: readonly string[] = Object.keys(TaskEntry.shape);
export const ownTaskFields: ReadonlySet<string> = new Set(taskFields.filter((name) => !keptNames.has(name)));
export const ownFileFields: ReadonlySet<string> = new Set(Object.keys(TasksFile.shape));
export const ownSessionFields: ReadonlySet<string> = new Set(Object.keys(SessionConfig.shape));
export const ownValidationFields: ReadonlySet<string> = new Set(["command", "timeout_seconds", "quick"]);
export const ownFailureFields: ReadonlySet<string> = new Set(["cleanup"]);
export const ownMarkFields: ReadonlySet<string> = new Set(["step", "total", "description", "timestamp"]);
