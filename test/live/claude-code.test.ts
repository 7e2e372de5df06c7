// The same missions with the user's own Claude Code and a real model: npm run live. It costs some cents, and needs a login.
import { homedir } from "node:os";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "../e2e/project.ts";

/** A throw-away project of a user who is as they are: home, login, settings, sandbox. */
function asMyself(): TestProject {
  const project = createTestProject();
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) project.env[name] ??= value;
  project.env.HOME = homedir();
  return project;
}
const agent = ["--agent", "claude-code"] as const;

test("three tasks: files written by its own tools, checked, merged, and their cost known", async () => {
  const project = asMyself();
  await project.must("init", "--yes");
  await project.must("add", "Write the letter a into the file a.txt", "--validate", "grep -qx a a.txt");
  const after = ["--depends-on", "task-001"];
  await project.must("add", "Write the letter b into the file b.txt", "--validate", "grep -qx b b.txt", ...after);
  const last = ["--depends-on", "task-002"];
  await project.must("add", "Join a.txt and b.txt into c.txt", "--validate", "cat a.txt b.txt | cmp - c.txt", ...last);
  const { code, stdout, stderr } = await project.harness("run", ...agent);
  expect([code, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining("everything is done")]);
});

test("I1, I2: an objective is worked on until its promise is kept", async () => {
  const project = asMyself();
  const objective = "write the numbers one to five, as words, one on each line, into numbers.txt";
  const check = "test \"$(tr '\\n' ' ' < numbers.txt)\" = 'one two three four five '";
  const ended = await project.harness(objective, "--validate", check, ...agent, "--yes", "--max-iterations", "3");
  expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining("done     write the numbers")]);
});
