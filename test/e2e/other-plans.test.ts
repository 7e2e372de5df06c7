// Plans of other harnesses, taken over from .harness/ and carried to their end by the built program.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

const features = ".harness/features.json";
const phaseTasks = ".harness/tasks.json";
const agent = ["--agent-command", 'echo work > "$HARNESS_TASK_ID.txt"'];
const feature = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: `Feature ${id}`,
  claims: [`VAL-${id}`],
  status: "todo",
  attempts: 0,
  validation: { command: `touch "$RAN"; test -f ${id}.txt` },
  ...more,
});
const task = (id: string, phase: string, more: Record<string, unknown> = {}) => ({
  id,
  title: `Task ${id}`,
  description: "All of it.",
  phase,
  status: "pending",
  dependencies: [],
  acceptance_criteria: [`${id}.txt is there`],
  output_files: [`${id}.txt`],
  validation: { command: `touch "$RAN"; test -f ${id}.txt` },
  ...more,
});

/** With `$RAN` as the file that every command of the plan would leave behind. */
function projectWith(files: Readonly<Record<string, unknown>>): TestProject & { ran: () => boolean } {
  const project = createTestProject();
  project.pass({ RAN: join(project.place, "ran") });
  const texts = Object.entries(files).map(([file, value]) => [file, text(value)]);
  project.write(Object.fromEntries(texts));
  return Object.assign(project, { ran: () => existsSync(join(project.place, "ran")) });
}
const text = (value: unknown): string => (typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n`);
const entriesOf = (project: TestProject): Record<string, unknown>[] =>
  JSON.parse(readFileSync(join(project.root, "harness-tasks.json"), "utf8")).tasks;
const pick = (names: readonly string[]) => (entry: Record<string, unknown>) => names.map((name) => entry[name] ?? null);

test("F6, T: features.json is adopted by the first run, runs nothing without trust, and comes to its end with it", async () => {
  const plan = {
    features: [
      feature("F-001", { status: "passed", attempts: 1, validation: undefined }),
      feature("F-002", { status: "failing", attempts: 4, dependencies: ["F-001"], phase: "engineering" }),
      feature("F-FIX-001", { dependencies: ["F-002"], outputs: ["a.txt"] }),
    ],
  };
  const project = projectWith({ [features]: plan });
  const refused = await project.harness("run", ...agent);
  expect(refused).toMatchObject({ code: 8, stdout: "" });
  expect(refused.stderr).toContain("note: adopted 3 tasks of .harness/features.json\n");
  expect(refused.stderr).toContain('    touch "$RAN"; test -f F-002.txt\n');
  expect([project.ran(), project.git("branch", "--list", "harness/*")]).toEqual([false, ""]);

  const ran = await project.must("run", ...agent, "--trust-all");
  expect(ran.stdout).toContain("Completed [F-FIX-001]");
  expect(project.ran()).toBe(true);
  expect(project.missionCommits(await project.branch()).map((line) => line.split(" | ")[1])).toEqual([
    "F-002",
    "F-FIX-001",
  ]);
  const shown = ["id", "status", "kind", "phase", "attempts", "max_attempts", "claims", "output_files"];
  expect(entriesOf(project).map(pick(shown))).toEqual([
    ["F-001", "completed", "feature", null, 1, 5, ["VAL-F-001"], null],
    ["F-002", "completed", "feature", "engineering", 5, 5, ["VAL-F-002"], null],
    ["F-FIX-001", "completed", "fix", null, 1, 3, ["VAL-F-FIX-001"], ["a.txt"]],
  ]);
  expect(readFileSync(join(project.root, features), "utf8")).toBe(text(plan));
  expect(readFileSync(join(project.root, "harness-progress.txt"), "utf8")).toContain(`plan adopted from ${features}`);
});

test("F6, T: tasks.json is adopted with its phases beside that harness's own configuration, and the next id counts on", async () => {
  const metadata = { project_name: "notes", created_at: "2026-01-05T09:00:00Z", current_phase: "engineering" };
  const tasks = [
    task("arch-1", "architecture", { status: "done", completed_at: "2026-01-05T09:10:00Z" }),
    task("eng-1", "engineering", { dependencies: ["arch-1"], retry_count: 1 }),
    task("eng-2", "engineering", { status: "in_progress" }),
    task("qa-1", "qa", { dependencies: ["eng-1", "eng-2"] }),
  ];
  const config = { created_at: "2026-01-05T09:00:00Z", project_name: "notes", execution_mode: "interactive" };
  const project = projectWith({ [phaseTasks]: { metadata, tasks }, ".harness/config.json": config });
  expect((await project.must("init", "--yes")).stdout).toContain("adopted     4 tasks of .harness/tasks.json");
  expect((await project.harness("run", ...agent)).code).toBe(8);
  expect(project.ran()).toBe(false);
  await project.must("run", ...agent, "--trust-all");

  const added = await project.must("add", "More", "--phase", "engineering", "--kind", "feature", "--json");
  expect(JSON.parse(added.stdout)).toMatchObject({ id: "eng-003", kind: "feature", maxAttempts: 5 });
  const lines = JSON.parse((await project.must("tasks", "--json")).stdout);
  expect(lines.map(pick(["id", "status", "kind", "phase", "attempts", "maxAttempts"]))).toEqual([
    ["arch-1", "completed", "task", "architecture", 0, 3],
    ["eng-1", "completed", "task", "engineering", 2, 3],
    ["eng-2", "completed", "task", "engineering", 2, 3],
    ["eng-003", "pending", "feature", "engineering", 0, 5],
    ["qa-1", "completed", "task", "qa", 1, 3],
  ]);
  const view = JSON.parse(readFileSync(join(project.root, "harness-tasks.json"), "utf8"));
  expect([view.created, view.metadata]).toEqual(["2026-01-05T09:00:00.000Z", metadata]);
  expect(view.tasks[0]).toMatchObject({ acceptance_criteria: ["arch-1.txt is there"], description: "All of it." });
  expect(readFileSync(join(project.root, phaseTasks), "utf8")).toBe(text({ metadata, tasks }));
});

test("F6: of several plan files the first is adopted, and a warning names the others", async () => {
  const ours = { version: 2, tasks: [{ id: "a", title: "A", status: "pending" }] };
  const both = { [features]: [feature("F-001")], [phaseTasks]: { tasks: [task("qa-1", "qa")] } };
  const second = projectWith(both);
  const adopted = await second.must("init", "--yes");
  expect(adopted.stdout).toContain("adopted     1 task of .harness/features.json");
  expect(adopted.stdout).toContain(
    "warning     .harness/tasks.json: not adopted, because .harness/features.json is there",
  );
  const first = projectWith({ ...both, "harness-tasks.json": ours });
  const told = await first.must("tasks", "--json");
  expect(JSON.parse(told.stdout).map(({ id }: { id: string }) => id)).toEqual(["a"]);
  expect(told.stderr.split("\n").slice(0, 3)).toEqual([
    "note: adopted 1 task of harness-tasks.json",
    "warning: .harness/features.json: not adopted, because harness-tasks.json is there too",
    "warning: .harness/tasks.json: not adopted, because harness-tasks.json is there too",
  ]);
  expect((await first.must("tasks", "--json")).stderr).toBe("");
});

test("CFG, F6: a feature without a validation is judged by the configured one, which needs trust as well", async () => {
  const plan = [feature("F-001", { validation: undefined })];
  const config = { validation: { default: 'touch "$RAN"; test -f F-001.txt' } };
  const project = projectWith({ [features]: plan, ".harness/config.json": config });
  expect((await project.harness("run", ...agent)).code).toBe(8);
  expect(project.ran()).toBe(false);
  await project.must("run", ...agent, "--trust-all");
  const bare = projectWith({ [features]: plan });
  const unjudged = await bare.harness("run", ...agent, "--trust-all");
  expect(unjudged).toMatchObject({ code: 10, stderr: expect.stringContaining("F-001") });
});

test("F7: a plan that cannot be read is refused by file, field and next step, and nothing is made of it", async () => {
  const project = projectWith({ [features]: [feature("F-001", { dependencies: ["F-9"] })] });
  for (const args of [["init", "--yes"], ["status"], ["run", ...agent, "--trust-all"]]) {
    const refused = await project.harness(...args);
    expect(refused).toMatchObject({ code: 10, stdout: "" });
    expect(refused.stderr).toContain('.harness/features.json: [0].dependencies[0]: "F-9" is no task of this file\n');
    expect(refused.stderr).toContain("  next: Add that task, or take the dependency away.\n");
  }
  expect(existsSync(join(project.root, ".harness/id"))).toBe(false);
  project.write({ [features]: '[{"id": "F-001"' });
  expect(await project.harness("status")).toMatchObject({
    code: 10,
    stderr: expect.stringContaining("ends too early"),
  });
});

test("validate knows these files by their names, and finds the one that would be adopted", async () => {
  const project = projectWith({
    [features]: [feature("F-001"), feature("F-002", { status: "blocked" })],
    "old/tasks.json": { tasks: [task("qa-1", "qa", { dependencies: ["qa-1"] })] },
  });
  const good = await project.must("validate");
  expect(good.stdout).toContain(".harness/features.json is good: 2 tasks\n");
  expect(good.stdout).toContain('warning: .harness/features.json: [1].status: "blocked" is read as failed');
  const circle = await project.harness("validate", "old/tasks.json");
  expect(circle).toMatchObject({ code: 1, stdout: expect.stringContaining("qa-1 -> qa-1") });
  expect(existsSync(join(project.root, ".harness/id"))).toBe(false);
});
