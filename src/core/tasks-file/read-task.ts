// One entry of a plan file as a task, or the reason why the file cannot be used.
import type { AdoptedTask } from "../../protocol/adopted.ts";
import { PhaseName } from "../../protocol/phases.ts";
import { TaskKind, TaskSpec, usualAttempts } from "../../protocol/task.ts";
import { TaskEntry } from "../../protocol/tasks-file.ts";
import { kept, ownTaskFields } from "./fields.ts";
import { type Fields, type Path, type Reading, shown, unknownFields } from "./reading.ts";
import {
  readCleanup,
  readCommit,
  readDependencies,
  readErrors,
  readId,
  readMarks,
  readOutputs,
  readPriority,
  readStatus,
  readTitle,
  readValidation,
  readWord,
} from "./task-fields.ts";

/** Far above any limit, and small enough that sums over a plan stay exact. */
const maxCharged = 1_000_000;

export interface EntryFacts {
  /** Stands in for times that cannot be read but are needed. */
  readonly created: number;
  /** Our name of a field → what the file calls it, where that differs: messages name what stands there. */
  readonly names?: Readonly<Record<string, string>>;
  /** Of an entry that does not say it. */
  readonly kind?: TaskKind;
}

/** `entry` has our names. Null when the reading has failed. */
export function readTask(reading: Reading, path: Path, entry: Fields, facts: EntryFacts): AdoptedTask | null {
  const { created, names = {} } = facts;
  const at = (field: string): Path => [...path, names[field] ?? field];
  const id = readId(reading, at("id"), entry.id);
  const title = readTitle(reading, at("title"), entry.title);
  const status = readStatus(reading, at("status"), entry.status);
  const dependsOn = readDependencies(reading, at("depends_on"), entry.depends_on);
  if (id === null || title === null || status === null || dependsOn === null) return null;
  const extra = unknownFields(entry, ownTaskFields);
  const kind = readWord(reading, at("kind"), entry.kind, { schema: TaskKind, extra }) ?? facts.kind ?? "task";
  const task: AdoptedTask = {
    spec: {
      id,
      kind,
      phase: readWord(reading, at("phase"), entry.phase, { schema: PhaseName, extra }),
      title,
      description: reading.text(at("description"), entry.description, TaskSpec.shape.description) ?? "",
      priority: readPriority(reading, at("priority"), entry.priority, extra),
      dependsOn,
      validation: readValidation(reading, at("validation"), entry.validation, extra),
      maxAttempts: reading.count(at("max_attempts"), entry.max_attempts, usualAttempts[kind], 1, 1_000),
      cleanup: readCleanup(reading, at("on_failure"), entry.on_failure, extra),
      ...readOutputs(reading, at("output_artifacts"), entry.output_artifacts),
      extra,
    },
    status,
    attempts: reading.count(at("attempts"), entry.attempts, 0, 0, maxCharged),
    interruptions: reading.count(at("interruptions"), entry.interruptions, 0, 0, maxCharged),
    errorLog: readErrors(reading, at("error_log"), entry.error_log),
    checkpoints: readMarks(reading, at("checkpoints"), entry.checkpoints, created),
    startedAtCommit: readCommit(reading, at("started_at_commit"), entry.started_at_commit),
    completedAt: reading.moment(at("completed_at"), entry.completed_at),
    failedAt: reading.moment(at("failed_at"), entry.failed_at),
  };
  for (const name of kept) {
    if (!Object.hasOwn(extra, name) || TaskEntry.shape[name].safeParse(extra[name]).success) continue;
    reading.warn(at(name), `${shown(extra[name])} is not what this field holds; it is kept as it is`);
  }
  return reading.failure === null ? task : null;
}
