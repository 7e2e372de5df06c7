import { expect, test } from "vitest";
import type { AdoptedPlan } from "../../protocol/adopted.ts";
import { readFeatures } from "./features.ts";

const name = ".harness/features.json";
const read = (file: unknown): AdoptedPlan => {
  const outcome = readFeatures(JSON.stringify(file), name);
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
};
const refusal = (file: unknown): string => {
  const outcome = readFeatures(JSON.stringify(file), name);
  return outcome.ok ? "it was read" : `${outcome.failure.message} → ${outcome.failure.remedy ?? ""}`;
};
const feature = { id: "F-001", title: "Log in", claims: ["VAL-AUTH-001"], status: "todo", attempts: 0 };
const plain = {
  spec: {
    id: "F-001",
    kind: "feature",
    phase: null,
    title: "Log in",
    description: "",
    priority: "P1",
    dependsOn: [],
    validation: null,
    maxAttempts: 5,
    cleanup: null,
    extra: { claims: ["VAL-AUTH-001"] },
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

test("F6, A1: a feature with the usual fields is a pending task with five attempts; its claims survive", () => {
  const plan = {
    createdAt: null,
    concurrencyMode: "exclusive",
    maxSessions: 50,
    maxTasksPerSession: 20,
    sessions: 0,
    lastSessionAt: null,
    tasks: [plain],
    extra: {},
    warnings: [],
  };
  expect(read({ features: [feature] })).toEqual(plan);
  expect(read([feature])).toEqual(plan);
});

test("F6: every field that means something here is read, all others survive at both levels", () => {
  const file = {
    project: "notes",
    created_at: "2026-01-05T09:00:00Z",
    features: [
      {
        ...feature,
        status: "failing",
        attempts: 2,
        description: "more",
        priority: "P0",
        phase: "engineering",
        dependencies: ["F-001"],
        outputs: ["src/login.ts"],
        validation: { command: "npm test", timeout_seconds: 9, shell: "sh" },
        on_failure: { cleanup: "rm -rf tmp" },
        max_attempts: 4,
        error_log: ["[TEST_FAIL] red"],
        notes: ["n"],
        sourceIssueId: "I-0001",
      },
    ],
  };
  const plan = read(file);
  expect(plan).toMatchObject({ createdAt: 1_767_603_600_000, warnings: [] });
  expect(plan.extra).toEqual({ project: "notes", created_at: "2026-01-05T09:00:00Z" });
  expect(plan.tasks).toEqual([
    {
      ...plain,
      status: "failed",
      attempts: 2,
      errorLog: ["[TEST_FAIL] red"],
      spec: {
        ...plain.spec,
        phase: "engineering",
        description: "more",
        priority: "P0",
        dependsOn: ["F-001"],
        validation: { command: "npm test", timeoutMs: 9_000, quick: null },
        maxAttempts: 4,
        cleanup: "rm -rf tmp",
        extra: {
          claims: ["VAL-AUTH-001"],
          output_files: ["src/login.ts"],
          notes: ["n"],
          sourceIssueId: "I-0001",
          validation: { shell: "sh" },
        },
      },
    },
  ]);
});

test("A1: what was promoted from an issue is a fix with three attempts, unless the file says otherwise", () => {
  const kinds = [{ id: "F-FIX-001" }, { id: "f-fix-2" }, { id: "F-FIXED-1" }, { id: "F-FIX-3", kind: "feature" }];
  const { tasks } = read(kinds.map((more) => ({ ...feature, ...more })));
  expect(tasks.map(({ spec }) => [spec.id, spec.kind, spec.maxAttempts])).toEqual([
    ["F-FIX-001", "fix", 3],
    ["f-fix-2", "fix", 3],
    ["F-FIXED-1", "feature", 5],
    ["F-FIX-3", "feature", 5],
  ]);
});

test("F3: every word for a status is read as ours", () => {
  const words = {
    todo: "pending",
    pending: "pending",
    in_progress: "in_progress",
    "in-progress": "in_progress",
    validating: "in_progress",
    reviewing: "in_progress",
    passed: "completed",
    done: "completed",
    completed: "completed",
    failing: "failed",
    failed: "failed",
    blocked: "failed",
  };
  const { tasks } = read(Object.keys(words).map((status, place) => ({ ...feature, id: `F-${place}`, status })));
  expect(tasks.map(({ status }) => status)).toEqual(Object.values(words));
});

test("F3: failing is tried again while attempts are left; blocked is not, until a person resets it", () => {
  const plan = read([
    { ...feature, id: "F-1", status: "failing", attempts: 4 },
    { ...feature, id: "F-2", status: "failing", attempts: 7 },
    { ...feature, id: "F-3", status: "blocked", attempts: 1 },
  ]);
  expect(plan.tasks.map(({ status, attempts, errorLog }) => [status, attempts, errorLog])).toEqual([
    ["failed", 4, []],
    ["failed", 7, []],
    ["failed", 5, ["[TASK_EXEC] It was blocked when the plan was adopted"]],
  ]);
  expect(plan.warnings).toEqual([
    `${name}: [1].status: "failing", but all 5 attempts are used; for one more: harness retry F-2`,
    `${name}: [2].status: "blocked" is read as failed with no attempt left; to have it tried again: harness reset F-3`,
  ]);
});

test("F7: what can be understood is read with tolerance, and each time it is said", () => {
  const odd = {
    id: "F-001",
    description: "Log in\nwith a password",
    claims: "VAL-AUTH-001",
    validation: "npm test",
    priority: "high",
    attempts: "some",
    phase: "UI/UX",
    kind: "epic",
    dependencies: ["F-001", "F-001"],
  };
  const plan = read({ features: [odd, null, "F-002"] });
  expect(plan.tasks).toEqual([
    {
      ...plain,
      spec: {
        ...plain.spec,
        description: "Log in\nwith a password",
        priority: "P2",
        dependsOn: ["F-001"],
        validation: { command: "npm test", timeoutMs: 300_000, quick: null },
        extra: { claims: "VAL-AUTH-001", priority: "high", phase: "UI/UX", kind: "epic" },
      },
    },
  ]);
  expect(plan.warnings).toEqual(
    [
      "features[0].title: missing, taken from the description",
      "features[0].status: missing, read as pending",
      "features[0].dependencies[1]: names F-001 again",
      'features[0].kind: "epic" is not what this field holds; it is kept as it is',
      'features[0].phase: "UI/UX" is not what this field holds; it is kept as it is',
      'features[0].priority: "high" is no priority: the task ranks last',
      'features[0].attempts: "some" is read as 0',
      'features[0].claims: "VAL-AUTH-001" is not what this field holds; it is kept as it is',
      "features[1]: null instead of a task is left out",
      "features[2]: text instead of a task is left out",
    ].map((line) => `${name}: ${line}`),
  );
});

const other = { ...feature, id: "F-002" };
test.for([
  [7, "must hold a list of features, not a number"],
  [{}, "features: missing"],
  [{ features: {} }, "features: must be a list, not an object"],
  [[{ ...feature, id: "F 001" }], '[0].id: "F 001" is not allowed: 1–64 letters, digits, "-" or "_"'],
  [[{ ...feature, id: "F.001" }], '[0].id: "F.001" is not allowed'],
  [[{ title: "x" }], "[0].id: must be text, not nothing"],
  [[{ id: "F-001" }], "[0].title: missing"],
  [[{ id: "F-001", title: 5 }], "[0].title: 5 is no title"],
  [{ features: [feature, feature] }, 'features[1].id: "F-001" is the id of features[0] already'],
  [[feature, feature], '[1].id: "F-001" is the id of [0] already'],
  [[{ ...feature, status: "proposed" }], '[0].status: "proposed" is no status'],
  [[{ ...feature, status: ["todo"] }], "[0].status: a list is no status"],
  [[{ ...feature, dependencies: "F-002" }], "[0].dependencies: must be a list of task ids, not text"],
  [[other, { ...feature, dependencies: ["F-002", "F-9"] }], '[1].dependencies[1]: "F-9" is no task of this file'],
  [[{ ...feature, depends_on: ["F-9"] }], '[0].depends_on[0]: "F-9" is no task of this file'],
  [
    [other, { ...feature, depends_on: [], dependencies: ["F-002"] }],
    '[1].dependencies: says something else than "depends_on"',
  ],
  [[{ ...feature, validation: ["npm test"] }], "[0].validation: must be an object, not a list"],
  [[{ ...feature, validation: { command: 5 } }], "[0].validation.command: must be text, not a number"],
  [[{ ...feature, validation: "a\0b" }], "[0].validation.command: contains a NUL character"],
  [[{ ...feature, on_failure: "rm x" }], "[0].on_failure: must be an object, not text"],
  [[{ ...feature, description: ["x"] }], "[0].description: must be text, not a list"],
] as const)("F7: %j is refused by file, field and next step", ([file, says]) => {
  const line = refusal(file);
  expect(line.startsWith(`${name}: ${says}`) ? says : line).toBe(says);
  expect(line).toMatch(/ → \S.*\.$/);
});
