import { expect, test } from "vitest";
import { readDependencies, readPriority, readSeconds } from "./add-questions.ts";
import { BadAnswer } from "./ask.ts";

const tasks = new Map([
  ["a", {}],
  ["b", {}],
]) as unknown as Parameters<typeof readDependencies>[0]["tasks"];
const dependencies = readDependencies({ tasks });

test("K5: answers are read generously", () => {
  expect([readPriority("p2"), readSeconds("86400"), dependencies("none")]).toEqual(["P2", 86_400, []]);
  expect([dependencies("a, b"), dependencies("b a,,b")]).toEqual([
    ["a", "b"],
    ["b", "a"],
  ]);
});

test.each([
  () => readPriority("P3"),
  () => readSeconds("0"),
  () => readSeconds("1e3"),
  () => readSeconds("86401"),
  () => dependencies("a, nobody"),
])("K5: an answer that makes no sense is refused in words (%#)", (read) => {
  expect(read).toThrow(BadAnswer);
});
