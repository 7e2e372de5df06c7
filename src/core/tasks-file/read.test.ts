import { expect, test } from "vitest";
import type { AdoptedPlan } from "../../protocol/adopted.ts";
import { tasksFileJsonSchema } from "../../protocol/tasks-file.ts";
import { readTasksFile } from "./read.ts";

const read = (file: unknown): AdoptedPlan => {
  const outcome = readTasksFile(JSON.stringify(file), "harness-tasks.json");
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
};
const failure = (file: unknown): unknown => {
  const outcome = readTasksFile(JSON.stringify(file), "harness-tasks.json");
  return outcome.ok ? outcome.value : outcome.failure;
};
const task = { id: "a", title: "A", status: "pending" };
const plain = {
  spec: {
    id: "a",
    kind: "task",
    phase: null,
    title: "A",
    description: "",
    priority: "P1",
    dependsOn: [],
    validation: null,
    maxAttempts: 3,
    cleanup: null,
    extra: {},
  },
  status: "pending",
  attempts: 0,
  interruptions: 0,
  errorLog: [],
  checkpoints: [],
  startedAtCommit: null,
  completedAt: null,
  failedAt: null,
};

test("F2: a task with nothing but its name gets the protocol's defaults", () => {
  expect(read({ version: 2, tasks: [task] })).toEqual({
    createdAt: null,
    concurrencyMode: "exclusive",
    maxSessions: 50,
    maxTasksPerSession: 20,
    sessions: 0,
    lastSessionAt: null,
    tasks: [plain],
    extra: {},
    warnings: [],
  });
});

test("F2: every field is read, unknown ones are kept at every level, claims are dropped", () => {
  const file = {
    $schema: "x",
    version: 2,
    created: "2026-01-05T09:00:00Z",
    session_config: { concurrency_mode: "concurrent", max_tasks_per_session: 5, max_sessions: 7, nice: 3 },
    tasks: [
      {
        ...task,
        status: "failed",
        priority: "P0",
        depends_on: ["a"],
        attempts: 2,
        max_attempts: 4,
        started_at_commit: "abc",
        validation: { command: "make", timeout_seconds: 1.5, quick: "lint", shell: "zsh" },
        on_failure: { cleanup: "rm -rf tmp", notify: true },
        error_log: ["[TIMEOUT] late"],
        checkpoints: [{ step: 1, total: 2, description: "half", timestamp: "2026-01-05T10:00:00+01:00" }],
        completed_at: null,
        claimed_by: "host:1",
        claimed_at: "2026-01-05T10:00:00Z",
        lease_expires_at: "2026-01-05T10:30:00Z",
        stage: "working",
        fence: 9,
        interruptions: 2,
        blocked_by: "z",
        failed_at: "2026-01-05T09:00:01Z",
        description: "more",
        kind: "feature",
        phase: " build ",
        owner: { name: "n" },
      },
    ],
    session_count: 3,
    last_session: "2026-01-05T09:00:02Z",
    team: ["x"],
  };
  const at = 1_767_603_600_000;
  expect(read(file)).toEqual({
    createdAt: at,
    concurrencyMode: "concurrent",
    maxSessions: 7,
    maxTasksPerSession: 5,
    sessions: 3,
    lastSessionAt: at + 2_000,
    tasks: [
      {
        spec: {
          id: "a",
          kind: "feature",
          phase: "build",
          title: "A",
          description: "more",
          priority: "P0",
          dependsOn: ["a"],
          validation: { command: "make", timeoutMs: 1_500, quick: "lint" },
          maxAttempts: 4,
          cleanup: "rm -rf tmp",
          extra: { owner: { name: "n" }, validation: { shell: "zsh" }, on_failure: { notify: true } },
        },
        status: "failed",
        attempts: 2,
        interruptions: 2,
        errorLog: ["[TIMEOUT] late"],
        checkpoints: [{ step: 1, total: 2, description: "half", at }],
        startedAtCommit: "abc",
        completedAt: null,
        failedAt: at + 1_000,
      },
    ],
    extra: { $schema: "x", team: ["x"], session_config: { nice: 3 } },
    warnings: [],
  });
});

