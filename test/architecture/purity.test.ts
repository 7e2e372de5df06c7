// core/ decides without the world; only surfaces/ touch the process they run in.

import ts from "typescript";
import { expect, test } from "vitest";
import { type Module, modules, place, walk } from "./modules.ts";
import { usesOfAsync, usesOfGlobals, usesOfMembers } from "./names-in-scope.ts";

const code = modules.filter((module) => !module.isTest);

const world = [
  "Date",
  "console",
  "crypto",
  "fetch",
  "globalThis",
  "performance",
  "process",
  "setInterval",
  "setTimeout",
];
const signals = ["process.on", "process.once", "process.addListener"];

test("core/ is synchronous and knows no clock, chance, console or process", () => {
  const core = inFolder("src/core/");
  expect(core.length).toBeGreaterThan(0);
  expect(
    core.flatMap((module) => [
      ...usesOfAsync(module),
      ...usesOfGlobals(module, world),
      ...usesOfMembers(module, ["Math.random"]),
      ...module.imports.filter(isNode).map(({ line, specifier }) => `${module.path}:${line} ${specifier}`),
    ]),
  ).toEqual([]);
});

test("nothing below surfaces/ prints, exits, handles signals or has a working directory", () => {
  const below = code.filter((module) => !module.path.startsWith("src/surfaces/"));
  expect(
    below.flatMap((module) => [
      ...usesOfGlobals(module, ["console"]),
      ...usesOfMembers(module, [...signals, "process.exit", "process.cwd", "process.chdir"]),
    ]),
  ).toEqual([]);
});

test("src/ has no default export", () => {
  expect(modules.flatMap(defaultExports)).toEqual([]);
});

function inFolder(folder: string): Module[] {
  return code.filter((module) => module.path.startsWith(folder));
}

function isNode(imported: { readonly specifier: string }): boolean {
  return imported.specifier.startsWith("node:");
}

function defaultExports(module: Module): string[] {
  const found: string[] = [];
  walk(module.source, (node) => {
    const isDefault =
      ts.isExportAssignment(node) ||
      node.kind === ts.SyntaxKind.DefaultKeyword ||
      (ts.isExportSpecifier(node) && node.name.text === "default");
    if (isDefault) found.push(place(module, node));
  });
  return found;
}
