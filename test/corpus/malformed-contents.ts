// Valid JSON that is no good plan, or only with tolerance.
import type { Expectation, MalformedText } from "./malformation.ts";

type Task = Record<string, unknown>;
const good: Task = { id: "task-001", title: "A task", status: "pending" };

const file = (fields: Record<string, unknown>): string => JSON.stringify({ version: 2, tasks: [], ...fields });
const plan = (name: string, tasks: () => readonly unknown[], expects: Expectation, says: string): MalformedText => ({
  name,
  text: () => file({ tasks: tasks() }),
  expects,
  says,
});
const top = (name: string, value: unknown, expects: Expectation, says: string): MalformedText => ({
  name,
  text: () => JSON.stringify(value),
  expects,
  says,
});

export function wrongContents(): MalformedText[] {
  return [...tops(), ...fieldsOfFile(), ...fieldsOfTask(), ...times(), ...plans()];
}

const wrongValues: Readonly<Record<string, unknown>> = {
  null: null,
  false: false,
  zero: 0,
  "minus one": -1,
  "a fraction": 1.5,
  "empty text": "",
  text: "abc",
  "empty list": [],
  "list of null": [null],
  "empty object": {},
};

const tops = (): MalformedText[] => [
  ...["null", "false", "zero", "text", "empty list", "list of null"].map((kind) =>
    top(`the file is ${kind}`, wrongValues[kind], "refuse", "must hold an object"),
  ),
  top("empty object", {}, "refuse", "tasks: missing"),
  top("no tasks", { version: 2 }, "refuse", "tasks: missing"),
  top("package.json", { name: "a", version: "1.0.0" }, "refuse", 'version: "1.0.0" is no version'),
  ...["null", "false", "zero", "text", "empty object"].map((kind) =>
    top(`tasks is ${kind}`, { version: 2, tasks: wrongValues[kind] }, "refuse", "tasks: must be a list"),
  ),
  ...[3, 99, 2.5, "3", 1e15].map((version) =>
    top(`version ${JSON.stringify(version)}`, { version, tasks: "of the future" }, "refuse", "nothing was changed"),
  ),
  ...[1, 0, -1, "2", "1"].map((version) =>
    top(`version ${JSON.stringify(version)}`, { version, tasks: [good] }, "accept", "version: "),
  ),
  top("no version", { tasks: [good] }, "accept", "version: missing"),
  ...[null, true, [], {}, "two", ""].map((version) =>
    top(`version ${JSON.stringify(version)}`, { version, tasks: [] }, "refuse", "is no version"),
  ),
];

/** Each field of the file with each wrong value: tolerance, said in a warning. */
function fieldsOfFile(): MalformedText[] {
  const silent: Readonly<Record<string, readonly string[]>> = {
    created: ["null"],
    session_config: ["empty object"],
    session_count: ["null", "zero"],
    last_session: ["null"],
  };
  const fields = Object.keys(silent).flatMap((field) =>
    Object.entries(wrongValues).map(([kind, value]) => {
      const isSilent = silent[field]?.includes(kind) ?? false;
      return top(`${field} is ${kind}`, { version: 2, tasks: [], [field]: value }, "accept", isSilent ? "" : field);
    }),
  );
  const inside = ["concurrency_mode", "max_sessions", "max_tasks_per_session"].flatMap((field) =>
    ["false", "zero", "minus one", "a fraction", "text", "empty list"].map((kind) =>
      top(
        `session_config.${field} is ${kind}`,
        { version: 2, tasks: [], session_config: { [field]: wrongValues[kind] } },
        "accept",
        `session_config.${field}`,
      ),
    ),
  );
  return [...fields, ...inside];
}

