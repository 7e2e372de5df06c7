import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTasksFile } from "../../src/core/tasks-file/read.ts";
import { TasksFile } from "../../src/protocol/tasks-file.ts";

const folder = join(import.meta.dirname, "../../examples/tasks");
const examples = readdirSync(folder).sort();

test("F2: there is an example for each kind of start", () => {
  expect(examples).toEqual(["dependencies.json", "minimal.json", "resumed.json"]);
});

test.for(examples)("F2: the example %s fits the schema and is read without a warning", (name) => {
  const text = readFileSync(join(folder, name), "utf8");
  const read = readTasksFile(text, name);
  expect(read.ok ? read.value.warnings : read.failure).toEqual([]);
  const file = TasksFile.safeParse(JSON.parse(text));
  expect(file.error?.issues ?? []).toEqual([]);
  expect(read.ok && read.value.tasks.map(({ spec }) => spec.id)).toEqual(file.data?.tasks.map(({ id }) => id));
});
