import fc from "fast-check";
import { expect, test } from "vitest";
import type { AdoptedTask } from "../../protocol/adopted.ts";
import { Limits, TaskSpec } from "../../protocol/task.ts";
import { TaskEntry, TasksFile } from "../../protocol/tasks-file.ts";
import { emptyState } from "../empty-state.ts";
import { freshTask } from "../evolve/task.ts";
import { noRepeats } from "../repeats.ts";
import type { Phase, State, TaskState } from "../state.ts";
import { readTasksFile } from "./read.ts";
import { renderTasksFile, tasksFileOf } from "./write.ts";

const day = 1_767_603_600_000;
const commit = "a".repeat(40);

const attempt = {
  number: 1,
  lane: 0,
  startedAt: day + 1_000,
  fence: 4,
  claim: 4,
  run: "run-7",
  stage: "validating",
  effect: null,
  steps: 0,
  path: null,
  base: null,
  iteration: 0,
  delays: 0,
  unkept: null,
  cut: null,
  repeats: noRepeats,
  overflows: 0,
  standing: null,
  spoke: false,
  untold: false,
  interrupted: false,
  cancelled: false,
  lastCheckpoint: null,
  told: { note: 0, handoff: 0, inbox_add: 0, ask_human: 0, add_task: 0 },
  filed: 0,
  candidate: null,
  overtaken: false,
  place: null,
  repairs: 0,
  conflict: null,
  handedIn: null,
  failure: null,
} as const;

const task = (id: string, fields: Partial<TaskState> = {}, spec: Partial<TaskState["spec"]> = {}): TaskState => ({
  ...freshTask({ ...TaskSpec.parse({ id, title: `Title of ${id}` }), ...spec }),
  ...fields,
});

const stateOf = (tasks: readonly TaskState[], extra: Record<string, unknown> = {}): State => ({
  ...emptyState(),
  mission: {
    id: "m",
    branch: "harness/m",
    root: "/p",
    limits: Limits.parse({}),
    concurrency: "exclusive",
    workspace: "clone",
    createdAt: day,
    extra,
  },
  tasks: new Map(tasks.map((one) => [one.spec.id, one])),
  sessions: 2,
  lastSessionAt: day + 5_000,
});

test("F2: a state is written in the protocol's fields and their order, others after them", () => {
  const done = task(
    "task-2",
    {
      phase: { status: "completed", commit, at: day },
      attempts: 1,
      checkpoints: [{ step: 1, total: 2, description: "half", at: day }],
      startedAtCommit: commit,
      completedAt: day,
    },
    {
      kind: "feature",
      phase: "build",
      description: "more",
      validation: { command: "make", timeoutMs: 1_500, quick: "lint" },
      cleanup: "rm -rf tmp",
      extra: {
        team: "x",
        phase: "UI/UX",
        kind: "epic",
        status: "pending",
        validation: { command: "true", shell: "zsh" },
      },
    },
  );
  const text = renderTasksFile(stateOf([task("task-10"), done], { version: 9, $schema: "s" }));
  const plain = { attempts: 0, max_attempts: 3, started_at_commit: null, on_failure: { cleanup: null } };
  const file = {
    version: 2,
    created: "2026-01-05T09:00:00.000Z",
    session_config: { concurrency_mode: "exclusive", max_tasks_per_session: 20, max_sessions: 50 },
    tasks: [
      {
        id: "task-2",
        title: "Title of task-2",
        status: "completed",
        priority: "P1",
        depends_on: [],
        attempts: 1,
        max_attempts: 3,
        started_at_commit: commit,
        validation: { command: "make", timeout_seconds: 1.5, quick: "lint", shell: "zsh" },
        on_failure: { cleanup: "rm -rf tmp" },
        error_log: [],
        checkpoints: [{ step: 1, total: 2, description: "half", timestamp: "2026-01-05T09:00:00.000Z" }],
        completed_at: "2026-01-05T09:00:00.000Z",
        kind: "feature",
        phase: "build",
        description: "more",
        team: "x",
      },
      {
        id: "task-10",
        title: "Title of task-10",
        status: "pending",
        priority: "P1",
        depends_on: [],
        ...plain,
        error_log: [],
        checkpoints: [],
        completed_at: null,
      },
    ],
    session_count: 2,
    last_session: "2026-01-05T09:00:05.000Z",
    $schema: "s",
  };
  expect(text).toBe(`${JSON.stringify(file, null, 2)}\n`);
});

