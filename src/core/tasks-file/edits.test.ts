import { expect, test } from "vitest";
import { Limits } from "../../protocol/task.ts";
import type { TasksFile } from "../../protocol/tasks-file.ts";
import { emptyState } from "../empty-state.ts";
import { noTally } from "../evolve/used.ts";
import type { Phase, State } from "../state.ts";
import { type Edit, editsIn } from "./edits.ts";
import { readTasksFile } from "./read.ts";
import { renderTasksFile } from "./write.ts";

const validation = { command: "make", timeoutMs: 300_000, quick: null };
const written = { command: "make", timeout_seconds: 300 };

function stateOf(...ids: readonly string[]): State {
  const state = emptyState();
  state.mission = {
    id: "m",
    branch: "b",
    root: "/p",
    limits: Limits.parse({}),
    concurrency: "exclusive",
    workspace: "clone",
    createdAt: 1_000,
    extra: { team: "x" },
  };
  for (const id of ids) {
    state.tasks.set(id, {
      spec: {
        id,
        kind: "task",
        phase: null,
        title: "Old",
        description: "",
        priority: "P1",
        dependsOn: [],
        validation,
        maxAttempts: 3,
        cleanup: null,
        extra: { note: 1 },
      },
      phase: { status: "pending" },
      attempts: 1,
      claims: 1,
      interruptions: 0,
      iterations: 0,
      countFrom: 0,
      used: noTally(),
      agent: null,
      checkpoints: [],
      failures: [],
      errorLog: ["[TEST_FAIL] red"],
      phasesPassed: 0,
      startedAtCommit: null,
      lastCandidate: null,
      accepted: null,
      dropped: null,
      completedAt: null,
      failedAt: null,
      waitingFor: 0,
      holds: 0,
      notes: [],
      answers: [],
      handoff: null,
      handedIn: null,
      collected: [],
      refused: null,
    });
  }
  return state;
}

type Change = (file: TasksFile & { tasks: Record<string, unknown>[] }) => void;

/** What an edit of the view of this state asks for. */
function edited(state: State, change: Change): readonly Edit[] {
  const before = renderTasksFile(state);
  const file = JSON.parse(before);
  change(file);
  const after = readTasksFile(JSON.stringify(file), "f.json");
  if (!after.ok) throw new Error(after.failure.message);
  return editsIn(before, after.value, state);
}
const setTask =
  (fields: Record<string, unknown>): Change =>
  ({ tasks }) =>
    Object.assign(tasks[0] ?? {}, fields);
const enter = (state: State, id: string, phase: Phase): void => {
  const task = state.tasks.get(id);
  if (task !== undefined) task.phase = phase;
};
const inProgress = { status: "in_progress", attempt: { startedAt: 1_000, stage: "working", fence: 1 } } as Phase;

test("F6: the view as it was written asks for nothing, also with its fields in another order", () => {
  const state = stateOf("a", "b");
  expect(edited(state, () => undefined)).toEqual([]);
  const turned: Change = (file) => {
    file.tasks = file.tasks.map((task) => Object.fromEntries(Object.entries(task).reverse())).reverse() as never;
  };
  expect(edited(state, turned)).toEqual([]);
});

test("F6: a title, kind, phase, description, priority or unknown field is taken over", () => {
  const change = { title: "New", kind: "fix", phase: "qa", description: "more", priority: "P0" } as const;
  expect(edited(stateOf("a"), setTask({ ...change, note: 2 }))).toEqual([
    { kind: "edit", task: "a", change: { ...change, extra: { note: 2 } } },
  ]);
});

