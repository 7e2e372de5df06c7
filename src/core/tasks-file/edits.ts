// What a hand edit of harness-tasks.json asks for (rule F6): the file is a view, so a change in it is a request.
import type { AdoptedPlan, AdoptedTask } from "../../protocol/adopted.ts";
import type { TaskId } from "../../protocol/ids.ts";
import type { TaskRequest } from "../../protocol/input.ts";
import type { TaskSpec } from "../../protocol/task.ts";
import type { TasksFile } from "../../protocol/tasks-file.ts";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { ReadonlyState, ReadonlyTask } from "../state.ts";
import { byDependencies } from "./by-dependencies.ts";
import { countedFields, fieldsOfFile } from "./counted-fields.ts";
import { readTasksFile } from "./read.ts";
import type { Fields } from "./reading.ts";
import { sameJson } from "./same-json.ts";

/** Imported with a warning in the log. `extra`: all unknown fields of the task as they shall be. */
export type HarmlessChange = Partial<Pick<TaskSpec, "kind" | "phase" | "title" | "description" | "priority" | "extra">>;
/** Decides what is run, when, or how it is judged: a person must agree. `extra` only if a criterion is among it. */
export type GraveChange = Partial<Pick<TaskSpec, "validation" | "dependsOn" | "cleanup" | "outputs" | "extra">>;

export type Edit =
  /** Without its commands: these follow as an `ask` of the same task. */
  | { readonly kind: "add"; readonly task: TaskRequest & { readonly id: TaskId }; readonly extra: Fields }
  | { readonly kind: "edit"; readonly task: TaskId; readonly change: HarmlessChange }
  /** `was` and `wants` hold the same fields, to be shown side by side; `change` is what a grant brings about. */
  | {
      readonly kind: "ask";
      readonly task: TaskId;
      readonly change: GraveChange;
      readonly was: GraveChange;
      readonly wants: GraveChange;
    }
  /** `field` as the file names it; no task: a field of the file itself. */
  | {
      readonly kind: "refuse";
      readonly task: TaskId | null;
      readonly field: string;
      readonly was: unknown;
      readonly wants: unknown;
      readonly why: string;
    };

/**
 * `before` is what was written last, `after` what stands there now. Added tasks come first, dependencies before those
 * that name them. What the state already holds is not asked for again.
 */
export function editsIn(before: TasksFile | string, after: AdoptedPlan, state: ReadonlyState): readonly Edit[] {
  const written = readTasksFile(typeof before === "string" ? before : JSON.stringify(before), "the last view");
  if (!written.ok) throw new Error(`what was written cannot be read: ${written.failure.message}`);
  const known = new Map(written.value.tasks.map((task) => [task.spec.id, task]));
  const wanted = new Map(after.tasks.map((task) => [task.spec.id, task]));
  const fresh = after.tasks.filter(({ spec }) => !known.has(spec.id));
  return [
    ...byDependencies(fresh).flatMap((task) => additionOf(task, state)),
    ...[...known.values()].flatMap((task) => changesOf(task, wanted.get(task.spec.id), state.tasks.get(task.spec.id))),
    ...changesOfFile(written.value, after),
  ];
}

type Refusal = Extract<Edit, { kind: "refuse" }>;
const refusal = (task: TaskId | null, field: string, was: unknown, wants: unknown, why: string): Refusal => ({
  kind: "refuse",
  task,
  field,
  was,
  wants,
  why,
});

function additionOf(task: AdoptedTask, state: ReadonlyState): readonly Edit[] {
  const { id, validation, cleanup, extra, ...texts } = task.spec;
  if (state.tasks.has(id)) return [refusal(id, "id", id, id, `there is a task "${id}" already`)];
  if (task.status !== "pending") return [refusal(id, "status", null, task.status, "a new task starts as pending")];
  if (task.attempts > 0) return [refusal(id, "attempts", 0, task.attempts, "a new task has no attempts behind it")];
  const commands: GraveChange = {
    ...(validation === null ? {} : { validation }),
    ...(cleanup === null ? {} : { cleanup }),
  };
  return [{ kind: "add", task: { id, ...texts }, extra }, ...asked(id, { validation: null, cleanup: null }, commands)];
}

