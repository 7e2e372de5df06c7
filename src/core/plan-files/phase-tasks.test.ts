import { expect, test } from "vitest";
import type { AdoptedPlan } from "../../protocol/adopted.ts";
import { readPhaseTasks } from "./phase-tasks.ts";

const name = ".harness/tasks.json";
const read = (file: unknown): AdoptedPlan => {
  const outcome = readPhaseTasks(JSON.stringify(file), name);
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
};
const refusal = (file: unknown): string => {
  const outcome = readPhaseTasks(JSON.stringify(file), name);
  return outcome.ok ? "it was read" : `${outcome.failure.message} → ${outcome.failure.remedy ?? ""}`;
};
const task = {
  id: "eng-1",
  title: "Store notes",
  description: "In a file.",
  phase: "engineering",
  status: "pending",
  dependencies: [],
  acceptance_criteria: ["npm test passes"],
  output_files: ["src/storage.ts"],
};
const plain = {
  spec: {
    id: "eng-1",
    kind: "task",
    phase: "engineering",
    title: "Store notes",
    description: "In a file.",
    priority: "P1",
    dependsOn: [],
    validation: null,
    maxAttempts: 3,
    cleanup: null,
    extra: { acceptance_criteria: ["npm test passes"], output_files: ["src/storage.ts"] },
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

test("F6: a whole file is read; metadata, criteria, files and notes survive", () => {
  const metadata = { project_name: "notes", created_at: "2026-01-05T09:00:00Z", current_phase: "engineering" };
  const done = {
    ...task,
    id: "arch-1",
    phase: "architecture",
    status: "done",
    retry_count: 1,
    started_at: "2026-01-05T09:00:00Z",
    completed_at: "2026-01-05T09:00:01Z",
    notes: "fine",
    qa_cycle_count: 0,
  };
  const judged = { ...task, dependencies: ["arch-1"], validation: { command: "npm test" }, max_attempts: 2 };
  const at = 1_767_603_600_000;
  expect(read({ metadata, tasks: [done, judged], owner: "ada" })).toEqual({
    createdAt: at,
    concurrencyMode: "exclusive",
    maxSessions: 50,
    maxTasksPerSession: 20,
    sessions: 0,
    lastSessionAt: null,
    tasks: [
      {
        ...plain,
        status: "completed",
        attempts: 1,
        completedAt: at + 1_000,
        spec: {
          ...plain.spec,
          id: "arch-1",
          phase: "architecture",
          extra: { ...plain.spec.extra, started_at: "2026-01-05T09:00:00Z", notes: "fine", qa_cycle_count: 0 },
        },
      },
      {
        ...plain,
        spec: {
          ...plain.spec,
          dependsOn: ["arch-1"],
          validation: { command: "npm test", timeoutMs: 300_000, quick: null },
          maxAttempts: 2,
        },
      },
    ],
    extra: { metadata, owner: "ada" },
    warnings: [],
  });
});

test("A1: what QA found wrong is a fix, all else a task: three attempts each", () => {
  const { tasks } = read({ tasks: [task, { ...task, id: "eng-fix-1" }, { ...task, id: "qa-1", kind: "feature" }] });
  expect(tasks.map(({ spec }) => [spec.kind, spec.maxAttempts])).toEqual([
    ["task", 3],
    ["fix", 3],
    ["feature", 5],
  ]);
});

test("F3: a task that was blocked is not tried again by itself, one in progress shows no progress", () => {
  const words = ["pending", "in_progress", "done", "blocked"];
  const plan = read({ tasks: words.map((status, place) => ({ ...task, id: `eng-${place}`, status, retry_count: 1 })) });
  expect(plan.tasks.map(({ status, attempts }) => [status, attempts])).toEqual([
    ["pending", 1],
    ["in_progress", 1],
    ["completed", 1],
    ["failed", 3],
  ]);
  expect(plan.warnings).toEqual([
    `${name}: tasks[3].status: "blocked" is read as failed with no attempt left; to have it tried again: harness reset eng-3`,
  ]);
});

test("F7: what can be understood is read with tolerance, and each time it is said", () => {
  const odd = { ...task, title: "", retry_count: -1, completed_at: "soon", acceptance_criteria: "all" };
  const plan = read({ metadata: [], tasks: [odd, 5] });
  expect(plan.extra).toEqual({ metadata: [] });
  expect(plan.tasks).toEqual([
    {
      ...plain,
      spec: { ...plain.spec, title: "In a file.", extra: { ...plain.spec.extra, acceptance_criteria: "all" } },
    },
  ]);
  expect(plan.warnings).toEqual(
    [
      "metadata: a list instead of an object is kept as it is",
      "tasks[0].title: missing, taken from the description",
      "tasks[0].retry_count: -1 is read as 0",
      'tasks[0].completed_at: "soon" is no time of the form 2026-01-31T12:00:00Z and is left out',
      'tasks[0].acceptance_criteria: "all" is not what this field holds; it is kept as it is',
      "tasks[1]: a number instead of a task is left out",
    ].map((line) => `${name}: ${line}`),
  );
  const late = read({ metadata: { created_at: 5 }, tasks: [] });
  expect(late.warnings).toEqual([
    `${name}: metadata.created_at: 5 is no time of the form 2026-01-31T12:00:00Z and is left out`,
  ]);
});

test.for([
  [[], "must hold an object, not a list"],
  [{ metadata: {} }, "tasks: missing"],
  [{ tasks: "none" }, "tasks: must be a list, not text"],
  [{ tasks: [task, task] }, 'tasks[1].id: "eng-1" is the id of tasks[0] already'],
  [{ tasks: [{ ...task, dependencies: ["arch-9"] }] }, 'tasks[0].dependencies[0]: "arch-9" is no task of this file'],
  [{ tasks: [{ ...task, dependencies: [5] }] }, "tasks[0].dependencies[0]: 5 is no task id"],
  [{ tasks: [{ ...task, attempts: 1, retry_count: 2 }] }, 'tasks[0].retry_count: says something else than "attempts"'],
  [{ tasks: [{ ...task, status: "skipped" }] }, 'tasks[0].status: "skipped" is no status'],
  [{ tasks: [{ ...task, id: "eng/1" }] }, 'tasks[0].id: "eng/1" is not allowed'],
  [{ tasks: [{ ...task, title: undefined, description: undefined }] }, "tasks[0].title: missing"],
] as const)("F7: %j is refused by file, field and next step", ([file, says]) => {
  const line = refusal(file);
  expect(line.startsWith(`${name}: ${says}`) ? says : line).toBe(says);
  expect(line).toMatch(/ → \S.*\.$/);
});
