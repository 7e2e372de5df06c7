import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identifyProcess } from "../../kit/process-identity.ts";
import { createRedactor } from "../../kit/redact.ts";
import { describeGate } from "../gate.contract.ts";
import { command } from "./index.ts";

const gate = (line: string, timeoutMs = 60_000) => command.create({ command: line, timeoutMs });

describeGate("command", {
  passing: () => gate("echo fine"),
  failing: () => gate("exit 1"),
  unable: () => gate("no-such-program --all"),
  processes: {
    acting: () => gate("touch acted"),
    hanging: () => gate("sleep 1000 & echo $$ $! > told; mv told pids; wait"),
    flooding: () => gate("head -c 20000000 /dev/zero | tr '\\0' a"),
  },
});

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "command-gate-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? "" };
const redactor = createRedactor({ values: ["correct horse"] });
const check = (line: string, timeoutMs?: number, more: Record<string, string> = {}) =>
  gate(line, timeoutMs).check(
    { dir, env: { ...env, ...more }, announce: async () => true, redactor },
    new AbortController().signal,
  );

test("exit 0 passes with the output as evidence, in the given directory", async () => {
  expect(await check("pwd; echo warning >&2")).toEqual({
    verdict: "pass",
    evidence: expect.stringMatching(new RegExp(`^(${dir}\nwarning|warning\n${dir})\n$`)),
  });
});

test.for([
  ["echo 1 failed; exit 2", "validation exited with 2: echo 1 failed; exit 2", { evidence: "1 failed\n" }],
  ["kill -SEGV $$", "validation was ended by SIGSEGV: kill -SEGV $$", {}],
  ["true\nfalse", "validation exited with 1: true\\nfalse", {}],
  ["sh -c 'exit 127'", "validation exited with 127: sh -c 'exit 127'", {}],
] as const)("%j fails with what it said", async ([line, message, evidence]) => {
  expect(await check(line)).toEqual({ verdict: "fail", failure: { kind: "test_fail", message, ...evidence } });
});

test.for([
  ["and so on the base: the environment lacks it", "no-such-tool-inside", "unable"],
  ["but not on the base: the work broke it", "test -f base.txt || no-such-tool-inside", "fail"],
] as const)("A3: 127 from inside, %s", async ([, line, verdict]) => {
  const base = await mkdtemp(join(dir, "base-"));
  await writeFile(join(base, "base.txt"), "");
  const request = { dir, env, announce: async () => true, redactor, base: async () => base };
  const judged = await gate(`true && { ${line}; }`).check(request, new AbortController().signal);
  expect(judged).toMatchObject({ verdict, failure: { kind: verdict === "fail" ? "test_fail" : "env_setup" } });
});

test("A3: 127 without a base to compare with counts against the work", async () => {
  expect(await check("true; no-such-tool-inside")).toMatchObject({ verdict: "fail", failure: { kind: "test_fail" } });
});

test("past its limit it fails with kind timeout, and its whole group is gone", async () => {
  expect(await check("sleep 1000 & echo $$ $! > pids; echo busy; wait", 3_000)).toEqual({
    verdict: "fail",
    failure: {
      kind: "timeout",
      message: "validation took longer than 3000 ms: sleep 1000 & echo $$ $! > pids; echo busy; wait",
      evidence: "busy\n",
    },
  });
  const pids = (await readFile(join(dir, "pids"), "utf8")).trim().split(" ").map(Number);
  expect(await Promise.all(pids.map(identifyProcess))).toEqual([null, null]);
});

test.for(["no-such-program", "  no-such-program && true", "A=1 B= no-such-program x", "no-such-program;true"])(
  "%j is unable, naming the word that was not found",
  async (line) => {
    expect(await check(line)).toEqual({
      verdict: "unable",
      failure: {
        kind: "env_setup",
        message: `"no-such-program" was not found, which the validation starts with: ${line}`,
        remedy: "install no-such-program, or see that it is on the PATH the validation is given",
      },
    });
  },
);

test.for([
  "cd . && true",
  "FOO=1 sh -c 'test $FOO = 1'",
  "if true; then true; fi",
  "set -e; true",
  "( true )",
  "{ true; }",
  "! false",
  "[ 1 = 1 ]",
  "/bin/sh -c true",
  '"true"',
  "$(echo true)",
  "X=$(echo a b) true",
  "PATH=/bin:/usr/bin true",
  "# a comment\ntrue",
  "helper() { true; }; helper",
  "helper () { true; }; helper",
  "FOO=1",
])("%j is left to the shell, and passes", async (line) => {
  expect(await check(line)).toEqual({ verdict: "pass", evidence: "" });
});

test("a program that only the assigned PATH would find is not called missing", async () => {
  expect(await check("PATH=/nowhere no-such-program")).toEqual({
    verdict: "fail",
    failure: expect.objectContaining({ message: "validation exited with 127: PATH=/nowhere no-such-program" }),
  });
});

test.for(["", " \n\t"])("an empty command (%j) is unable, as a matter of configuration", async (line) => {
  expect(await check(line)).toEqual({
    verdict: "unable",
    failure: { kind: "config", message: "the validation command is empty", remedy: "give the task a command" },
  });
});

test("PR-15: what the redactor knows comes out neither as evidence nor with the command", async () => {
  expect(await check("echo $DB_PASSWORD", undefined, { DB_PASSWORD: "correct horse" })).toEqual({
    verdict: "pass",
    evidence: "[redacted]\n",
  });
  expect(await check("test -z 'correct horse'")).toEqual({
    verdict: "fail",
    failure: { kind: "test_fail", message: "validation exited with 1: test -z '[redacted]'" },
  });
});
