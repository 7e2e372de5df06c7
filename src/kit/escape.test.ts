import fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine } from "./escape.ts";

test.for([
  ["a\r\nb\tc", "a\\r\\nb\\tc"],
  ["\x1b]0;title\x07\x9b31m\x7f\0", "\\x1b]0;title\\x07\\x9b31m\\x7f\\x00"],
  ["\u202eevil\u2066\u200b\ufeff\u2028", "\\u202eevil\\u2066\\u200b\\ufeff\\u2028"],
  ["\ud800x\u{e0041}", "\\ud800x\\u{e0041}"],
  ["Grüße, 世界 😀 – a\\b", "Grüße, 世界 😀 – a\\b"],
])("%j is shown as one plain line", ([text, expected]) => {
  expect(oneLine(text ?? "")).toBe(expected);
});

test("a longer text is cut with a mark, never inside a character or an escape", () => {
  expect([oneLine("abcdef", 6), oneLine("abcdefg", 6), oneLine("abc😀xyz", 5), oneLine("abc\x1bxyz", 6)]).toEqual([
    "abcdef",
    "abcde…",
    "abc…",
    "abc…",
  ]);
});

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\n", "\r", "\x1b", "\u202e", "\u2069", "\u200d", "\ud83d", "\udc00", "\\", "\0", "x1b", "😀"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
  maxLength: 60,
});

test("any text becomes one line of printable characters within its limit, and stays as it is when done again", () => {
  fc.assert(
    fc.property(hostile, fc.nat({ max: 80 }), (text, max) => {
      const line = oneLine(text, max);
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Surrogate}]/u);
      expect(line.length).toBeLessThanOrEqual(max);
      expect(oneLine(line, max)).toBe(line);
    }),
  );
});

test("PR-17: no control or format character of Unicode is left", () => {
  const all = Array.from({ length: 0x11_0000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff);
  const isLeft = (code: number) => /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(oneLine(String.fromCodePoint(code)));
  expect(all.filter(isLeft)).toEqual([]);
});