test("F6: a phase that is taken away is taken over; a kind is not changed while the task is under way", () => {
  const state = stateOf("a", "b");
  for (const task of state.tasks.values()) task.spec = { ...task.spec, phase: "qa" };
  enter(state, "b", inProgress);
  const wish: Change = ({ tasks }) => {
    for (const task of tasks) Object.assign(task, { kind: "fix", phase: null });
  };
  const why = "b is in_progress: it cannot be changed now";
  expect(edited(state, wish)).toEqual([
    { kind: "edit", task: "a", change: { kind: "fix", phase: null } },
    { kind: "refuse", task: "b", field: "kind", was: "task", wants: "fix", why },
    { kind: "refuse", task: "b", field: "phase", was: "qa", wants: null, why },
  ]);
});

test("V1: interruptions are counted, not edited", () => {
  expect(edited(stateOf("a"), setTask({ interruptions: 9 }))).toMatchObject([
    { kind: "refuse", task: "a", field: "interruptions", was: 0, wants: 9 },
  ]);
});

test("F6: a command or dependency is asked for, showing both versions in one question", () => {
  const change = { validation: { command: "true" }, depends_on: ["b"], on_failure: { cleanup: "rm x" } };
  const wants = { validation: { ...validation, command: "true" }, dependsOn: ["b"], cleanup: "rm x" };
  const was = { validation, dependsOn: [], cleanup: null };
  expect(edited(stateOf("a", "b"), setTask(change))).toEqual([{ kind: "ask", task: "a", change: wants, was, wants }]);
});

test("F6: a command that is taken away is asked for too", () => {
  const [was, wants] = [{ validation }, { validation: null }];
  expect(edited(stateOf("a"), setTask({ validation: null }))).toEqual([
    { kind: "ask", task: "a", change: wants, was, wants },
  ]);
});

test("F6: a criterion is asked for", () => {
  const extra = { note: 1, acceptance_criteria: ["none"] };
  expect(edited(stateOf("a"), setTask({ acceptance_criteria: ["none"] }))).toEqual([
    { kind: "ask", task: "a", change: { extra }, was: { extra: { note: 1 } }, wants: { extra } },
  ]);
});

test("F6, G1: outputs are asked for, also when they are taken away; none and no word of them are the same", () => {
  const outputs = ["report.md"];
  const state = stateOf("a");
  expect(edited(state, setTask({ output_artifacts: outputs }))).toEqual([
    { kind: "ask", task: "a", change: { outputs }, was: { outputs: [] }, wants: { outputs } },
  ]);
  expect(edited(state, setTask({ output_artifacts: [] }))).toEqual([]);
  for (const task of state.tasks.values()) task.spec = { ...task.spec, outputs };
  const [was, wants] = [{ outputs }, { outputs: [] }];
  expect(edited(state, setTask({ output_artifacts: undefined }))).toEqual([
    { kind: "ask", task: "a", change: wants, was, wants },
  ]);
  enter(state, "a", inProgress);
  expect(edited(state, setTask({ output_artifacts: [] }))).toEqual([
    {
      ...{ kind: "refuse", task: "a", field: "output_artifacts", was: outputs, wants: [] },
      why: "a is in_progress: it cannot be changed now",
    },
  ]);
});

test("F6, G1: a new task brings its outputs along", () => {
  const added: Change = ({ tasks }) =>
    void tasks.push({ id: "z", title: "Z", status: "pending", output_artifacts: ["z.md"] });
  expect(edited(stateOf("a"), added)).toMatchObject([{ kind: "add", task: { id: "z", outputs: ["z.md"] } }]);
});

test("F6: a new task is added after what it depends on; its commands are asked for", () => {
  const added: Change = ({ tasks }) => {
    tasks.push({ id: "z", title: "Z", status: "pending", depends_on: ["y", "a"], validation: written, mark: 1 });
    tasks.push({ id: "y", title: "Y", status: "todo", priority: "P0", description: "d", kind: "feature", phase: "qa" });
  };
  const wants = { validation };
  const usual = { kind: "task", phase: null, description: "", priority: "P1", maxAttempts: 3 };
  expect(edited(stateOf("a"), added)).toEqual([
    {
      kind: "add",
      task: {
        ...usual,
        id: "y",
        kind: "feature",
        phase: "qa",
        title: "Y",
        description: "d",
        priority: "P0",
        dependsOn: [],
        maxAttempts: 5,
      },
      extra: {},
    },
    { kind: "add", task: { ...usual, id: "z", title: "Z", dependsOn: ["y", "a"] }, extra: { mark: 1 } },
    { kind: "ask", task: "z", change: wants, was: { validation: null }, wants },
  ]);
});

