// What a person at a terminal is asked, and what their answers do.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";
import { harnessCommand, openTerminal } from "./tmux.ts";

async function createMission(): Promise<TestProject> {
  const project = createTestProject({ "package.json": '{"scripts": {"test": "node --test"}}\n' });
  await project.must("init", "--yes");
  return project;
}
const tasksOf = async (project: TestProject) => JSON.parse((await project.must("tasks", "--json")).stdout);

test("K5: add asks for what no flag says, with defaults, and asks again after a wrong answer", async () => {
  const project = await createMission();
  await project.must("add", "First", "--validate", "true");
  const terminal = openTerminal(project, harnessCommand("add Second"));
  await terminal.shows("priority: P0, P1 or P2 [P1]:");
  terminal.enter("P7");
  await terminal.shows("Please answer P0, P1 or P2.");
  terminal.enter("p0");
  await terminal.shows("tasks it depends on, with commas, or none [none]:");
  terminal.enter("task-001");
  await terminal.shows("command that judges the work, or none [npm test]:");
  terminal.press("Enter");
  await terminal.shows("seconds that command may take [300]:");
  terminal.enter("60");
  await terminal.shows("Added task-002: Second");
  await terminal.shows("exit code 0");
  const file = JSON.parse(readFileSync(join(project.root, "harness-tasks.json"), "utf8"));
  expect(file.tasks[1]).toMatchObject({
    priority: "P0",
    depends_on: ["task-001"],
    validation: { command: "npm test", timeout_seconds: 60 },
  });
});

test.each(["C-c", "C-d"])("K5: %s at a question adds nothing", async (key) => {
  const project = await createMission();
  const terminal = openTerminal(project, harnessCommand("add Second"));
  await terminal.shows("priority: P0, P1 or P2 [P1]:");
  terminal.press("Enter");
  await terminal.shows("tasks it depends on");
  terminal.press(key);
  await terminal.shows("Nothing was added");
  await terminal.shows("exit code 130");
  expect(await tasksOf(project)).toEqual([]);
});

test("add asks nothing with --yes, and nothing when its output is piped", async () => {
  const project = await createMission();
  const terminal = openTerminal(project, `${harnessCommand("add One --yes")}; ${harnessCommand("add Two")} | cat`);
  await terminal.shows("Added task-002: Two");
  expect((await tasksOf(project)).map(({ title }: { title: string }) => title)).toEqual(["One", "Two"]);
});

test("K6: reset of everything is asked about; no and Ctrl-C change nothing", async () => {
  const project = await createMission();
  await project.must("add", "Red", "--validate", "false", "--max-attempts", "1");
  await project.harness("run", "--agent-command", "echo x > x.txt");
  const terminal = openTerminal(project, `${harnessCommand("reset")}; ${harnessCommand("reset")}`);
  await terminal.shows("Reset 1 failed and 0 in progress?");
  terminal.press("Enter");
  await terminal.shows(/Nothing was reset\s+Reset 1 failed/);
  expect((await tasksOf(project))[0].status).toBe("failed");
  terminal.enter("yes");
  await terminal.shows("Reset: task-001 pending again, no attempt used");
  expect((await tasksOf(project))[0].status).toBe("pending");
});

test("init writes harness-init.sh and .gitignore only after a yes, and never over what is there", async () => {
  const project = createTestProject({
    "package.json": '{"scripts": {"test": "true"}}\n',
    ".gitignore": "node_modules",
  });
  const terminal = openTerminal(project, harnessCommand("init"));
  await terminal.shows("Write harness-init.sh");
  terminal.enter("y");
  await terminal.shows("Add Harness's own files to .gitignore?");
  terminal.enter("y");
  await terminal.shows("exit code 0");
  execFileSync("sh", ["-n", join(project.root, "harness-init.sh")]);
  expect(readFileSync(join(project.root, ".gitignore"), "utf8")).toBe(
    "node_modules\n/harness-tasks.json*\n/harness-progress.txt\n/.harness-active\n/.harness/\n",
  );
});

test("status --watch is redrawn after a change, and Ctrl-C leaves the last status", async () => {
  const project = await createMission();
  const terminal = openTerminal(project, harnessCommand("status --watch"));
  await terminal.shows("tasks     0: 0 completed");
  await project.must("add", "Seen", "--validate", "true");
  const seen = await terminal.shows("[pending] task-001: Seen (0/3)");
  expect(seen.match(/^mission /gm)).toHaveLength(1);
  terminal.press("C-c");
  const left = await terminal.shows("exit code 0");
  expect(left).toContain("[pending] task-001: Seen (0/3)");
  expect(terminal.ask("#{cursor_flag}")).toBe("1");
});
