import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("the screen in the README is the one that a test recorded: left out is what `…` stands for, and nothing is added", () => {
  const [, block = ""] =
    /\n```\n\$ cd your-project.*\n\$ harness "make both files"\n([^`]*)```/.exec(read("README.md")) ?? [];
  const shown = block.trimEnd().split("\n");
  expect(shown.length).toBeGreaterThan(15);
  const screen = read("test/agents/claude-code/screens/five-minutes.txt").split("\n");
  let from = 0;
  for (const line of shown) {
    if (line === "…") continue;
    const at = screen.indexOf(line, from);
    expect([line, at]).not.toEqual([line, -1]);
    from = at + 1;
  }
});
