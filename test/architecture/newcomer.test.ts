// The README promises a path through the code that one can walk in an hour.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./modules.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("the newcomer's path of the README has at most 12 files with under 1,500 lines together", () => {
  const section = read("README.md").split("## Read the code")[1]?.split("\n## ")[0] ?? "";
  const files = [...section.matchAll(/^\d+\. \[([^\]]+)\]/gm)].map(([, file]) => file ?? "");
  expect(files.length).toBeGreaterThan(8);
  expect(files.length).toBeLessThanOrEqual(12);
  const lines = files.map((file) => read(file).trimEnd().split("\n").length).reduce((sum, count) => sum + count, 0);
  console.log(`${files.length} files, ${lines} lines`);
  expect(lines).toBeLessThan(1_500);
});

test("ARCHITECTURE.md stays within 200 lines", () => {
  expect(read("ARCHITECTURE.md").trimEnd().split("\n").length).toBeLessThanOrEqual(200);
});