test("F2: a kind or phase of another tool comes back, until somebody gives one of ours", () => {
  const entries = [
    task("a", {}, { extra: { kind: "epic", phase: "UI/UX" } }),
    task("b", {}, { phase: "qa", extra: { kind: "epic", phase: "UI/UX" } }),
    task("c", {}, { extra: { kind: "feature", phase: "qa" } }),
  ].map((one) => tasksFileOf(stateOf([one])).tasks[0]);
  expect(entries.map((entry) => [entry?.kind, entry?.phase])).toEqual([
    ["epic", "UI/UX"],
    ["epic", "qa"],
    [undefined, undefined],
  ]);
});

test("F3, K2: a blocked task is stored as failed with who blocks it; one in progress carries its claim", () => {
  const state = stateOf([
    task("a", { phase: { status: "failed", at: day, final: true }, failedAt: day, interruptions: 2 }),
    task("b", { phase: { status: "blocked", by: "a" }, errorLog: ["[TEST_FAIL] red"] }),
    task("c", { phase: { status: "in_progress", attempt: { ...attempt } } }),
  ]);
  state.lastRun = {
    id: "run-7",
    owner: { host: "h", bootId: "b", pid: 1, group: 1, startTime: "1" },
    lanes: 1,
    startedAt: day,
    initScript: false,
    worker: "ci-7",
    claims: null,
    leaseSeconds: 60,
    agent: "a",
    sessions: 0,
    settled: 0,
    iterations: 0,
    used: { nanoUsd: 0, tokens: 0, unknown: 0 },
    loop: null,
    ending: null,
    reason: "lost",
    detail: "",
    endedAt: day,
  };
  const usual = {
    priority: "P1",
    depends_on: [],
    attempts: 0,
    max_attempts: 3,
    started_at_commit: null,
    on_failure: { cleanup: null },
    error_log: [],
    checkpoints: [],
    completed_at: null,
  };
  expect(tasksFileOf(state).tasks).toEqual([
    {
      ...usual,
      id: "a",
      title: "Title of a",
      status: "failed",
      failed_at: "2026-01-05T09:00:00.000Z",
      interruptions: 2,
    },
    {
      ...usual,
      id: "b",
      title: "Title of b",
      status: "failed",
      error_log: ["[TEST_FAIL] red", "[DEPENDENCY] Blocked by failed a"],
      blocked_by: "a",
    },
    {
      ...usual,
      id: "c",
      title: "Title of c",
      status: "in_progress",
      claimed_by: "ci-7",
      claimed_at: "2026-01-05T09:00:01.000Z",
      lease_expires_at: "2026-01-05T09:01:01.000Z",
      stage: "validating",
      fence: 4,
    },
  ]);
});

test("F2: half a character in a text of ours does not make the file unreadable", () => {
  const text = renderTasksFile(stateOf([task("a", { errorLog: ["[TASK_EXEC] cut \ud83d"] })]));
  const read = readTasksFile(text, "f.json");
  expect(read.ok && read.value.tasks[0]?.errorLog).toEqual(["[TASK_EXEC] cut \ufffd"]);
});

