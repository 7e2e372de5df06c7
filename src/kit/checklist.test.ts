import { expect, test } from "vitest";
import { checklistIn, isChecklistName } from "./checklist.ts";

const most = { items: 2, length: 10 };

test("items are counted by their marks, the first open ones named, and cut", () => {
  const text = "# Plan\r\n- [x] one\n  * [X] two\n1. [ ] three is long\r\n- [ ] four\n+ [ ] five\n";
  expect(checklistIn(text, most)).toEqual({ done: 2, open: 3, next: ["three is l", "four"] });
});

test("what only looks like an item is none, and a text without items has no list", () => {
  expect(checklistIn("- [ ]\n- [y] no\n[ ] no\n-[ ] no\ntext - [ ] no\n", most)).toBe(null);
});

test("a hostile text takes no time", () => {
  expect(checklistIn(`${"- [ ] ".repeat(50_000)}\n${" ".repeat(100_000)}- [`, most)).toEqual({
    done: 0,
    open: 1,
    next: [expect.any(String)],
  });
});

test("files are known by their names", () => {
  const names = ["TODO.md", "plan.md", "release-checklist.md", "tasks.md", "readme.md", "todo.txt", "a/todo.md"];
  expect(names.filter(isChecklistName)).toEqual(["TODO.md", "plan.md", "release-checklist.md", "tasks.md"]);
});
