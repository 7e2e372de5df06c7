import { expect, test } from "vitest";
import { withObjective } from "./objective.ts";

const asked = (...words: readonly string[]) => withObjective(["node", "harness", ...words]).slice(2);

test("words in the place of a command are an objective, with the flags that follow", () => {
  expect(asked("make it work", "--yes")).toEqual(["loop", "make it work", "--yes"]);
  expect(asked("--root", "x", "make it work")).toEqual(["--root", "x", "loop", "make it work"]);
  expect(asked("--root=x", "make\nit")).toEqual(["--root=x", "loop", "make\nit"]);
});

test.each([
  [["status"]],
  [["statsu"]],
  [["loop", "make it work"]],
  [["--version"]],
  [["add", "two words"]],
  [[" "]],
  [[]],
])("%j stays as it is", (words) => {
  expect(asked(...words)).toEqual(words);
});
