// Writes what a test run showed into its part of PROMISES.md: which passing tests carry each promise, and the numbers.
//
// Tests name promises by id (`PR-5`) and rules by theirs; numbers come from `recordNumbers` in test/numbers.ts.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = join(import.meta.dirname, "../PROMISES.md");

/** `command` names the part. */
export function writePromises(results, command) {
  const [begin, end] = ["begin", "end"].map((edge) => `<!-- written by ${command}: ${edge} -->`);
  const text = readFileSync(file, "utf8");
  const [before, after] = [text.split(begin)[0], text.split(end)[1]];
  const titles = [...text.matchAll(/^\| (PR-\d+) \| ([^|]+)/gm)].map(([, id]) => id);
  const tests = passedTests(results);
  const numbers = recordedNumbers(join(results, "numbers.ndjson"));
  const sections = [...new Set(titles)].map((id) => section(id, tests, numbers)).filter((part) => part !== "");
  writeFileSync(file, `${before}${begin}\n\n${sections.join("\n\n")}\n\n${end}${after}`);
}

function section(id, tests, numbers) {
  const named = new RegExp(`\\b${id}\\b`);
  const shown = tests.filter(({ title }) => named.test(title)).map(({ title, path }) => `- ${path}: ${title}`);
  const counted = numbers.filter(({ promises }) => promises.includes(id)).map(({ what }) => `- **${what}**`);
  return shown.length === 0 ? "" : `### ${id}\n\n${[...counted, ...shown].join("\n")}`;
}

function passedTests(results) {
  const root = `${process.cwd()}/`;
  return readdirSync(results)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => JSON.parse(readFileSync(join(results, name), "utf8")).testResults ?? [])
    .flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === "passed")
        .map(({ title }) => ({ title: title.replaceAll(/[|<>]/g, " "), path: name.replace(root, "") })),
    )
    .sort((a, b) => (a.path + a.title < b.path + b.title ? -1 : 1));
}

/** Sorted: suites run side by side, and which came first is nobody's concern. */
function recordedNumbers(path) {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .sort((a, b) => (a.what < b.what ? -1 : 1));
}
