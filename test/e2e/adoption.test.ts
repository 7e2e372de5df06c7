// A plan that came with the project: it is checked, taken over, and its commands run only once somebody accepted them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject } from "./project.ts";

const task = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: `Task ${id}`,
  status: "pending",
  depends_on: [],
  validation: { command: "test -f a.txt" },
  ...more,
});
const plan = (...tasks: readonly unknown[]): string => JSON.stringify({ version: 2, session_config: {}, tasks });
const agent = ["--agent-command", "echo a > a.txt"];

test("validate names each problem with file and field, changes nothing, and says by its exit code whether it is good", async () => {
  const project = createTestProject();
  project.write({
    "harness-tasks.json": plan(task("a"), task("b", { depends_on: ["a"], validation: {} })),
    "bad.json": plan(task("a"), task("a")),
    "circle.json": plan(task("a", { depends_on: ["b"] }), task("b", { depends_on: ["a"] })),
    "cut.json": '{"version": 2, "tasks": [',
  });
  const good = await project.start(["validate"], ".").ended;
  expect(good).toMatchObject({ code: 0, stderr: "" });
  expect(good.stdout).toContain("warning: harness-tasks.json: b.validation.command: missing");
  expect(existsSync(join(project.root, ".harness"))).toBe(false);
  const bad = await project.harness("validate", "bad.json");
  expect(bad).toMatchObject({ code: 1, stdout: expect.stringMatching(/^error: bad\.json: tasks\[1\]\.id: .*\n$/) });
  const circle = await project.harness("validate", "circle.json", "--json");
  expect([circle.code, JSON.parse(circle.stdout)]).toMatchObject([
    1,
    {
      ok: false,
      file: "circle.json",
      tasks: 2,
      errors: [expect.stringMatching(/circle\.json: depends_on: .*a -> b -> a/)],
    },
  ]);
  expect((await project.harness("validate", "cut.json")).stdout).toMatch(/^error: cut\.json:1:\d+: /);
  expect(await project.harness("validate", "none.json")).toMatchObject({ code: 1, stdout: "" });
  const itself = await project.must("validate", "--test");
  expect(itself.stdout).toMatch(/^(\d+) of \1 built-in cases passed\n$/);
});

test("F6, PR-1: an init that died before it recorded the plan leaves it to the next command, which adopts it", async () => {
  const project = createTestProject();
  project.write({ "harness-tasks.json": plan(task("a")), ".harness/id": `${"ab".repeat(16)}\n` });
  mkdirSync(join(project.place, "state", "ab".repeat(16)), { recursive: true });
  writeFileSync(join(project.place, "state", "ab".repeat(16), "journal.db"), "");
  expect((await project.must("status")).stdout).toContain("[pending] a: Task a (0/3)");
  const log = readFileSync(join(project.root, "harness-progress.txt"), "utf8");
  expect(log.match(/plan adopted from harness-tasks.json/g)).toHaveLength(1);
});

test("F6, T: an adopted plan runs nothing before its commands were shown and accepted", async () => {
  const project = createTestProject();
  const hidden = "test -f a.txt # \u001b[2K\u202e harmless";
  project.write({ "harness-tasks.json": plan(task("a", { validation: { command: hidden } }), { title: "no id" }) });
  const made = await project.harness("init", "--yes");
  expect(made).toMatchObject({ code: 10, stderr: expect.stringContaining("tasks[1]") });
  project.write({ "harness-tasks.json": plan(task("a", { validation: { command: hidden } }), "no task") });
  const adopted = await project.must("init", "--yes");
  expect(adopted.stdout).toContain("adopted     1 task of harness-tasks.json");
  expect(adopted.stdout).toContain("warning     harness-tasks.json: tasks[1]: text instead of a task is left out");
  expect(adopted.stdout).toContain("harness run --trust HASH");

  const refused = await project.harness("run", ...agent);
  expect(refused).toMatchObject({ code: 8, stdout: "" });
  expect(refused.stderr).toContain("    test -f a.txt # \\x1b[2K\\u202e harmless\n");
  const hash = /next: .*--trust (\w+)/.exec(refused.stderr)?.[1] ?? "";
  expect((await project.harness("run", ...agent, "--trust", "0000")).code).toBe(8);
  await project.must("run", ...agent, `--trust=${hash}`);
  expect((await project.must("status")).stdout).toContain("[completed] a: Task a (1/3)");
});

test("T: --trust-all accepts whatever came with the project", async () => {
  const project = createTestProject();
  project.write({ "harness-tasks.json": plan(task("a")) });
  expect((await project.harness("run", ...agent)).code).toBe(8);
  expect((await project.must("run", ...agent, "--trust-all")).stdout).toContain("Completed [a]");
});

test("init says what it found and proposes how work is judged; --yes writes none of the user's files", async () => {
  const project = createTestProject({ "package.json": '{"scripts": {"test": "node --test"}}\n', ".gitignore": "x" });
  const made = await project.must("init", "--yes");
  expect(made.stdout).toContain('found       node: package.json has a script "test"');
  expect(made.stdout).toContain('next        harness add "what to do" --validate "npm test"');
  expect(existsSync(join(project.root, "harness-init.sh"))).toBe(false);
  expect(readFileSync(join(project.root, ".gitignore"), "utf8")).toBe("x");
  expect(project.git("status", "--porcelain")).toBe("");
});

test("F6: commands that come first at the same moment adopt one plan into one mission", async () => {
  const project = createTestProject();
  const tasks = ["task-001", "task-002"].map((id) => ({ id, title: id, validation: { command: "true" } }));
  project.write({ "harness-tasks.json": JSON.stringify({ version: 2, tasks }) });
  const all = await Promise.all(Array.from({ length: 6 }, () => project.harness("tasks", "--json")));
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  const plans = all.map(({ stdout }) => JSON.parse(stdout).map(({ id }: { id: string }) => id));
  expect(plans).toEqual(all.map(() => ["task-001", "task-002"]));
  expect(all.filter(({ stderr }) => stderr.includes("adopted 2 tasks")).length).toBeGreaterThanOrEqual(1);
  const log = project.sh("cat", "harness-progress.txt").split("\n");
  expect(log.filter((line) => line.includes("plan adopted"))).toHaveLength(1);
});
