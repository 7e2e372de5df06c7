// The examples of plan files of other harnesses: good as they are, refused clearly wherever they are cut off.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planFormats, readPlanText } from "../../src/core/plan-files/formats.ts";
import { readTasksFile } from "../../src/core/tasks-file/read.ts";
import { renderTasksFile } from "../../src/core/tasks-file/write.ts";
import { FeaturesFile, PhaseTasksFile } from "../../src/protocol/plan-files.ts";
import { Limits } from "../../src/protocol/task.ts";
import { Scene } from "../core/scene.ts";

const folder = join(import.meta.dirname, "../../examples/plans");
const names = readdirSync(folder).sort();
const textOf = (name: string): string => readFileSync(join(folder, name), "utf8");
const schemas = { "features.json": FeaturesFile, "tasks.json": PhaseTasksFile };

test("F6: there is an example of each plan file that is adopted, beside ours", () => {
  expect(names).toEqual(["features.json", "tasks.json"]);
  expect(planFormats.map(({ file }) => file)).toEqual([
    "harness-tasks.json",
    ".harness/features.json",
    ".harness/tasks.json",
  ]);
});

test.for(Object.entries(schemas))(
  "F6: the example %s fits its schema and is read without a warning",
  ([name, schema]) => {
    const read = readPlanText(textOf(name), name);
    expect(read.ok ? read.value.warnings : read.failure).toEqual([]);
    expect(schema.safeParse(JSON.parse(textOf(name))).error?.issues ?? []).toEqual([]);
  },
);

test.for(names)("F7: %s, cut off at any byte, gives one clear line and never throws", (name) => {
  const bytes = readFileSync(join(folder, name));
  const whole = bytes.toString("utf8").trimEnd().length;
  for (let length = 0; length < whole; length++) {
    const read = readPlanText(bytes.subarray(0, length).toString("utf8"), name);
    const { message = "", remedy = "" } = read.ok ? {} : read.failure;
    expect(`${length} ${message}`).toMatch(new RegExp(`^${length} ${name}:\\d+:\\d+: \\P{C}{1,1000}$`, "u"));
    expect(remedy).toMatch(/^\P{C}+$/u);
  }
});

test.for(names)("F7: %s with any value replaced by another is a plan or one clear line", (name) => {
  const odd = [null, false, 0, -1, 1.5, "", "abc", [], [null], {}, { a: 1 }];
  let refused = 0;
  for (const path of pathsIn(JSON.parse(textOf(name)))) {
    for (const value of odd) {
      const file = JSON.parse(textOf(name));
      const last = path.at(-1) ?? "";
      const parent = path.slice(0, -1).reduce((at, key) => at[key], file);
      parent[last] = value;
      const read = readPlanText(JSON.stringify(file), name);
      if (read.ok) continue;
      refused += 1;
      expect(read.failure).toMatchObject({ kind: "config", remedy: expect.stringMatching(/^\P{C}+\.$/u) });
      expect(read.failure.message).toMatch(new RegExp(`^${name}: \\P{C}{1,500}$`, "u"));
    }
  }
  expect(refused).toBeGreaterThan(50);
});

function pathsIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

test.for(names)("F2, F6: what %s says and we do not read comes back in harness-tasks.json", (name) => {
  const found = readPlanText(textOf(name), name);
  if (!found.ok) throw new Error(found.failure.message);
  const scene = new Scene([]);
  const place = { mission: "m", branch: "harness/m", root: "/p", limits: Limits.parse({}) };
  scene.send({ type: "plan.adopt", source: name, plan: found.value, ...place });
  const again = readTasksFile(renderTasksFile(scene.state), "harness-tasks.json");
  if (!again.ok) throw new Error(again.failure.message);
  const facts = (plan: typeof found.value) => [
    plan.extra,
    new Map(plan.tasks.map(({ spec, attempts }) => [spec.id, { spec, attempts }])),
  ];
  expect(facts(again.value)).toEqual(facts(found.value));
});
