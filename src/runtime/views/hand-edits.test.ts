import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { react } from "../../core/decide/decide.ts";
import { emptyState } from "../../core/empty-state.ts";
import { renderTasksFile } from "../../core/tasks-file/write.ts";
import type { Command, Input } from "../../protocol/input.ts";
import { Limits } from "../../protocol/task.ts";
import { encodeEvent } from "../../protocol/upgrade.ts";
import { sha256 } from "../trust.ts";
import { importHandEdits, rememberWritten } from "./hand-edits.ts";

/** A mission with one task, its file written, and a way to edit that by hand. */
async function scene() {
  const root = mkdtempSync(join(tmpdir(), "harness-edits-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const state = emptyState();
  const events: ReturnType<typeof encodeEvent>[] = [];
  const submitted: Command[] = [];
  const apply = (command: Command | Input) => {
    const input = { ...command, at: 1_000 } as Input;
    events.push(...react(state, input).map((event) => encodeEvent(event, 1_000)));
  };
  apply({ type: "mission.create", mission: "m", branch: "harness/m", root, limits: Limits.parse({}) });
  apply({ type: "task.add", task: { title: "First", validation: { command: "true", timeoutMs: 1_000 } } });
  const source = {
    look: async <T>(use: (now: typeof state) => T) => use(state),
    read: async (after: number, limit: number) =>
      events.slice(after, after + limit).map((event, place) => ({ ...event, position: after + place + 1, hash: "" })),
    submit: async (command: Command) => {
      submitted.push(command);
      apply(command);
    },
  };
  const file = join(root, "harness-tasks.json");
  const text = renderTasksFile(state);
  await rememberWritten(root, { hash: sha256(text), position: state.position }, null);
  writeFileSync(file, text);
  const edit = (change: (plan: { tasks: Record<string, unknown>[] }) => void) => {
    const plan = JSON.parse(text);
    change(plan);
    writeFileSync(file, JSON.stringify(plan, null, 2));
  };
  const take = () => importHandEdits({ root, home: root, source });
  return { root, file, state, submitted, edit, take, apply };
}

test("F6: a file that is what we wrote asks for nothing", async () => {
  const { submitted, take } = await scene();
  await take();
  expect(submitted).toEqual([]);
});

test("F6, PR-18: writings that failed again and again do not make our own file look edited", async () => {
  const { root, file, state, submitted, take } = await scene();
  const present = sha256(readFileSync(file, "utf8"));
  for (const hash of ["a", "b", "b"]) await rememberWritten(root, { hash, position: state.position }, present);
  await take();
  expect(submitted).toEqual([]);
});

test("F6: a new title, priority or task without a command is followed", async () => {
  const { state, edit, take } = await scene();
  edit(({ tasks }) => {
    Object.assign(tasks[0] ?? {}, { title: "Better", priority: "P0" });
    tasks.push({ id: "extra", title: "Extra", "x-note": 1 });
  });
  await take();
  expect(state.tasks.get("task-001")?.spec).toMatchObject({ title: "Better", priority: "P0" });
  expect(state.tasks.get("extra")?.spec).toMatchObject({ title: "Extra", validation: null, extra: { "x-note": 1 } });
});

test("F6: a changed command becomes a question that shows both; a grant brings it about", async () => {
  const { state, edit, take, apply } = await scene();
  edit(({ tasks }) => Object.assign(tasks[0] ?? {}, { validation: { command: "rm -rf /", timeout_seconds: 1 } }));
  await take();
  const [approval] = state.approvals.values();
  expect(approval).toMatchObject({ task: "task-001", question: expect.stringMatching(/"true".*"rm -rf \/"/) });
  expect(state.tasks.get("task-001")?.spec.validation?.command).toBe("true");
  apply({ type: "approval.grant", name: approval?.name ?? "" });
  expect(state.tasks.get("task-001")?.spec.validation?.command).toBe("rm -rf /");
});

test("F6: while a run is on a changed command is not even asked about", async () => {
  const { state, edit, take, apply } = await scene();
  const owner = { host: "h", bootId: "b", pid: 1, group: 1, startTime: "1" };
  const rest = {
    worker: "w",
    claims: null,
    leaseSeconds: null,
    gone: [],
    removedStale: null,
    initScript: false,
    projectHash: null,
    trust: { how: "none" },
    untrusted: null,
  } as const;
  apply({ type: "run.start", run: "r", owner, lanes: 1, ...rest, at: 1 });
  edit(({ tasks }) => Object.assign(tasks[0] ?? {}, { validation: { command: "rm -rf /", timeout_seconds: 1 } }));
  await take();
  expect(state.approvals.size).toBe(0);
  expect(state.tasks.get("task-001")?.spec.validation?.command).toBe("true");
});

test("F6, PR-10: a task marked as completed by hand is refused, and the edited file is kept as evidence", async () => {
  const { root, file, state, submitted, edit, take } = await scene();
  edit(({ tasks }) => Object.assign(tasks[0] ?? {}, { status: "completed" }));
  await take();
  expect(submitted.map(({ type }) => type)).toEqual(["edit.refuse"]);
  expect(state.tasks.get("task-001")?.phase.status).toBe("pending");
  const [evidence] = readdirSync(join(root, "edits"));
  expect(readFileSync(join(root, "edits", evidence ?? ""), "utf8")).toBe(readFileSync(file, "utf8"));
});

test("F5: a file that is no JSON any more is told, kept, and changes nothing", async () => {
  const { root, file, submitted, take } = await scene();
  writeFileSync(file, '{"version": 2, "tasks": [');
  await take();
  expect(submitted).toMatchObject([{ type: "edit.refuse", task: null, field: "harness-tasks.json" }]);
  expect(readdirSync(join(root, "edits"))).toHaveLength(1);
});
