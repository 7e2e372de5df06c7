// Task data never reaches a shell by accident: few files start processes, none through a shell of Node's.
import ts from "typescript";
import { expect, test } from "vitest";
import { modules, place, walk } from "./modules.ts";

const code = modules.filter((module) => !module.isTest && !module.path.endsWith(".contract.ts"));

/** Each takes a program and a list of arguments. A new one is a decision: it belongs into kit/ or git/, or is wrong. */
const starters = [
  "src/git/git.ts",
  "src/kit/guardian.ts",
  "src/kit/process-table.ts",
  "src/kit/standard-streams.ts",
  "src/kit/start-gate.ts",
  // This program itself, without its terminal.
  "src/surfaces/cli/background.ts",
  "src/surfaces/cli/demo-place.ts",
  // The user's own shell, in their terminal.
  "src/surfaces/cli/open.ts",
];

const starts = ({ specifier }: { readonly specifier: string }): boolean => /^(node:)?child_process$/.test(specifier);

test("PR-16: only a few known files start processes", () => {
  const importing = code.filter(({ imports }) => imports.some((imported) => !imported.isTypeOnly && starts(imported)));
  expect(importing.map(({ path }) => path)).toEqual(starters);
});

test("PR-16: nothing asks Node for a shell: neither exec nor the option", () => {
  const found: string[] = [];
  for (const module of code) {
    if (!module.imports.some(starts)) continue;
    walk(module.source, (node) => {
      const isExec = ts.isIdentifier(node) && ["exec", "execSync"].includes(node.text);
      // `/…/.exec(text)` is a regular expression's.
      if (isExec && !ts.isPropertyAccessExpression(node.parent)) found.push(place(module, node));
      const named = ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node);
      if (named && ts.isIdentifier(node.name) && node.name.text === "shell") found.push(place(module, node));
    });
  }
  expect(found).toEqual([]);
});

test("PR-16, PR-12: git is started by one file", () => {
  const naming = code.filter(({ source, path }) => {
    let names = false;
    walk(source, (node) => {
      const called = ts.isCallExpression(node) && node.arguments[0];
      if (called && ts.isStringLiteralLike(called) && called.text === "git")
        names ||= /spawn|exec/i.test(node.expression.getText(source));
    });
    return names && path !== "src/surfaces/cli/demo-place.ts";
  });
  expect(naming.map(({ path }) => path)).toEqual(["src/git/git.ts"]);
});
