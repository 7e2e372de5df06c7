// The fields of a task in a plan file, one by one: each is read, read with tolerance, or makes the file unusable (F7).
import { TaskId } from "../../protocol/ids.ts";
import { mostOutputs, OutputPath } from "../../protocol/outputs.ts";
import { quoted } from "../../protocol/strict-json.ts";
import { Checkpoint, type Mark, Priority, TaskSpec, Validation } from "../../protocol/task.ts";
import { StoredStatus } from "../../protocol/tasks-file.ts";
import { ownFailureFields, ownMarkFields, ownValidationFields } from "./fields.ts";
import { isFields, kindOf, type Path, type Reading, shown, unknownFields } from "./reading.ts";

const maxErrorLength = 20_000;
const validationCommand = Validation.shape.command;
const StoredMark = Checkpoint.omit({ tree: true });

/** Words of other plan files for the same thing (F3). */
const otherWords: Readonly<Record<string, StoredStatus>> = {
  todo: "pending",
  done: "completed",
  passed: "completed",
  failing: "failed",
};

export function readId(reading: Reading, path: Path, value: unknown): string | null {
  if (typeof value !== "string") {
    return reading.refuse(path, `must be text, not ${kindOf(value)}`, 'Give the task an id such as "task-001".');
  }
  if (TaskId.safeParse(value).success) return value;
  const what = `${quoted(value)} is not allowed: 1–64 letters, digits, "-" or "_", starting with a letter or digit`;
  return reading.refuse(path, what, 'Rename it, also where "depends_on" names it.');
}

export function readTitle(reading: Reading, path: Path, value: unknown): string | null {
  if (typeof value !== "string" || value.trim() === "") {
    const found = value === undefined || value === "" ? "missing" : `${shown(value)} is no title`;
    return reading.refuse(path, found, "Say in a few words what is to be done.");
  }
  return reading.fitting(path, value, TaskSpec.shape.title);
}

export function readStatus(reading: Reading, path: Path, value: unknown): StoredStatus | null {
  if (value === undefined) {
    reading.warn(path, "missing, read as pending");
    return "pending";
  }
  const stored = StoredStatus.safeParse(value);
  if (stored.success) return stored.data;
  const word = typeof value === "string" && Object.hasOwn(otherWords, value) ? otherWords[value] : undefined;
  if (word !== undefined) return word;
  return reading.refuse(path, `${shown(value)} is no status`, "Use one of pending, in_progress, completed, failed.");
}

export function readDependencies(reading: Reading, path: Path, value: unknown): string[] | null {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    return reading.refuse(path, `must be a list of task ids, not ${kindOf(value)}`, "Write [] or a list of ids.");
  }
  const found = new Set<string>();
  for (const [place, id] of value.entries()) {
    if (!TaskId.safeParse(id).success) {
      return reading.refuse(
        [...path, place],
        `${shown(id)} is no task id`,
        "Name a task of this file, or take it away.",
      );
    }
    if (found.has(id)) reading.warn([...path, place], `names ${id} again`);
    found.add(id);
  }
  return [...found];
}

interface WordIn<T> {
  readonly schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } };
  readonly extra: Record<string, unknown>;
}
/** A word we do not know counts as none given; what was written is kept among the unknown fields. */
export function readWord<T>(reading: Reading, path: Path, value: unknown, { schema, extra }: WordIn<T>): T | null {
  if (value === undefined || value === null) return null;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  reading.warn(path, `${shown(value)} is not what this field holds; it is kept as it is`);
  extra[String(path.at(-1))] = value;
  return null;
}

/** An unknown priority ranks last; what was written is kept among the unknown fields. */
export function readPriority(reading: Reading, path: Path, value: unknown, extra: Record<string, unknown>): Priority {
  if (value === undefined) return "P1";
  const priority = Priority.safeParse(value);
  if (priority.success) return priority.data;
  reading.warn(path, `${shown(value)} is no priority: the task ranks last`);
  extra.priority = value;
  return "P2";
}

