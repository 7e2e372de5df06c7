// What a person sees of the real Claude Code: in the live view of a run, and in a transcript that is followed.
import { expect, test } from "vitest";
import { harnessCommand, openTerminal } from "../../e2e/tmux.ts";
import { withClaudeCode } from "./user.ts";

test("B2: the live view shows the agent's words, the tool it is calling, and tokens as they come", async () => {
  const { project } = await withClaudeCode("speaking");
  await project.must("init", "--yes");
  await project.must("add", "Write a", "--validate", "test -f a.txt");
  const terminal = openTerminal(project, harnessCommand("run --agent claude-code"));
  terminal.resize(140, 30);
  const seen = await terminal.shows(/^lane 0 .*Write a – ▸ Bash tail -f \/dev\/null – Now I look\\x1b\[2J at it\.$/m);
  expect(seen).toMatch(/^\[░{20}\] 0\/1 {2}1 working, 0 waiting, 1\.1k tokens$/m);
  terminal.press("C-c");
  await terminal.shows("exit code 130");
});

test("O1: a transcript that is followed in a terminal fits it, and ends with Ctrl-C", async () => {
  const { project } = await withClaudeCode("speaking");
  await project.must("init", "--yes");
  await project.must("add", "Write a", "--validate", "test -f a.txt");
  const run = project.start(["run", "--agent", "claude-code"]);
  const terminal = openTerminal(project, harnessCommand("logs -f task-001"));
  const seen = await terminal.shows("▸ Bash  tail -f /dev/null");
  expect(seen.split("\n").slice(-6)).toEqual([
    "▸ Write  a.txt",
    "    + one",
    `    + ${"two ".repeat(23)}…`,
    expect.stringMatching(/^ {2}⎿ File created successfully at: a\.txt .*…$/),
    "Now I look\\x1b[2J at it.",
    "▸ Bash  tail -f /dev/null",
  ]);
  terminal.press("C-c");
  await terminal.shows("exit code 0");
  run.process.kill("SIGINT");
  expect((await run.ended).code).toBe(130);
});