/** Field → values that are read in silence, and values that are refused; all others are read with a warning. */
const ofTask: Readonly<Record<string, { readonly silent: readonly string[]; readonly refused: readonly string[] }>> = {
  id: { silent: ["text"], refused: Object.keys(wrongValues).filter((kind) => kind !== "text") },
  title: { silent: ["text"], refused: Object.keys(wrongValues).filter((kind) => kind !== "text") },
  status: { silent: [], refused: Object.keys(wrongValues) },
  priority: { silent: [], refused: [] },
  depends_on: {
    silent: ["empty list"],
    refused: Object.keys(wrongValues).filter((kind) => kind !== "empty list"),
  },
  attempts: { silent: ["null", "zero"], refused: [] },
  max_attempts: { silent: ["null"], refused: [] },
  started_at_commit: { silent: ["null", "empty text", "text"], refused: [] },
  validation: {
    silent: ["null", "empty object"],
    refused: ["false", "zero", "minus one", "a fraction", "empty text", "text", "empty list", "list of null"],
  },
  on_failure: {
    silent: ["null", "empty object"],
    refused: ["false", "zero", "minus one", "a fraction", "empty text", "text", "empty list", "list of null"],
  },
  error_log: { silent: ["null", "empty list"], refused: [] },
  checkpoints: { silent: ["null", "empty list"], refused: [] },
  completed_at: { silent: ["null"], refused: [] },
  failed_at: { silent: ["null"], refused: [] },
  description: {
    silent: ["null", "empty text", "text"],
    refused: ["false", "zero", "minus one", "a fraction", "empty list", "list of null", "empty object"],
  },
  kind: { silent: ["null"], refused: [] },
  phase: { silent: ["null", "text"], refused: [] },
  interruptions: { silent: ["null", "zero"], refused: [] },
  claimed_by: { silent: Object.keys(wrongValues), refused: [] },
  lease_expires_at: { silent: Object.keys(wrongValues), refused: [] },
  stage: { silent: Object.keys(wrongValues), refused: [] },
  fence: { silent: Object.keys(wrongValues), refused: [] },
  unverified: { silent: ["false"], refused: [] },
  acceptance_criteria: { silent: ["empty list"], refused: [] },
};

function fieldsOfTask(): MalformedText[] {
  const wrong = Object.entries(ofTask).flatMap(([field, { silent, refused }]) =>
    Object.entries(wrongValues).map(([kind, value]) =>
      plan(
        `${field} is ${kind}`,
        () => [{ ...good, [field]: value }],
        refused.includes(kind) ? "refuse" : "accept",
        silent.includes(kind) ? "" : `tasks[0].${field}`,
      ),
    ),
  );
  const without = (field: string): Task => Object.fromEntries(Object.entries(good).filter(([name]) => name !== field));
  const command = (value: unknown): Task => ({ ...good, validation: { command: value } });
  return [
    ...wrong,
    plan("no id", () => [without("id")], "refuse", "tasks[0].id"),
    plan("no title", () => [without("title")], "refuse", "tasks[0].title: missing"),
    plan("no status", () => [without("status")], "accept", "tasks[0].status: missing"),
    ...["blocked", "PENDING", "in-progress", "toString", "__proto__", " pending"].map((status) =>
      plan(`status ${status}`, () => [{ ...good, status }], "refuse", "tasks[0].status"),
    ),
    ...["todo", "done", "passed", "failing"].map((status) =>
      plan(`status ${status} of another seed`, () => [{ ...good, status }], "accept", ""),
    ),
    ...["P3", "p1", "high", 1].map((priority) =>
      plan(`priority ${priority}`, () => [{ ...good, priority }], "accept", "tasks[0].priority"),
    ),
    ...[-1, -1e15, 1e15, 2.5, "3", "many", true].map((attempts) =>
      plan(`attempts ${attempts}`, () => [{ ...good, attempts }], "accept", "tasks[0].attempts"),
    ),
    plan("title of 501 characters", () => [{ ...good, title: "a".repeat(501) }], "refuse", "tasks[0].title"),
    plan("title of blanks", () => [{ ...good, title: " \n\t" }], "refuse", "tasks[0].title"),
    plan(
      "description too long",
      () => [{ ...good, description: "a".repeat(100_001) }],
      "refuse",
      "tasks[0].description",
    ),
    plan("command too long", () => [command("a".repeat(10_001))], "refuse", "tasks[0].validation.command"),
    plan("command is a list", () => [command(["npm", "test"])], "refuse", "tasks[0].validation.command"),
    plan("command is a number", () => [command(1)], "refuse", "tasks[0].validation.command"),
    plan("command with a NUL", () => [command("true\0rm")], "refuse", "tasks[0].validation.command"),
    plan("command is null", () => [command(null)], "accept", ""),
    ...[0, -5, "60", null, 1e12].map((seconds) =>
      plan(
        `timeout_seconds ${seconds}`,
        () => [{ ...good, validation: { command: "true", timeout_seconds: seconds } }],
        "accept",
        seconds === null ? "" : "tasks[0].validation.timeout_seconds",
      ),
    ),
    plan(
      "quick is a number",
      () => [{ ...good, validation: { command: "true", quick: 1 } }],
      "refuse",
      "validation.quick",
    ),
    plan(
      "cleanup is a list",
      () => [{ ...good, on_failure: { cleanup: ["rm"] } }],
      "refuse",
      "tasks[0].on_failure.cleanup",
    ),
    plan("error too long", () => [{ ...good, error_log: ["a".repeat(30_000)] }], "accept", "tasks[0].error_log[0]"),
    plan("error is an object", () => [{ ...good, error_log: ["a", { b: 1 }] }], "accept", "tasks[0].error_log[1]"),
    plan(
      "checkpoint without a step",
      () => [{ ...good, checkpoints: [{ total: 1 }] }],
      "accept",
      "tasks[0].checkpoints[0]",
    ),
    plan(
      "checkpoint with more fields",
      () => [{ ...good, checkpoints: [{ step: 1, total: 2, description: "", timestamp: "2026-01-01", by: "me" }] }],
      "accept",
      "unknown fields of a checkpoint",
    ),
  ];
}