test("F6: a new task that says it is done or tried is refused", () => {
  const added: Change = ({ tasks }) => {
    tasks.push({ id: "y", title: "Y", status: "done" }, { id: "z", title: "Z", status: "pending", attempts: 2 });
  };
  expect(edited(stateOf("a"), added)).toEqual([
    {
      kind: "refuse",
      task: "y",
      field: "status",
      was: null,
      wants: "completed",
      why: "a new task starts as pending",
    },
    {
      kind: "refuse",
      task: "z",
      field: "attempts",
      was: 0,
      wants: 2,
      why: "a new task has no attempts behind it",
    },
  ]);
});

test("F6: what is counted and recorded is refused, and the rest of the edit still counts", () => {
  const change = { status: "completed", attempts: 0, max_attempts: 9, error_log: [], title: "New" };
  const edits = edited(stateOf("a"), setTask(change));
  expect(edits.map((edit) => (edit.kind === "refuse" ? [edit.field, edit.was, edit.wants] : edit))).toEqual([
    ["status", "pending", "completed"],
    ["attempts", 1, 0],
    ["max_attempts", 3, 9],
    ["error_log", ["[TEST_FAIL] red"], []],
    { kind: "edit", task: "a", change: { title: "New" } },
  ]);
});

test("F6: nothing of a claimed or completed task is changed, and none is taken out", () => {
  const state = stateOf("a", "b", "c");
  enter(state, "a", inProgress);
  enter(state, "b", { status: "completed", commit: null, at: 1_000 });
  const change: Change = (file) => {
    Object.assign(file.tasks[0] ?? {}, { title: "New" });
    Object.assign(file.tasks[1] ?? {}, { depends_on: ["a"] });
    file.tasks.splice(2, 1);
  };
  expect(edited(state, change)).toEqual([
    {
      kind: "refuse",
      task: "a",
      field: "title",
      was: "Old",
      wants: "New",
      why: "a is in_progress: it cannot be changed now",
    },
    {
      kind: "refuse",
      task: "b",
      field: "depends_on",
      was: [],
      wants: ["a"],
      why: "b is completed: it cannot be changed now",
    },
    {
      kind: "refuse",
      task: "c",
      field: "tasks",
      was: "c",
      wants: null,
      why: "a task is not taken out of a plan by taking it out of its view",
    },
  ]);
});

test("F6: fields of the file itself are refused by name", () => {
  const change: Change = (file) => {
    file.session_config.max_sessions = 999;
    Object.assign(file, { session_count: 0, team: "y", more: true });
  };
  const state = stateOf("a");
  state.sessions = 4;
  expect(edited(state, change).map((edit) => edit.kind === "refuse" && [edit.field, edit.was, edit.wants])).toEqual([
    ["session_config.max_sessions", 50, 999],
    ["session_count", 4, 0],
    ["team", "x", "y"],
    ["more", null, true],
  ]);
});

test("F6: what the state already holds is not asked for again while the view lags", () => {
  const state = stateOf("a");
  const before = renderTasksFile(state);
  const after = readTasksFile(before.replace('"Old"', '"New"'), "f.json");
  const task = state.tasks.get("a");
  if (!after.ok || task === undefined) throw new Error("the view is readable");
  expect(editsIn(JSON.parse(before), after.value, state)).toEqual([
    { kind: "edit", task: "a", change: { title: "New" } },
  ]);
  task.spec = { ...task.spec, title: "New" };
  expect(editsIn(before, after.value, state)).toEqual([]);
});
