import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Transcript, type TranscriptOptions } from "./transcript.ts";

let home = "";
let printed = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "transcript-"));
  mkdirSync(join(home, "output/t"), { recursive: true });
  printed = "";
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const fileAt = (name: string) => join(home, "output/t", name);
const look = { paint: (_: string, text: string) => text, columns: Number.POSITIVE_INFINITY, isTerminal: false };
const transcript = (more: Partial<TranscriptOptions> = {}) =>
  new Transcript({
    ...{ home, task: "t", from: null, only: false, raw: false, look },
    print: async (text) => {
      printed += text;
    },
    ...more,
  });
const says = (text: string) =>
  `${JSON.stringify({ type: "assistant", message: { id: "m", content: [{ type: "text", text }] } })}\n`;
/** What was printed since the last time. */
const taken = () => {
  const lines = printed;
  printed = "";
  return lines;
};

test("O1: an agent is shown as its driver reads it, other programs as text, each under its name", async () => {
  writeFileSync(fileAt("1-agent-1.claude-code.log"), says("an earlier attempt"));
  writeFileSync(fileAt("2-agent-1.claude-code.log"), says("hello\tyou"));
  writeFileSync(fileAt("2-agent-2.log"), "plain \u001b[2J words\n");
  writeFileSync(fileAt("2-validation.log"), "1 passed");
  await transcript().read({ isLast: true });
  expect(taken().split("\n")).toEqual([
    "── attempt 2, iteration 1",
    "hello\tyou",
    "── attempt 2, iteration 2",
    "plain \\x1b[2J words",
    "── attempt 2, validation",
    "1 passed",
    "",
  ]);
  await transcript({ from: 1, only: true }).read({ isLast: true });
  expect(taken()).toBe("── attempt 1, iteration 1\nan earlier attempt\n");
  await transcript({ from: 7 }).read({ isLast: true });
  expect(taken()).toBe("");
});

test("O1: followed, it goes on with what comes: the rest of a line, a file that was turned over, the next attempt", async () => {
  const following = transcript();
  await following.read({ isLast: false });
  expect([taken(), following.isEmpty]).toEqual(["", true]);
  const first = fileAt("1-agent-1.claude-code.log");
  const [begin, rest] = [says("one").slice(0, 30), says("one").slice(30)];
  appendFileSync(first, begin);
  await following.read({ isLast: false });
  expect(taken()).toBe("");
  appendFileSync(first, rest + says("two"));
  await following.read({ isLast: false });
  expect(taken()).toBe("── attempt 1, iteration 1\none\ntwo\n");
  appendFileSync(first, says("three"));
  renameSync(first, `${first}.1`);
  writeFileSync(first, says("four"));
  await following.read({ isLast: false });
  expect(taken()).toBe("three\nfour\n");
  writeFileSync(fileAt("2-agent-1.claude-code.log"), says("again"));
  await following.read({ isLast: true });
  expect([taken(), following.isEmpty]).toEqual(["── attempt 2, iteration 1\nagain\n", false]);
});

test("O1: raw, what agents printed comes as it is, and on a terminal it cannot act there", async () => {
  const all = `${says("ünï")}\u001b[2J garbage\n{"half":`;
  writeFileSync(fileAt("1-agent-1.claude-code.log"), all);
  writeFileSync(fileAt("1-validation.log"), "checked\n");
  await transcript({ raw: true }).read({ isLast: true });
  expect(taken()).toBe(all);
  await transcript({ raw: true, look: { ...look, isTerminal: true } }).read({ isLast: true });
  expect(taken()).toBe(all.replace("\u001b", "\\x1b"));
});

test("O1: garbage, half a line and a line longer than any are passed over; what comes after them is shown", async () => {
  const endless = `{"type":"assistant","x":"${"x".repeat(20_000_000)}"}\n`;
  writeFileSync(
    fileAt("1-agent-1.claude-code.log"),
    `ext":"cut at the front"}\n{"type":7}\n\0\n${endless}${says("after")}{"ty`,
  );
  await transcript().read({ isLast: true });
  expect(taken().split("\n")).toEqual([
    "── attempt 1, iteration 1",
    '| ext":"cut at the front"}',
    "| \\x00",
    "after",
    "",
  ]);
});

test("O1: nothing more is read while what was printed is not taken", async () => {
  writeFileSync(fileAt("1-agent-1.claude-code.log"), says("x".repeat(1_000)).repeat(1_000));
  let [atOnce, most] = [0, 0];
  const print = async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
  };
  await transcript({ print }).read({ isLast: true });
  expect(most).toBe(1);
});
