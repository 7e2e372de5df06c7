import { readFileSync, rmSync, statSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { writeBugReport } from "./bug-report.ts";

test("PR-15: a report has what mends the bug and none of the secrets, for this user's eyes only", () => {
  const error = new Error("it broke with hunter2-hunter2");
  const argv = ["node", "cli.js", "run", "--agent-command", "agent --key hunter2-hunter2"];
  const path = writeBugReport(error, { version: "1.2.3", argv, env: { MY_API_TOKEN: "hunter2-hunter2" } });
  onTestFinished(() => rmSync(path));
  const text = readFileSync(path, "utf8");
  expect(text).toContain("harness 1.2.3");
  expect(text).toContain("bug-report.test.ts");
  expect(text).toContain('"--agent-command","agent --key [redacted]"');
  expect(text).not.toContain("hunter2");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
