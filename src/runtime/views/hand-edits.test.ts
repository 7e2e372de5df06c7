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
async function scene({ command = "true", shown = (text: string) => text } = {}) {
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
  apply({ type: "task.add", task: { title: "First", validation: { command, timeoutMs: 1_000 } } });
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
  const text = renderTasksFile(state, shown);
  await rememberWritten(root, { hash: sha256(text), position: state.position }, null);
  writeFileSync(file, text);
  const edit = (change: (plan: { tasks: Record<string, unknown>[] }) => void) => {
    const plan = JSON.parse(text);
    change(plan);
    writeFileSync(file, JSON.stringify(plan, null, 2));
  };
  const take = () => importHandEdits({ root, home: root, source, shown });
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

const runStarts = {
  type: "run.start",
  run: "r",
  owner: { host: "h", bootId: "b", pid: 1, group: 1, startTime: "1" },
  lanes: 1,
  worker: "w",
  claims: null,
  leaseSeconds: null,
  gone: [],
  removedStale: null,
  initScript: false,
  projectHash: null,
  trust: { how: "none" },
  untrusted: null,
  at: 1,
} as const;

test("F6, PR-7: of ten thousand tasks written in while a run is on, twenty are refused by name and the rest by number", async () => {
  const { state, submitted, edit, take, apply } = await scene();
  apply(runStarts);
  const more = Array.from({ length: 10_000 }, (_, n) => `more-${n}`);
  edit(({ tasks }) => tasks.push(...more.map((id) => ({ id, title: id, validation: { command: "true" } }))));
  await take();
  const why = "a command is not taken up while a run is on; edit it again afterwards";
  expect(submitted).toEqual([
    ...more.slice(0, 20).map((task) => ({ type: "edit.refuse", task, field: "id", why })),
    {
      type: "edit.refuse",
      task: null,
      field: "harness-tasks.json",
      why: "9980 more changes are refused like these; the file is kept as it was",
    },
  ]);
  expect(state.tasks.size).toBe(1);
});

test("F6: while a run is on a changed command is not even asked about", async () => {
  const { state, edit, take, apply } = await scene();
  apply(runStarts);
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

const secret = {
  command: "curl -u me:c4n4ry-5ecret host",
  shown: (text: string) => text.replaceAll("c4n4ry-5ecret", "[redacted]"),
};

test("SEC, F6: a command is shown without its secret, and an edit beside it leaves it as it is", async () => {
  const { file, state, edit, take, submitted } = await scene(secret);
  expect(readFileSync(file, "utf8")).not.toContain("c4n4ry");
  edit(({ tasks }) => Object.assign(tasks[0] ?? {}, { title: "Better" }));
  await take();
  expect(submitted).toEqual([{ type: "task.edit", task: "task-001", change: { title: "Better" } }]);
  expect(state.tasks.get("task-001")?.spec.validation?.command).toBe(secret.command);
});

test("SEC, F6: its time limit can be changed in the file, its text cannot: that would run without the secret", async () => {
  const { edit, take, submitted } = await scene(secret);
  const validation = { command: secret.shown(secret.command), timeout_seconds: 9 };
  edit(({ tasks }) => Object.assign(tasks[0] ?? {}, { validation }));
  await take();
  const change = { validation: { command: secret.command, timeoutMs: 9_000, quick: null } };
  expect(submitted).toMatchObject([{ type: "approval.ask", change }]);
  const other = await scene(secret);
  other.edit(({ tasks }) => {
    Object.assign(tasks[0] ?? {}, { validation: { ...validation, command: `${validation.command} -v` } });
  });
  await other.take();
  const why = "it is shown without its secrets here; change it with: harness edit";
  expect(other.submitted).toEqual([{ type: "edit.refuse", task: "task-001", field: "validation", why }]);
});
