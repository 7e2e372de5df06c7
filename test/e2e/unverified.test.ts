// I2: a loop that nothing checks ends by its agent's word, and whoever looks is told so.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject } from "./project.ts";

const agent = ["--agent-command", "cat > /dev/null; echo a > a.txt; echo TASK_COMPLETE", "--yes"];

test("I2: where nobody names a check and none is found, a promise ends a loop, told to be unverified everywhere", async () => {
  const project = createTestProject();
  const { code, stdout } = await project.harness("loop", "write a", ...agent);
  expect([code, stdout.split("\n").filter((line) => /^(check|limits|done|proof) /.test(line))]).toEqual([
    0,
    [
      "check    none: it is done when its agent says so, UNVERIFIED; --validate names a command that checks it",
      "limits   10 iterations; ends with the promise TASK_COMPLETE",
      "done     write a (1 iteration)",
      "proof    NONE: nothing checked it, there is its agent's word alone",
    ],
  ]);
  expect(stdout).toMatch(/Completed \[task-001\] \(commit [0-9a-f]{7}\) UNVERIFIED: nothing checked it/);
  const status = await project.must("status");
  expect(status.stdout).toContain("[completed] task-001: write a (1/1) UNVERIFIED");
  const { tasks } = JSON.parse((await project.must("status", "--json")).stdout);
  const file = JSON.parse(readFileSync(join(project.root, "harness-tasks.json"), "utf8"));
  expect([tasks[0].unverified, file.tasks[0].unverified]).toEqual([true, true]);
  const message = project.git("log", "-1", "--format=%B", await project.branch());
  expect(message).toMatch(/^task-001: write a\n\nUnverified: nothing checked it\.\n\n[\s\S]*^Harness-Proof: none$/m);
  // What was written there is ours, and asks for nothing.
  await project.must("accept");
  expect(project.git("show", "HEAD:a.txt")).toBe("a");
});

test("I2, G1: a loop that must leave files and has no command is judged by them, and is not unverified", async () => {
  const project = createTestProject();
  const { code, stdout } = await project.harness("loop", "write a", ...agent, "--output", "a.txt");
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^check {4}none but these$[\s\S]*^proof {4}what it had to leave passed on/m),
  ]);
  expect((await project.must("status", "--json")).stdout).not.toContain("unverified");
});

test("I2: an empty check is refused, and so are the standard phases without one", async () => {
  const project = createTestProject();
  for (const [flags, why] of [
    [["--validate", " "], "--validate is empty"],
    [["--phases", "standard"], "the standard phases need a command that checks the work"],
  ] as const) {
    const { code, stderr } = await project.harness("loop", "x", ...agent, ...flags);
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
  }
});

test("PR-9: no other task is worked on without something that judges it", async () => {
  const project = createTestProject({ "harness-tasks.json": '{"version":2,"tasks":[{"id":"task-001","title":"A"}]}' });
  const { code, stdout, stderr } = await project.harness("run", ...agent.slice(0, 2), "--trust-all");
  expect([code === 0, `${stdout}${stderr}`.includes("Starting [task-001]")]).toEqual([false, false]);
});