const words = fc.string({ unit: "grapheme", maxLength: 20 });
const moment = fc.integer({ min: 0, max: 4_000_000_000_000 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const isForeign = (name: string): boolean =>
  !Object.hasOwn(TaskEntry.shape, name) &&
  !Object.hasOwn(TasksFile.shape, name) &&
  ![...unsafeKeys, "command", "timeout_seconds", "quick", "cleanup"].includes(name) &&
  !["concurrency_mode", "max_tasks_per_session", "max_sessions"].includes(name);
const unknown = fc
  .dictionary(words.filter(isForeign), fc.jsonValue({ stringUnit: "binary" }), { maxKeys: 3 })
  .map((fields) => JSON.parse(JSON.stringify(fields), exactly) as Record<string, unknown>);
const unsafeKeys = ["__proto__", "constructor", "prototype"];
/** Without what is refused when it is read (F7): unsafe names, and numbers that cannot be kept exactly. */
const exactly = (key: string, value: unknown): unknown =>
  unsafeKeys.includes(key)
    ? undefined
    : typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER
      ? 1
      : value;
const command = words.filter((text) => text !== "");

const spec = fc.record({
  title: words.map((text) => `T${text}`.trim()),
  kind: fc.constantFrom("task", "feature", "fix"),
  phase: maybe(fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,9}$/)),
  description: words,
  priority: fc.constantFrom("P0", "P1", "P2"),
  validation: maybe(fc.record({ command, timeoutMs: fc.integer({ min: 1, max: 86_400_000 }), quick: maybe(command) })),
  maxAttempts: fc.integer({ min: 1, max: 1_000 }),
  cleanup: maybe(command),
});
const phase: fc.Arbitrary<Phase> = fc.oneof(
  fc.constant({ status: "pending" } as const),
  moment.map((at) => ({ status: "completed", commit: null, at }) as const),
  moment.map((at) => ({ status: "failed", at, final: true }) as const),
  fc.constant({ status: "in_progress", attempt: { ...attempt } } as const),
);
const facts = fc.record({
  phase,
  attempts: fc.nat(1_000),
  interruptions: fc.nat(9),
  checkpoints: fc.array(
    fc.record({ step: fc.nat(9), total: fc.integer({ min: 1, max: 9 }), description: words, at: moment }),
    { maxLength: 2 },
  ),
  errorLog: fc.array(words, { maxLength: 2 }),
  startedAtCommit: maybe(words),
  completedAt: maybe(moment),
  failedAt: maybe(moment),
});
const anyTask = fc.tuple(facts, spec, unknown, unknown, fc.nat(20), fc.array(fc.nat(20)));

test("F2: reading what was written gives the same tasks, and unknown fields come back unchanged", () => {
  const plan = fc.tuple(fc.uniqueArray(anyTask, { selector: ([, , , , id]) => id, maxLength: 6 }), unknown, unknown);
  fc.assert(
    fc.property(plan, ([drawn, extra, nested]) => {
      const ids = drawn.map(([, , , , id]) => id);
      const tasks = drawn.map(([fact, text, own, inside, id, names]) =>
        task(`t${id}`, fact, {
          ...text,
          dependsOn: [...new Set(names.filter((name) => ids.includes(name)))].map((name) => `t${name}`),
          extra: Object.keys(inside).length === 0 ? own : { ...own, validation: inside, on_failure: inside },
        }),
      );
      const top = Object.keys(nested).length === 0 ? extra : { ...extra, session_config: nested };
      const state = stateOf(tasks, top);
      const text = renderTasksFile(state);
      const read = readTasksFile(text, "f.json");
      const expected = tasks.map(adopted).sort((a, b) => Number(a.spec.id.slice(1)) - Number(b.spec.id.slice(1)));
      expect(read).toEqual({
        ok: true,
        value: {
          createdAt: day,
          concurrencyMode: "exclusive",
          maxSessions: 50,
          maxTasksPerSession: 20,
          sessions: 2,
          lastSessionAt: day + 5_000,
          tasks: expected,
          extra: top,
          warnings: [],
        },
      });
      expect(TasksFile.safeParse(JSON.parse(text)).error?.issues ?? []).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

function adopted({ spec, phase, attempts, interruptions, errorLog, checkpoints, ...rest }: TaskState): AdoptedTask {
  const { startedAtCommit, completedAt, failedAt } = rest;
  const status = phase.status === "blocked" ? "failed" : phase.status;
  return { spec, status, attempts, interruptions, errorLog, checkpoints, startedAtCommit, completedAt, failedAt };
}
