// Hostile text in a task file stays text, or is refused by name.
import { expect, test } from "vitest";
import { readTasksFile } from "../../src/core/tasks-file/read.ts";
import { hostileStrings } from "../corpus/hostile-strings.ts";

const fileWith = (task: object): string =>
  JSON.stringify({ version: 2, tasks: [{ id: "a", title: "A", status: "pending", ...task }] });
const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text);

test("F7: the corpus has at least 300 hostile strings", () => {
  expect(hostileStrings.length).toBeGreaterThanOrEqual(300);
});

test("F2: a hostile title, description or unknown value is read as it was written", () => {
  for (const text of hostileStrings.filter(isWhole)) {
    const titled = text.trim() !== "" && text.trim().length <= 500;
    const read = readTasksFile(fileWith({ title: titled ? text : "A", description: text, other: [text] }), "f.json");
    const task = read.ok ? read.value.tasks[0]?.spec : read.failure;
    expect(task).toMatchObject({ title: titled ? text.trim() : "A", description: text, extra: { other: [text] } });
  }
});

test("F7: a hostile id is refused, unless it is a plain one", () => {
  for (const text of hostileStrings) {
    const read = readTasksFile(fileWith({ id: text }), "f.json");
    const outcome = read.ok ? read.value.tasks[0]?.spec.id : read.failure.message;
    const plain = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text) && !text.includes("\n");
    expect(outcome).toEqual(plain ? text : expect.stringMatching(/^f\.json:.*tasks\[0\]\.id/));
    expect(outcome).toMatch(/^\P{C}*$/u);
  }
});

test("F7: a hostile name of a field survives, or is refused by that name", () => {
  for (const text of hostileStrings) {
    const read = readTasksFile(fileWith({ other: Object.fromEntries([[text, 1]]) }), "f.json");
    const outcome = read.ok ? read.value.tasks[0]?.spec.extra.other : read.failure.message;
    const refused = !isWhole(text) || ["__proto__", "constructor", "prototype"].includes(text);
    expect(outcome).toEqual(refused ? expect.stringMatching(/^f\.json:1:\d+: /) : { [text]: 1 });
  }
});

test("F7: a hostile file name is shown in one line", () => {
  for (const name of hostileStrings) {
    const read = readTasksFile("{", name);
    expect(read.ok ? "" : read.failure.message).toMatch(/^\P{C}{1,2000}$/u);
  }
});
