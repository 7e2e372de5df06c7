// harness-tasks.json as a plan to adopt (rules F2, F3, F7). Circles among tasks are no matter of reading: the core
// fails their members (K1).
import type { AdoptedPlan } from "../../protocol/adopted.ts";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { parseStrictJson } from "../../protocol/strict-json.ts";
import { tasksFileVersion } from "../../protocol/tasks-file.ts";
import type { Dialect, OpenFile } from "./dialect.ts";
import { ownFileFields, ownSessionFields } from "./fields.ts";
import { readTask } from "./read-task.ts";
import { isFields, kindOf, Reading, shown, unknownFields } from "./reading.ts";
import { readTaskList } from "./task-list.ts";

/**
 * Never throws and changes nothing. A failure of kind `config`: a person must mend the file; of kind `env_setup`: it is
 * of a newer Harness. Whether a copy may take its place (F5) is told by `isDamagedJson`.
 */
export const readTasksFile = (text: string, name: string): Outcome<AdoptedPlan> => readPlan(text, name, ours);

export function readPlan(text: string, name: string, dialect: Dialect): Outcome<AdoptedPlan> {
  const json = parseStrictJson(text, name);
  if (!json.ok) return json;
  const reading = new Reading(name);
  const file = dialect.open(reading, json.value);
  const plan = file === null ? null : planOf(reading, file, dialect);
  if (reading.failure !== null) return failed(reading.failure);
  if (plan === null) throw new Error("a plan that cannot be read must say why");
  return succeeded({ ...plan, warnings: reading.warnings });
}

function planOf(reading: Reading, file: OpenFile, dialect: Dialect): Omit<AdoptedPlan, "warnings"> {
  const { created, rest } = file;
  const createdAt = reading.moment(created.path, created.value);
  const extra = unknownFields(rest, ownFileFields);
  const session = readSession(reading, rest.session_config, extra);
  const tasks = readTaskList(reading, file, dialect, createdAt ?? 0);
  return {
    createdAt,
    ...session,
    sessions: reading.count(["session_count"], rest.session_count, 0, 0, 1_000_000),
    lastSessionAt: reading.moment(["last_session"], rest.last_session),
    tasks,
    extra,
  };
}

const ours: Dialect = {
  open(reading, value) {
    if (!isFields(value)) {
      const remedy = 'Start the file with {"version": 2, "tasks": […]}.';
      return reading.refuse([], `must hold an object, not ${kindOf(value)}`, remedy);
    }
    if (!checkVersion(reading, value.version)) return null;
    const created = { path: ["created"], value: value.created };
    return { list: ["tasks"], entries: value.tasks, created, rest: value };
  },
  read: (reading, path, entry, created) => readTask(reading, path, entry, { created }),
  dependsOn: ["depends_on"],
};

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
