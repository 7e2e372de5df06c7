import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { identifyProcess } from "./process-identity.ts";
import { processLines } from "./process-lines.ts";

const options = (command: string) => ({
  argv: ["/bin/sh", "-c", command] as const,
  cwd: tmpdir(),
  env: { PATH: process.env.PATH ?? "" },
  announce: async () => true,
});
const asTheyAre = <T>(lines: T): T => lines;

test("whole lines are yielded as they come, then the end is returned", async () => {
  const lines = processLines(options("printf 'one\\ntw'; printf 'o' >&2; exit 2"), asTheyAre);
  expect([await lines.next(), await lines.next(), await lines.next(), await lines.next()]).toEqual([
    { done: false, value: { text: "one\n", stream: "stdout" } },
    { done: false, value: { text: "tw", stream: "stdout" } },
    { done: false, value: { text: "o", stream: "stderr" } },
    { done: true, value: expect.objectContaining({ end: "exited", code: 2 }) },
  ]);
});

test("a flood is passed on whole, in pieces of a bounded size", async () => {
  let length = 0;
  let longest = 0;
  const pieces = processLines(options("head -c 20000000 /dev/zero"), ({ text }) => text.length);
  for await (const size of pieces) {
    length += size;
    longest = Math.max(longest, size);
  }
  expect([length, longest]).toEqual([20_000_000, 65_536]);
});

test("leaving early ends the program, however much it still had to say", async () => {
  let pid = 0;
  for await (const text of processLines(options("echo $$; exec yes"), (lines) => lines.text)) {
    pid = Number.parseInt(text, 10);
    break;
  }
  expect(await identifyProcess(pid)).toBeNull();
});

test("a failed announcement is thrown to the reader", async () => {
  const announce = () => Promise.reject(new Error("no journal"));
  await expect(processLines({ ...options("true"), announce }, asTheyAre).next()).rejects.toThrow("no journal");
});
