// The first five minutes with the real Claude Code: as a user who has it on the PATH and nothing else.
import { join } from "node:path";
import { expect, test } from "vitest";
import { canSandbox } from "../../e2e/sandboxed.ts";
import { harnessCommand, openTerminal } from "../../e2e/tmux.ts";
import { withClaudeCode } from "./user.ts";

/** The README shows a part of it, which `test/architecture` compares. */
const recorded = join(import.meta.dirname, "screens/five-minutes.txt");

test("I1, I2: an objective in a fresh repository, from the start screen to accept, by keys alone", async () => {
  const { project, model } = await withClaudeCode("objective", {
    "package.json": '{"scripts": {"test": "test -f half.txt && test -f rest.txt"}}\n',
  });
  const terminal = openTerminal(project, harnessCommand('"make both files"'));
  terminal.resize(100, 60);
  await terminal.shows("Enter runs it, s skips it, q leaves");
  expect(model.asked()).toBe(0);
  terminal.press("Enter");
  const start = await terminal.shows("Enter starts, q leaves");
  expect([start, model.asked()]).toEqual([expect.stringMatching(/agent {4}claude-code [\d.]+: claude, does all/), 0]);
  terminal.press("Enter");
  const end = await terminal.shows("[a] accept");
  expect(end).toMatch(/done {5}make both files \(2 iterations, \$0\.\d\d\)/);
  terminal.press("a");
  const last = await terminal.shows("exit code 0");
  expect([project.git("ls-files"), model.asked()]).toEqual(["half.txt\npackage.json\nrest.txt", 4]);
  if (canSandbox) await expect(withoutChance(last)).toMatchFileSnapshot(recorded);
});

/** Names, commits and times differ each time. */
const withoutChance = (screen: string): string =>
  `${screen
    .replaceAll(/mission-project-[0-9a-f]{6}/g, "mission-project-4904df")
    .replaceAll(/(commit|checkout of) [0-9a-f]{7}\b/g, "$1 b465f09")
    .replaceAll(/\[\d{4}-\S+Z\]/g, "[2026-11-16T10:22:24.809Z]")}\n`;
