// The list of tasks in a plan file: every entry read, every id once, every dependency there (F7).
import type { AdoptedTask } from "../../protocol/adopted.ts";
import { fieldPath } from "../../protocol/strict-json.ts";
import type { Dialect, OpenFile } from "./dialect.ts";
import { type Fields, isFields, kindOf, type Path, type Reading } from "./reading.ts";

/** Empty when the reading has failed. */
export function readTaskList(
  reading: Reading,
  { list, entries }: OpenFile,
  dialect: Dialect,
  created: number,
): readonly AdoptedTask[] {
  if (!Array.isArray(entries)) {
    const what = entries === undefined ? "missing" : `must be a list, not ${kindOf(entries)}`;
    reading.refuse(list, what, "Write a list of tasks; [] if there is none.");
    return [];
  }
  const tasks: AdoptedTask[] = [];
  const places = new Map<string, number>();
  const spellings = new Map<string, number>();
  for (const [place, entry] of entries.entries()) {
    const path = [...list, place];
    if (!isFields(entry)) {
      reading.warn(path, `${kindOf(entry)} instead of a task is left out`);
      continue;
    }
    const task = dialect.read(reading, path, entry, created);
    if (task === null) return [];
    checkUnique(reading, list, { id: task.spec.id, place, places, spellings });
    tasks.push(task);
  }
  for (const { spec } of tasks) {
    const missing = spec.dependsOn.find((id) => !places.has(id));
    const place = places.get(spec.id);
    if (missing === undefined || place === undefined) continue;
    const at = [...list, place, ...placeOf(missing, entries[place], dialect)];
    reading.refuse(at, `"${missing}" is no task of this file`, "Add that task, or take the dependency away.");
    break;
  }
  return tasks;
}

interface Known {
  readonly id: string;
  readonly place: number;
  readonly places: Map<string, number>;
  /** Without regard to case. */
  readonly spellings: Map<string, number>;
}
function checkUnique(reading: Reading, list: Path, { id, place, places, spellings }: Known): void {
  const first = places.get(id);
  const at = [...list, place, "id"];
  if (first !== undefined) {
    const what = `"${id}" is the id of ${fieldPath([...list, first])} already`;
    reading.refuse(at, what, "Give one of them a new id.");
  }
  const alike = spellings.get(id.toLowerCase());
  if (first === undefined && alike !== undefined) {
    reading.warn(at, `"${id}" differs from ${fieldPath([...list, alike, "id"])} only by case`);
  }
  places.set(id, place);
  spellings.set(id.toLowerCase(), place);
}

/** Where the entry itself names it: the task no longer knows of names given twice. */
function placeOf(id: string, entry: Fields, { dependsOn }: Dialect): Path {
  const named = dependsOn.map((name) => [name, entry[name]] as const);
  const [name, ids] = named.find(([, value]) => Array.isArray(value) && value.includes(id)) ?? ["depends_on", []];
  return [name, Array.isArray(ids) ? ids.indexOf(id) : 0];
}