const times = (): MalformedText[] =>
  [
    "0000-01-01T00:00:00Z",
    "1969-12-31T23:59:59Z",
    "10000-01-01T00:00:00Z",
    "+010000-01-01T00:00:00Z",
    "9999-12-31T23:59:59-12:00",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T25:00:00Z",
    "2026-01-01T00:00:00+99:99",
    "yesterday",
    "01/02/2026",
    "Mon, 05 Jan 2026 09:00:00 GMT",
    1_767_600_000,
    1_767_600_000_000,
  ].map((time) => plan(`time ${time}`, () => [{ ...good, completed_at: time }], "accept", "tasks[0].completed_at"));

const named = (id: string, ...dependsOn: unknown[]): Task => ({ ...good, id, depends_on: dependsOn });
const numbered = (count: number, dependsOn: (n: number) => readonly string[]): Task[] =>
  Array.from({ length: count }, (_, n) => ({ ...good, id: `t${n}`, depends_on: dependsOn(n) }));

const plans = (): MalformedText[] => [
  ...[null, 1, "task-001", [good], true].map((entry) =>
    plan(`an entry is ${JSON.stringify(entry).slice(0, 12)}`, () => [good, entry], "accept", "tasks[1]: "),
  ),
  plan("only entries that are no tasks", () => [null, 1, "x"], "accept", "tasks[2]: "),
  plan(
    "1,000 entries that are no tasks",
    () => Array.from({ length: 1_000 }, () => null),
    "accept",
    "900 more like these",
  ),
  plan("two tasks of one id", () => [good, named("b"), good], "refuse", "tasks[2].id"),
  plan("ids differing by case", () => [named("Task-1"), named("task-1")], "accept", "only by case"),
  plan("ids differing by Unicode form", () => [named("caf\u00e9"), named("cafe\u0301")], "refuse", "tasks[0].id"),
  ...["", " ", "-rf", "a b", "a/b", "../x", ".git", "a.lock", "a\nb", "é", "a".repeat(65), "a\0", "$(id)", "@{u}"].map(
    (id) => plan(`id ${JSON.stringify(id).slice(0, 20)}`, () => [named(id)], "refuse", "tasks[0].id"),
  ),
  plan("dependency on itself", () => [named("a", "a")], "accept", ""),
  plan("circle of two", () => [named("a", "b"), named("b", "a")], "accept", ""),
  plan("circle of 10,000", () => numbered(10_000, (n) => [`t${(n + 1) % 10_000}`]), "accept", ""),
  plan("chain of 10,000", () => numbered(10_000, (n) => (n === 0 ? [] : [`t${n - 1}`])), "accept", ""),
  plan("missing dependency", () => [named("a"), named("b", "a", "ghost")], "refuse", "tasks[1].depends_on[1]"),
  plan(
    "missing dependency after one named twice",
    () => [named("a"), named("b", "a", "a", "c")],
    "refuse",
    "tasks[1].depends_on[2]",
  ),
  plan("dependency on an entry that is no task", () => ["a", named("b", "a")], "refuse", "tasks[1].depends_on[0]"),
  plan("dependency differing by case", () => [named("a"), named("b", "A")], "refuse", "tasks[1].depends_on[0]"),
  plan("dependency is a number", () => [named("a", 1)], "refuse", "tasks[0].depends_on[0]"),
  plan("dependency is a task", () => [named("a", good)], "refuse", "tasks[0].depends_on[0]"),
  plan("dependency named twice", () => [named("a"), named("b", "a", "a")], "accept", "tasks[1].depends_on[1]"),
  plan("all depend on one", () => numbered(10_000, (n) => (n === 0 ? [] : ["t0"])), "accept", ""),
  plan(
    "one depends on all",
    () => numbered(10_000, (n) => (n > 0 ? [] : Array.from({ length: 9_999 }, (_, m) => `t${m + 1}`))),
    "accept",
    "",
  ),
  plan("100,000 tasks", () => numbered(100_000, () => []), "accept", ""),
  plan(
    "100,000 tasks, the last one of no id",
    () => [...numbered(100_000, () => []), {}],
    "refuse",
    "tasks[100000].id",
  ),
];
