import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTranscript } from "./transcript.ts";

const recordings = join(import.meta.dirname, "recordings");
const read = (name: string) => readFileSync(join(recordings, name), "utf8").trimEnd().split("\n");
const call = (name: string, input: unknown) =>
  JSON.stringify({ type: "assistant", message: { id: "m", content: [{ type: "tool_use", id: "c", name, input }] } });

test("B2, O1: a recorded stream is read back: what it said, called and got, and its end with turns, tokens and cost", () => {
  expect(read("works.ndjson").flatMap(readTranscript)).toEqual([
    {
      type: "began",
      session: expect.any(String),
      model: "claude-opus-5-5",
      version: "2.1.325",
      permissions: "bypassPermissions",
    },
    { type: "said", text: "I will write the file.\n" },
    { type: "called", call: "toolu_mock_1_0", tool: "Write", about: "hello.txt", input: expect.any(String) },
    { type: "changed", removed: "", added: "hello\n" },
    { type: "answered", call: "toolu_mock_1_0", ok: true, text: expect.stringContaining("File created") },
    {
      type: "called",
      call: "toolu_mock_2_0",
      tool: "Bash",
      about: "cat hello.txt && echo yes > ran.txt",
      input: expect.any(String),
    },
    { type: "answered", call: "toolu_mock_2_0", ok: true, text: "hello" },
    { type: "said", text: "All done.\nTASK_COMPLETE\n" },
    {
      type: "concluded",
      ok: true,
      message: "",
      account: {
        turns: 3,
        tokens: { input: 6_530, cached: 10_300, output: 82 },
        cost: { basis: "reported", usd: 0.03512 },
      },
    },
  ]);
});

test("O1: each recording ends with its conclusion, unless it was cut, and one that went badly says why", () => {
  const last = (name: string) => read(name).flatMap(readTranscript).at(-1);
  const cut = readdirSync(recordings).filter((name) => last(name)?.type !== "concluded");
  expect(cut).toEqual([]);
  expect(last("usage-limit.ndjson")).toMatchObject({ ok: false, message: expect.stringContaining("hit your limit") });
});

test("O1: what a call changes is told where the call says it", () => {
  const changes = (name: string, input: unknown) => readTranscript(call(name, input)).slice(1);
  const changed = (removed: string, added: string) => ({ type: "changed", removed, added });
  const edit = { old_string: "a", new_string: "b" };
  expect([
    changes("Edit", { file_path: "f", ...edit }),
    changes("MultiEdit", { file_path: "f", edits: [edit, { old_string: "c", new_string: "" }] }),
    changes("Write", { file_path: "f", content: "new\n" }),
    changes("NotebookEdit", { notebook_path: "f", new_source: "x" }),
    changes("Edit", { file_path: "f", old_string: 7, new_string: [] }),
    changes("Bash", { command: "x", content: "no change" }),
    changes("Write", null),
  ]).toEqual([
    [changed("a", "b")],
    [changed("a", "b"), changed("c", "")],
    [changed("", "new\n")],
    [changed("", "x")],
    [],
    [],
    [],
  ]);
});

test.for([
  ["", []],
  ["{", []],
  ['{"type":"assistant","message":{"id":"m","content":[{"type":"tex', []],
  ['{"type":"assistant"}', []],
  ['{"type":"assistant","message":{"id":7,"content":"x"}}', []],
  ['{"type":"system","subtype":"hook_started"}', []],
  ['{"type":"user","message":{"content":"plain"}}', []],
  ["null", [{ type: "printed", text: "null" }]],
  ["npm warn", [{ type: "printed", text: "npm warn" }]],
  [`${"[".repeat(100_000)}`, [{ type: "printed", text: "[".repeat(4_096) }]],
] as const)("O1: a line that is none of the stream is passed over or shown as it is: %.40s", ([line, events]) => {
  expect(readTranscript(line)).toEqual(events);
});
