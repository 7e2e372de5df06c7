// An entry of another harness's plan file as a task: its names and words become ours, what we do not read survives (F3).
import type { AdoptedTask } from "../../protocol/adopted.ts";
import type { TaskKind } from "../../protocol/task.ts";
import type { StoredStatus } from "../../protocol/tasks-file.ts";
import { readTask } from "../tasks-file/read-task.ts";
import { type Fields, isFields, type Path, type Reading } from "../tasks-file/reading.ts";
import { sameJson } from "../tasks-file/same-json.ts";

/** Our name of a field → what else it is called. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  depends_on: ["dependencies", "dependsOn"],
  attempts: ["retry_count"],
  output_files: ["outputs"],
};
export const dependencyNames: readonly string[] = ["depends_on", ...(otherNames.depends_on ?? [])];

/** What is under way there, in all its stages; nothing of it can be seen from here. */
const otherWords: ReadonlyMap<unknown, StoredStatus> = new Map(
  ["in-progress", "working", "validating", "reviewing", "merging", "awaiting_approval"].map((word) => [
    word,
    "in_progress",
  ]),
);

interface Facts {
  readonly created: number;
  readonly kind: TaskKind;
}

/** Null when the reading has failed. */
export function readForeignTask(reading: Reading, path: Path, entry: Fields, facts: Facts): AdoptedTask | null {
  const { fields, names } = translated(reading, path, entry);
  const { status } = entry;
  const ours = { ...fields, ...titleOf(reading, path, entry), ...validationOf(entry) };
  const task = readTask(reading, path, { ...ours, ...statusOf(status) }, { ...facts, names });
  if (task === null) return null;
  return status === "blocked" ? givenUp(reading, path, task) : stillTried(reading, path, task, status);
}

/** The entry under our names, and what each was called. The same said twice must be said alike. */
function translated(reading: Reading, path: Path, entry: Fields) {
  const fields: Record<string, unknown> = { ...entry };
  const names: Record<string, string> = {};
  for (const [ours, others] of Object.entries(otherNames)) {
    for (const name of others) {
      if (!Object.hasOwn(entry, name)) continue;
      if (Object.hasOwn(fields, ours) && !sameJson(fields[ours], entry[name])) {
        reading.refuse(
          [...path, name],
          `says something else than "${names[ours] ?? ours}"`,
          "Keep the one that is meant.",
        );
      }
      if (!Object.hasOwn(entry, ours)) names[ours] ??= name;
      fields[ours] = entry[name];
      delete fields[name];
    }
  }
  return { fields, names };
}

/** An entry with nothing but a description is called by its first line. */
function titleOf(reading: Reading, path: Path, { title, description }: Fields): Fields {
  if ((title !== undefined && title !== null && title !== "") || typeof description !== "string") return {};
  const line = description.trim().split("\n", 1)[0]?.trim() ?? "";
  if (line === "") return {};
  reading.warn([...path, "title"], "missing, taken from the description");
  return { title: [...line].slice(0, 200).join("") };
}

/** A command may stand there by itself. */
const validationOf = ({ validation }: Fields): Fields =>
  typeof validation === "string" ? { validation: validation === "" ? null : { command: validation } } : {};

const statusOf = (status: unknown): Fields => {
  const word = status === "blocked" ? "failed" : otherWords.get(status);
  return word === undefined ? {} : { status: word };
};

/** There a blocked task waits for a person and is not tried again; here that is one without an attempt left. */
function givenUp(reading: Reading, path: Path, task: AdoptedTask): AdoptedTask {
  const { id, maxAttempts } = task.spec;
  const what = `"blocked" is read as failed with no attempt left; to have it tried again: harness reset ${id}`;
  reading.warn([...path, "status"], what);
  const errorLog = [...task.errorLog, "[TASK_EXEC] It was blocked when the plan was adopted"];
  return { ...task, attempts: Math.max(task.attempts, maxAttempts), errorLog };
}

/** `failing` means that it will be tried again; the count says whether it can. */
function stillTried(reading: Reading, path: Path, task: AdoptedTask, status: unknown): AdoptedTask {
  const { id, maxAttempts } = task.spec;
  if (status === "failing" && task.attempts >= maxAttempts) {
    const what = `"failing", but all ${maxAttempts} attempts are used; for one more: harness retry ${id}`;
    reading.warn([...path, "status"], what);
  }
  return task;
}

/** What a file says beside its entries. */
export const without = (file: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(file).filter(([field]) => field !== name));

/** When the plan was made, as far as the file says it. */
export function createdIn(file: Fields, at: Path = []): { path: Path; value: unknown } {
  const name = ["created", "created_at", "createdAt"].find((field) => Object.hasOwn(file, field)) ?? "created";
  return { path: [...at, name], value: file[name] };
}

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
