// The layer table of layers.ts holds for every import, and nothing imports itself in a circle.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasRow, violation } from "./layers.ts";
import { moduleFloor, modules, root } from "./modules.ts";

const paths = new Set(modules.map((module) => module.path));

test("the reader saw a plausible number of modules and imports", () => {
  expect(modules.length).toBeGreaterThan(moduleFloor);
  expect(modules.flatMap((module) => module.imports).length).toBeGreaterThan(moduleFloor);
});

test("every file belongs to a row of the layer table", () => {
  expect([...paths].filter((path) => !hasRow(path))).toEqual([]);
});

test("every import is allowed by the layer table", () => {
  const violations = modules.flatMap((module) =>
    module.imports.flatMap((imported) => {
      const reason = violation(module, imported, (path) => paths.has(path));
      return reason ? [`${module.path}:${imported.line} ${reason}`] : [];
    }),
  );
  expect(violations).toEqual([]);
});

test("no cycles, nothing unresolved, no development package in the product", () => {
  const { summary, modules: cruised } = cruise();
  const violations = summary.violations.map(({ rule, from, to, cycle }) => {
    const through = cycle?.map((step) => step.name) ?? [to];
    return `${rule.name}: ${[from, ...through].join(" → ")}`;
  });
  expect(violations).toEqual([]);
  // With a TypeScript it cannot use, dependency-cruiser reports success over no modules at all.
  expect(cruised.filter(({ source }) => source.startsWith("src/")).length).toBeGreaterThan(moduleFloor);
});

interface Cruise {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly violations: readonly {
      readonly rule: { readonly name: string };
      readonly from: string;
      readonly to: string;
      readonly cycle?: readonly { readonly name: string }[];
    }[];
  };
}

function cruise(): Cruise {
  const command = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [command, "src", "--config", ".dependency-cruiser.cjs", "--output-type", "json"];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 }));
}
