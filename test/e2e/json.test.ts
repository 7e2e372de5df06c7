// What programs read: whole JSON on standard output, and nothing else there.
import { expect, test } from "vitest";
import { StatusView } from "../../src/protocol/view.ts";
import { cli, createTestProject } from "./project.ts";

test("add, status and run print one JSON value each", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  const added = await project.must("add", "A", "--validate=test -f a.txt", "--timeout=7", "--priority", "P0", "--json");
  expect(JSON.parse(added.stdout)).toEqual({
    id: "task-001",
    kind: "task",
    phase: null,
    title: "A",
    description: "",
    priority: "P0",
    dependsOn: [],
    validation: { command: "test -f a.txt", timeoutMs: 7_000, quick: null },
    maxAttempts: 3,
    cleanup: null,
    extra: {},
  });

  const ran = await project.must("run", "--agent-command", "echo a > a.txt", "--json");
  const view = StatusView.parse(JSON.parse((await project.must("status", "--json")).stdout));
  expect(JSON.parse(ran.stdout)).toEqual({
    reason: "completed",
    detail: "",
    exit: 0,
    stats: view.stats,
    used: view.used,
    branch: view.mission.branch,
    tasks: view.tasks,
  });
  // A program that does not tell what it used.
  const used = { turns: 0, tokens: { input: 0, cached: 0, output: 0 }, usd: 0, unknown: 1, lost: 0, open: 0 };
  expect([view.used, view.tasks.map((task) => [task.used, task.agent])]).toEqual([used, [[used, null]]]);
  expect(ran.stderr).toContain("Completed [task-001]");
  expect(view).toMatchObject({ mission: { state: "idle" }, sessions: 1, stats: { total: 1, completed: 1 } });
});

test("a run that fails prints its JSON too, with the exit code in it", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "false", "--max-attempts", "1");
  const ran = await project.harness("run", "--agent-command", "true", "--json");
  expect(ran.code).toBe(11);
  expect(JSON.parse(ran.stdout)).toMatchObject({ reason: "failed", exit: 11, tasks: [{ status: "failed" }] });
});

test("a reader that leaves early neither stops the run nor is shown a stack", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f a.txt");
  const command = `'${process.execPath}' '${cli}' run --agent-command 'echo a > a.txt' 2> '${project.place}/stderr' | true`;
  project.sh("sh", "-c", command);
  expect(project.sh("cat", `${project.place}/stderr`)).not.toMatch(/EPIPE|at .*\.js/);
  expect((await project.must("status")).stdout).toContain("[completed] task-001: A (1/3)");
});

test("no colour reaches a pipe, and help is on standard output", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A");
  const status = await project.must("status");
  expect(status.stdout).not.toContain("\u001b");
  const help = await project.must("help");
  expect(help.stdout.match(/^ {2}(\w+)/gm)?.map((name) => name.trim())).toEqual([
    "init",
    "loop",
    "run",
    "status",
    "accept",
    "add",
    "logs",
    "demo",
    "help",
  ]);
  expect((await project.must("run", "--help")).stdout).toContain("Examples:");
});
