import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { lockContention, lockReclaimed, sessionActive } from "../../protocol/lock.ts";
import { type Context, quotedLines, refuse } from "./context.ts";

test("T: commands are shown whole, each on its own line, and cannot act on the terminal", () => {
  const long = "x".repeat(10_000);
  expect(quotedLines(`rm -rf .\r\u001b[2K\n${long}\n`)).toBe(`    rm -rf .\\r\\x1b[2K\n    ${long}`);
});

test("L1: refusals of the lock keep the form that scripts look for; all others say what could not be done", () => {
  const stderr = new PassThrough({ encoding: "utf8" });
  const context = { stderr, env: {} } as unknown as Context;
  const refusals = [sessionActive(7, "wait for it"), lockContention, lockReclaimed];
  const others = [{ kind: "usage", message: "the plan has no tasks" }] as const;
  const exits = [...refusals, ...others].map((failure) => refuse(context, "cannot run", failure));
  expect(exits).toEqual([1, 1, 1, 1]);
  expect(String(stderr.read()).split("\n")).toEqual([
    "ERROR: Another harness session is active (pid=7)",
    "  next: wait for it",
    "ERROR: Lock contention",
    "  next: somebody took the lock just now: try again",
    "ERROR: Another agent reclaimed the lock",
    "  next: somebody took the lock just now: try again",
    "error: cannot run – the plan has no tasks",
    "",
  ]);
});
