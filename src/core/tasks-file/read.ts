// harness-tasks.json as a plan to adopt (rules F2, F3, F7). Circles among tasks are no matter of reading: the core
// fails their members (K1).
import type { AdoptedPlan, AdoptedTask } from "../../protocol/adopted.ts";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { parseStrictJson } from "../../protocol/strict-json.ts";
import { tasksFileVersion } from "../../protocol/tasks-file.ts";
import { ownFileFields, ownSessionFields } from "./fields.ts";
import { readTask } from "./read-task.ts";
import { type Fields, isFields, kindOf, Reading, shown, unknownFields } from "./reading.ts";

/**
 * Never throws and changes nothing. A failure of kind `config`: a person must mend the file; of kind `env_setup`: it is
 * of a newer Harness. Whether a copy may take its place (F5) is told by `isDamagedJson`.
 */
export function readTasksFile(text: string, name: string): Outcome<AdoptedPlan> {
  const json = parseStrictJson(text, name);
  return json.ok ? readPlan(json.value, name) : json;
}

function readPlan(value: unknown, name: string): Outcome<AdoptedPlan> {
  const reading = new Reading(name);
  const plan = isFields(value)
    ? planOf(reading, value)
    : reading.refuse(
        [],
        `must hold an object, not ${kindOf(value)}`,
        'Start the file with {"version": 2, "tasks": […]}.',
      );
  if (reading.failure !== null) return failed(reading.failure);
  if (plan === null) throw new Error("a plan that cannot be read must say why");
  return succeeded({ ...plan, warnings: reading.warnings });
}

function planOf(reading: Reading, file: Fields): Omit<AdoptedPlan, "warnings"> | null {
  if (!checkVersion(reading, file.version)) return null;
  const createdAt = reading.moment(["created"], file.created);
  const extra = unknownFields(file, ownFileFields);
  const session = readSession(reading, file.session_config, extra);
  const tasks = readTasks(reading, file.tasks, createdAt ?? 0);
  return {
    createdAt,
    ...session,
    sessions: reading.count(["session_count"], file.session_count, 0, 0, 1_000_000),
    lastSessionAt: reading.moment(["last_session"], file.last_session),
    tasks,
    extra,
  };
}

function checkVersion(reading: Reading, value: unknown): boolean {
  const version = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (value === undefined) {
    reading.warn(["version"], `missing, read as ${tasksFileVersion}`);
  } else if (typeof version !== "number") {
    reading.refuse(["version"], `${shown(value)} is no version`, `Write ${tasksFileVersion}.`);
  } else if (version > tasksFileVersion) {
    const what = `version ${version} is newer than ${tasksFileVersion}, the newest known here; nothing was changed`;
    reading.refuse(["version"], what, "Use a newer Harness.", "env_setup");
  } else if (value !== tasksFileVersion) {
    reading.warn(["version"], `${shown(value)} is read as ${tasksFileVersion}`);
  }
  return reading.failure === null;
}

type Session = Pick<AdoptedPlan, "concurrencyMode" | "maxSessions" | "maxTasksPerSession">;

function readSession(reading: Reading, value: unknown, extra: Record<string, unknown>): Session {
  const config = isFields(value) ? value : {};
  if (value !== undefined && !isFields(value)) {
    reading.warn(["session_config"], `${kindOf(value)} instead of an object: the defaults hold`);
  }
  const unknown = unknownFields(config, ownSessionFields);
  if (Object.keys(unknown).length > 0) extra.session_config = unknown;
  const mode = config.concurrency_mode;
  if (mode !== undefined && mode !== "exclusive" && mode !== "concurrent") {
    reading.warn(["session_config", "concurrency_mode"], `${shown(mode)} is read as "exclusive"`);
  }
  const count = (field: string, fallback: number): number =>
    reading.count(["session_config", field], config[field], fallback, 1, 100_000);
  return {
    concurrencyMode: mode === "concurrent" ? mode : "exclusive",
    maxSessions: count("max_sessions", 50),
    maxTasksPerSession: count("max_tasks_per_session", 20),
  };
}

function readTasks(reading: Reading, value: unknown, created: number): readonly AdoptedTask[] {
  if (!Array.isArray(value)) {
    const what = value === undefined ? "missing" : `must be a list, not ${kindOf(value)}`;
    reading.refuse(["tasks"], what, "Write a list of tasks; [] if there is none.");
    return [];
  }
  const tasks: AdoptedTask[] = [];
  const places = new Map<string, number>();
  const spellings = new Map<string, number>();
  for (const [place, entry] of value.entries()) {
    if (!isFields(entry)) {
      reading.warn(["tasks", place], `${kindOf(entry)} instead of a task is left out`);
      continue;
    }
    const task = readTask(reading, ["tasks", place], entry, created);
    if (task === null) return [];
    checkUnique(reading, task.spec.id, place, places, spellings);
    tasks.push(task);
  }
  checkDependencies(reading, tasks, places, value);
  return tasks;
}

type Places = Map<string, number>;

function checkUnique(reading: Reading, id: string, place: number, places: Places, spellings: Places): void {
  const first = places.get(id);
  if (first !== undefined) {
    reading.refuse(
      ["tasks", place, "id"],
      `"${id}" is the id of tasks[${first}] already`,
      "Give one of them a new id.",
    );
  }
  const alike = spellings.get(id.toLowerCase());
  if (first === undefined && alike !== undefined) {
    reading.warn(["tasks", place, "id"], `"${id}" differs from tasks[${alike}].id only by case`);
  }
  places.set(id, place);
  spellings.set(id.toLowerCase(), place);
}

function checkDependencies(
  reading: Reading,
  tasks: readonly AdoptedTask[],
  places: Places,
  entries: readonly unknown[],
): void {
  for (const { spec } of tasks) {
    const missing = spec.dependsOn.find((id) => !places.has(id));
    if (missing === undefined) continue;
    const place = places.get(spec.id) ?? 0;
    const at = ["tasks", place, "depends_on", placeOf(missing, entries[place])];
    reading.refuse(at, `"${missing}" is no task of this file`, "Add that task, or take the dependency away.");
    return;
  }
}

/** Where the entry itself names it: the task no longer knows of names given twice. */
const placeOf = (id: string, entry: unknown): number =>
  isFields(entry) && Array.isArray(entry.depends_on) ? entry.depends_on.indexOf(id) : 0;
