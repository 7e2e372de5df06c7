// A bug of ours ends the program with 70 and a report, not with a stack on the screen.
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject } from "./project.ts";

test.each([
  ["thrown in a command", "process.stdout.write = () => { throw new TypeError('injected'); };"],
  [
    "thrown outside of it",
    "process.stdout.write = () => { setImmediate(() => { throw new TypeError('injected'); }); };",
  ],
])("a bug %s is reported", async (_, injected) => {
  const project = createTestProject();
  await project.must("init", "--yes");
  const temporary = join(project.place, "tmp");
  mkdirSync(temporary);
  Object.assign(project.env, {
    TMPDIR: temporary,
    MY_TOKEN: "hunter2-hunter2",
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(injected)}`,
  });
  const end = await project.harness("add", "uses hunter2-hunter2", "--validate", "true");
  expect(end.code).toBe(70);
  expect(end.stderr).toMatch(/^error: a bug in Harness – injected\n {2}next: report it with \S+;/);
  expect(end.stderr).not.toMatch(/ {4}at /);
  const report = /report it with (\S+);/.exec(end.stderr)?.[1] ?? "";
  expect(report.startsWith(temporary)).toBe(true);
  const text = readFileSync(report, "utf8");
  expect(text).toContain("TypeError: injected\n    at ");
  expect(text).toContain('"uses [redacted]"');
  expect(statSync(report).mode & 0o777).toBe(0o600);
});
