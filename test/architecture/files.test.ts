// Files stay small and are named for what they do.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { filesUnder, modules, root } from "./modules.ts";

const maxCodeLines = 400;
const maxTestLines = 600;
const medianBelow = 130;
const namesThatSayNothing = ["utils", "helpers", "common", "misc", "manager", "service", "handler"];

const tests = filesUnder("test").filter((path) => path.endsWith(".ts"));
const sizes = [
  ...modules.map(({ path, lineCount, isTest }) => ({ path, lineCount, limit: isTest ? maxTestLines : maxCodeLines })),
  ...tests.map((path) => ({ path, lineCount: linesOf(path), limit: maxTestLines })),
];

test(`no source file above ${maxCodeLines} lines, no test above ${maxTestLines}`, () => {
  const tooLong = sizes.filter(({ lineCount, limit }) => lineCount > limit);
  expect(tooLong.map(({ path, lineCount, limit }) => `${path}: ${lineCount} lines, limit ${limit}`)).toEqual([]);
});

test(`the median source file has fewer than ${medianBelow} lines`, () => {
  const lines = modules.filter(({ isTest }) => !isTest).map(({ lineCount }) => lineCount);
  const median = lines.sort((a, b) => a - b)[Math.floor(lines.length / 2)] ?? 0;
  console.log(`${lines.length} source files, median ${median} lines, longest ${lines.at(-1) ?? 0}`);
  expect(median).toBeLessThan(medianBelow);
});

test("no file or folder is named for nothing in particular", () => {
  const vague = [...filesUnder("src"), ...filesUnder("test"), ...filesUnder("scripts")].filter((path) =>
    path.split("/").some((part) => part.split(/[.-]/).some((word) => namesThatSayNothing.includes(word))),
  );
  expect(vague).toEqual([]);
});

test("file names are kebab-case", () => {
  const odd = [...modules.map(({ path }) => path), ...tests].filter((path) => !/^[a-z0-9.-]+$/.test(basename(path)));
  expect(odd).toEqual([]);
});

function linesOf(path: string): number {
  return readFileSync(join(root, path), "utf8").trimEnd().split("\n").length;
}