function changesOf(was: AdoptedTask, wants: AdoptedTask | undefined, task: ReadonlyTask | undefined): readonly Edit[] {
  const { id } = was.spec;
  if (wants === undefined) {
    return [refusal(id, "tasks", id, null, "a task is not taken out of a plan by taking it out of its view")];
  }
  const kept = countedFields.flatMap(({ field, of, why }) =>
    sameJson(of(was), of(wants)) ? [] : [refusal(id, field, of(was), of(wants), why(id))],
  );
  const change = changedFields(was.spec, wants.spec, task?.spec);
  const status = task?.phase.status;
  if (status === "in_progress" || status === "completed") {
    const why = `${id} is ${status}: it cannot be changed now`;
    return [...kept, ...Object.entries(change).map(([name, value]) => fixedField(was.spec, name, value, why))];
  }
  const { validation, dependsOn, cleanup, outputs, extra, ...texts } = change;
  const judges = extra !== undefined && criteria.some((name) => !sameJson(was.spec.extra[name], extra[name]));
  const edit: HarmlessChange = extra === undefined || judges ? texts : { ...texts, extra };
  const grave: GraveChange = {
    ...(validation === undefined ? {} : { validation }),
    ...(dependsOn === undefined ? {} : { dependsOn }),
    ...(cleanup === undefined ? {} : { cleanup }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(judges ? { extra } : {}),
  };
  const edits: readonly Edit[] = Object.keys(edit).length === 0 ? [] : [{ kind: "edit", task: id, change: edit }];
  return [...kept, ...edits, ...asked(id, was.spec, grave)];
}

/** One question for all that needs an answer about a task. */
function asked(task: TaskId, spec: GraveChange, change: GraveChange): readonly Edit[] {
  const names = Object.keys(change) as (keyof GraveChange)[];
  if (names.length === 0) return [];
  const was: GraveChange = Object.fromEntries(names.map((name) => [name, fieldOf(spec, name)]));
  return [{ kind: "ask", task, change, was, wants: change }];
}

/** Unknown fields by which work is judged. */
const criteria = ["acceptance_criteria", "claims"];

const changeable = [
  "kind",
  "phase",
  "title",
  "description",
  "priority",
  "dependsOn",
  "validation",
  "cleanup",
  "outputs",
  "extra",
] as const;
type Changes = Partial<Pick<TaskSpec, (typeof changeable)[number]>>;
const fileNames: Readonly<Record<string, string>> = {
  dependsOn: "depends_on",
  cleanup: "on_failure",
  outputs: "output_artifacts",
};

function changedFields(was: TaskSpec, wants: TaskSpec, now: ReadonlyTask["spec"] | undefined): Changes {
  const names = changeable.filter(
    (name) =>
      !sameField(name, fieldOf(was, name), fieldOf(wants, name)) &&
      !(now && sameField(name, fieldOf(now, name), fieldOf(wants, name))),
  );
  return Object.fromEntries(names.map((name) => [name, fieldOf(wants, name)]));
}

/** No outputs, and none named, are the same. */
const fieldOf = (spec: DeepReadonly<GraveChange & HarmlessChange>, name: keyof Changes): unknown =>
  name === "outputs" ? (spec.outputs ?? []) : spec[name];

/** The order of dependencies says nothing. */
const sameField = (name: string, a: unknown, b: unknown): boolean =>
  name === "dependsOn" && Array.isArray(a) && Array.isArray(b)
    ? sameJson([...a].sort(), [...b].sort())
    : sameJson(a, b);

const fixedField = (was: TaskSpec, name: string, wants: unknown, why: string): Refusal =>
  refusal(was.id, fileNames[name] ?? name, (was as Fields)[name], wants, why);

function changesOfFile(was: AdoptedPlan, wants: AdoptedPlan): readonly Edit[] {
  const own = Object.entries(fieldsOfFile).flatMap(([field, of]) =>
    sameJson(of(was), of(wants))
      ? []
      : [refusal(null, field, of(was), of(wants), "the mission's limits and counts are fixed")],
  );
  const names = [...new Set([...Object.keys(was.extra), ...Object.keys(wants.extra)])];
  const others = names.flatMap((name) => {
    const [old, wanted] = [was.extra[name] ?? null, wants.extra[name] ?? null];
    return sameJson(old, wanted)
      ? []
      : [refusal(null, name, old, wanted, "it is kept as it was when the plan was adopted")];
  });
  return [...own, ...others];
}