test("F3: words of other plan files are read as ours", () => {
  const words = ["todo", "done", "passed", "failing", "pending", "in_progress", "completed", "failed"];
  const tasks = words.map((status, place) => ({ ...task, id: `t${place}`, status }));
  expect(read({ version: 2, tasks }).tasks.map(({ status }) => status)).toEqual([
    "pending",
    "completed",
    "completed",
    "failed",
    "pending",
    "in_progress",
    "completed",
    "failed",
  ]);
});

test("A1: a feature that does not say how often it is tried has five attempts, all else three", () => {
  const tasks = ["task", "feature", "fix"].map((kind, place) => ({ ...task, id: `t${place}`, kind }));
  const stated = { ...task, kind: "feature", max_attempts: 2 };
  expect(read({ version: 2, tasks: [...tasks, stated] }).tasks.map(({ spec }) => spec.maxAttempts)).toEqual([
    3, 5, 3, 2,
  ]);
});

test("F2: a kind or phase that is none of ours counts as none, and survives", () => {
  const plan = read({ version: 2, tasks: [{ ...task, kind: "epic", phase: "UI/UX" }] });
  expect(plan.tasks).toEqual([{ ...plain, spec: { ...plain.spec, extra: { kind: "epic", phase: "UI/UX" } } }]);
  expect(plan.warnings).toEqual([
    'harness-tasks.json: tasks[0].kind: "epic" is not what this field holds; it is kept as it is',
    'harness-tasks.json: tasks[0].phase: "UI/UX" is not what this field holds; it is kept as it is',
  ]);
});

test("F7: what can be understood is read with tolerance, and each time it is said", () => {
  const odd = { ...task, priority: "urgent", attempts: "many", max_attempts: [], completed_at: "soon" };
  const plan = read({ tasks: [odd, 7] });
  expect(plan.tasks).toEqual([{ ...plain, spec: { ...plain.spec, priority: "P2", extra: { priority: "urgent" } } }]);
  expect(plan.warnings).toEqual([
    "harness-tasks.json: version: missing, read as 2",
    'harness-tasks.json: tasks[0].priority: "urgent" is no priority: the task ranks last',
    "harness-tasks.json: tasks[0].max_attempts: a list is read as 3",
    'harness-tasks.json: tasks[0].attempts: "many" is read as 0',
    'harness-tasks.json: tasks[0].completed_at: "soon" is no time of the form 2026-01-31T12:00:00Z and is left out',
    "harness-tasks.json: tasks[1]: a number instead of a task is left out",
  ]);
});

test("F7: what would change the meaning of the plan is refused by file, field and next step", () => {
  expect(failure({ version: 2, tasks: [task, { ...task, id: "b", depends_on: ["a", "c"] }] })).toEqual({
    kind: "config",
    message: 'harness-tasks.json: tasks[1].depends_on[1]: "c" is no task of this file',
    remedy: "Add that task, or take the dependency away.",
  });
  expect(failure({ version: 2, tasks: [task, task] })).toEqual({
    kind: "config",
    message: 'harness-tasks.json: tasks[1].id: "a" is the id of tasks[0] already',
    remedy: "Give one of them a new id.",
  });
});

test("F2: a file of a newer version is left alone", () => {
  expect(failure({ version: 3, tasks: { of: "the future" } })).toEqual({
    kind: "env_setup",
    message: "harness-tasks.json: version: version 3 is newer than 2, the newest known here; nothing was changed",
    remedy: "Use a newer Harness.",
  });
});

test("K1: a circle is read; failing its members is the core's", () => {
  const tasks = ["a", "b"].map((id, place) => ({ ...task, id, depends_on: [place === 0 ? "b" : "a"] }));
  expect(read({ version: 2, tasks }).tasks.map(({ spec }) => spec.dependsOn)).toEqual([["b"], ["a"]]);
});

test("F2: the JSON Schema asks for no more than a plan needs", () => {
  const schema = tasksFileJsonSchema();
  expect(schema.required).toEqual(["version", "created", "session_config", "tasks"]);
  expect(schema).toHaveProperty("properties.tasks.items.required", ["id", "title", "status"]);
});
