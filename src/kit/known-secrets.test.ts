import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createUserRedactor, projectSecrets, secretsInText, userSecrets } from "./known-secrets.ts";

test.for([
  ["an .env", "export API_KEY=abc\nDB_PASSWORD='d e f'\nMODE=test\n", ["abc", "d e f"]],
  ["an .npmrc", "//registry.example.org/:_authToken=tok\nregistry=https://example.org\n", ["tok"]],
  ["a .netrc", "machine host login me password pass\n", ["pass"]],
  ["credentials of git", "https://me:p%40ss@host\n", ["p%40ss", "p@ss"]],
  ["JSON", '{"accessToken": "a1", "name": "n", "auth": "b2"}', ["a1", "b2"]],
  ["YAML", "github.com:\n    oauth_token: gho\n    user: me\n", ["gho"]],
  ["a remote", '[remote "origin"]\n\turl = https://me:word@host/x.git\n', ["word", "word"]],
] as const)("SEC: what is secret in %s is known", ([, text, secrets]) => {
  expect(secretsInText(text)).toEqual(secrets);
});

function folder(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), "harness-secrets-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

test("SEC: variables by name, passwords in their addresses, and files of the home are the user's; missing ones say nothing", () => {
  const HOME = folder({ ".npmrc": "_authToken=from-home\n" });
  const env = { HOME, MY_TOKEN: "from-name", DATABASE_URL: "postgres://u:from-url@host", PLAIN: "x" };
  expect([...new Set(userSecrets(env))]).toEqual(["from-name", "from-url", "from-home"]);
});

test("SEC: what is shared with workspaces is read as well; nothing too large or no file", () => {
  const root = folder({
    ".env": "A_TOKEN=one\n",
    "dev.env": "B_TOKEN=two\n",
    ".npmrc": `A_TOKEN=${"x".repeat(300_000)}`,
  });
  expect(projectSecrets(root, ["dev.env", "."])).toEqual(["one", "two"]);
});

test("SEC: a project's file cannot make our own words unreadable", () => {
  const root = folder({ ".env": "A_TOKEN=completed\nB_TOKEN=k3y-0f-a-service\n" });
  const { redact } = createUserRedactor({ HOME: root }, () => root);
  expect(redact("completed with k3y-0f-a-service")).toBe("completed with [redacted]");
});
