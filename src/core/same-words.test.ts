import { expect, test } from "vitest";
import { sameWords } from "./same-words.ts";

test.for<readonly [string, string]>([
  ["ok in 12 ms", "ok in 0.3s"],
  ["at 2026-01-02T03:04:05.678Z", "at 2027-11-12 13:14:15"],
  ["09:10:11 red", "23:59:59.123 red"],
  ["open /tmp/a-1/x.js: not found", "open /tmp/b-2/y/z.js: not found"],
  ["open /private/var/folders/ab/T/x: no", "open /var/tmp/q: no"],
  ["pid 4711 on port 51234", "pid 99999 on port 40000"],
  ["at 0x7ffe12 commit deadbeef1", "at 0x1 commit 0123456789"],
  ["a  b\n", "a b "],
  ["\u001b[31mred\u001b[0m", "\u001b[91mred\u001b[0m"],
])("B4: %j and %j say the same", ([a, b]) => {
  expect(sameWords(a, b)).toBe(true);
});

test.for<readonly [string, string]>([
  ["3 tests are red", "7 tests are red"],
  ["exit 1", "exit 2"],
  ["a.ts:12 is wrong", "a.ts:13 is wrong"],
  ["expected feature", "expected failure"],
  ["open src/tmp.js", "open src/temp.js"],
])("B4: %j and %j do not", ([a, b]) => {
  expect(sameWords(a, b)).toBe(false);
});
