import { expect, test } from "vitest";
import { handoffFields, readHandoff } from "./handoff.ts";

const whole = {
  phase: "Phase 2",
  completed: ["a", "b"],
  next_step: "c",
  critical_files: ["src/x.ts"],
  memory_notes: "short",
};
const none = { phase: "", completed: [], nextStep: "", criticalFiles: [], notes: "" };

test("I5: a handoff is read with all its keys, and shown with the same", () => {
  const { handoff, problems } = readHandoff(JSON.stringify({ ...whole, unknown: { deep: 1 } }));
  expect(problems).toEqual([]);
  expect(handoff && handoffFields(handoff)).toEqual(whole);
});

test.for(Object.keys(whole))("I5: without %s the other keys count", (key) => {
  const { [key]: _, ...rest } = whole as Record<string, unknown>;
  expect(readHandoff(JSON.stringify(rest))).toEqual({
    handoff: { ...readHandoff(JSON.stringify(whole)).handoff, ...pickEmpty(key) },
    problems: [],
  });
  expect(readHandoff(JSON.stringify({ ...whole, [key]: null })).problems).toEqual([]);
});

const pickEmpty = (key: string): object =>
  ({
    phase: { phase: "" },
    completed: { completed: [] },
    next_step: { nextStep: "" },
    critical_files: { criticalFiles: [] },
    memory_notes: { notes: "" },
  })[key] ?? {};

test("I5: a key of a wrong kind costs only itself, and is named", () => {
  expect(readHandoff('{"phase": 7, "completed": [1], "next_step": ["a", "b"], "memory_notes": {}}')).toEqual({
    handoff: { ...none, nextStep: "a\nb" },
    problems: [
      "phase must be a text",
      "completed must be a text or a list of texts",
      "memory_notes must be a text or a list of texts",
    ],
  });
});

test.for([
  ["", "line 1:1: "],
  ['{"phase": "x"', "line 1:14: "],
  ['{"phase": "a", "phase": "b"}', "line 1:16: "],
  ["[]", "it is no JSON object"],
  ["null", "it is no JSON object"],
  ["{}", "none of its keys is filled: "],
  ['{"__proto__": {"phase": "x"}}', "line 1:2: "],
  ["[".repeat(100_000), "line 1:101: "],
])("I5: %j is no handoff, and is said to be none", ([text = "", start = ""]) => {
  const { handoff, problems } = readHandoff(text);
  expect(handoff).toBe(null);
  expect(problems[0]?.startsWith(start) ? start : problems[0]).toBe(start);
});

test("I5: what is too long is cut, never through a character, and named", () => {
  const { handoff, problems } = readHandoff(
    JSON.stringify({ phase: `${"x".repeat(199)}😀`, completed: Array(60).fill("y".repeat(600)) }),
  );
  expect(handoff).toEqual({ ...none, phase: "x".repeat(199), completed: Array(50).fill("y".repeat(500)) });
  expect(problems).toEqual([
    "phase is longer than 200 characters: cut",
    "completed holds more than 50 entries of 500 characters: cut",
  ]);
});
