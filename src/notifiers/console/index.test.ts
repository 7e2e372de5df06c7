import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { describeNotifier } from "../notifier.contract.ts";
import { createConsoleNotifier } from "./index.ts";

describeNotifier("console", () => createConsoleNotifier(new PassThrough().resume()));

test("each notification is one line, whatever its text tries", async () => {
  const stream = new PassThrough({ encoding: "utf8" });
  const notifier = createConsoleNotifier(stream);
  await notifier.send({ kind: "failed", text: "task-001\nfailed: \x1b[2Jtask-002" });
  await notifier.send({ kind: "done", text: "x".repeat(10_000) });
  expect(stream.read()).toBe(`failed: task-001\\nfailed: \\x1b[2Jtask-002\ndone: ${"x".repeat(4_095)}…\n`);
});

test("a stream that fails is a rejection, for the caller to pass over", async () => {
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
  broken.on("error", () => undefined);
  await expect(createConsoleNotifier(broken).send({ kind: "done", text: "x" })).rejects.toThrow("EPIPE");
});