export function readValidation(
  reading: Reading,
  path: Path,
  value: unknown,
  extra: Record<string, unknown>,
): Validation | null {
  if (value === undefined || value === null) return null;
  if (!isFields(value)) {
    return reading.refuse(path, `must be an object, not ${kindOf(value)}`, 'Write {"command": "…"}.');
  }
  const command = reading.command([...path, "command"], value.command, validationCommand);
  // Without a command there is nothing to time or to precede: the rest only survives.
  const unknown = command === null ? value : unknownFields(value, ownValidationFields);
  if (Object.keys(unknown).length > 0) extra.validation = unknown;
  if (command === null) return null;
  return {
    command,
    timeoutMs: readTimeout(reading, [...path, "timeout_seconds"], value.timeout_seconds),
    quick: reading.command([...path, "quick"], value.quick, validationCommand),
  };
}

function readTimeout(reading: Reading, path: Path, value: unknown): number {
  if (value === undefined || value === null) return 300_000;
  const seconds = typeof value === "number" && value >= 0.001 ? Math.min(value, 86_400) : 300;
  if (seconds !== value) reading.warn(path, `${shown(value)} is read as ${seconds}`);
  return Math.round(seconds * 1_000);
}

export function readCleanup(
  reading: Reading,
  path: Path,
  value: unknown,
  extra: Record<string, unknown>,
): string | null {
  if (value === undefined || value === null) return null;
  if (!isFields(value)) {
    return reading.refuse(path, `must be an object, not ${kindOf(value)}`, 'Write {"cleanup": "…"}.');
  }
  const unknown = unknownFields(value, ownFailureFields);
  if (Object.keys(unknown).length > 0) extra.on_failure = unknown;
  return reading.command([...path, "cleanup"], value.cleanup, validationCommand);
}

/** What judges the work is not read with tolerance: one that is left out would not be missed. */
export function readOutputs(reading: Reading, path: Path, value: unknown): { outputs?: string[] } {
  if (value === undefined || value === null) return {};
  if (!Array.isArray(value)) {
    reading.refuse(path, `must be a list of paths, not ${kindOf(value)}`, "Write [] or a list of paths.");
    return {};
  }
  const wrong = value.findIndex((output) => !OutputPath.safeParse(output).success);
  if (wrong >= 0) {
    const what = `${shown(value[wrong])} is no path or pattern inside the project`;
    reading.refuse([...path, wrong], what, 'Name a file such as "report.md" or "notes/*.json".');
  }
  if (value.length > mostOutputs) reading.refuse(path, `names more than ${mostOutputs} files`, "Use patterns.");
  return value.length === 0 ? {} : { outputs: value };
}

export function readErrors(reading: Reading, path: Path, value: unknown): string[] {
  const alone = typeof value === "string" && value !== "";
  if (alone) reading.warn(path, "text instead of a list is read as its only entry");
  const entries = alone ? [value] : reading.list(path, value);
  return entries.flatMap((entry, place) => {
    if (typeof entry !== "string") {
      reading.warn([...path, place], `${kindOf(entry)} instead of text is left out`);
      return [];
    }
    if (entry.length > maxErrorLength) reading.warn([...path, place], `cut after ${maxErrorLength} characters`);
    return [entry.slice(0, maxErrorLength)];
  });
}

export function readMarks(reading: Reading, path: Path, value: unknown, created: number): Mark[] {
  return reading.list(path, value).flatMap((entry, place) => {
    const here = [...path, place];
    const mark = isFields(entry) ? StoredMark.safeParse(entry) : null;
    if (mark === null || !mark.success || !isFields(entry)) {
      reading.warn(here, "is no checkpoint {step, total, description, timestamp} and is left out");
      return [];
    }
    const lost = Object.keys(unknownFields(entry, ownMarkFields));
    if (lost.length > 0) reading.warn(here, `unknown fields of a checkpoint are left out: ${quoted(lost.join(", "))}`);
    const { step, total, description } = mark.data;
    return [{ step, total, description, at: reading.moment([...here, "timestamp"], entry.timestamp) ?? created }];
  });
}

export function readCommit(reading: Reading, path: Path, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  reading.warn(path, `${shown(value)} is no commit and is left out`);
  return null;
}
