import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance, nearest } from "./nearest.ts";

test("CFG: distances count letters put in, taken out or replaced", () => {
  const pairs = [
    ["", ""],
    ["", "abc"],
    ["abc", "abc"],
    ["kitten", "sitting"],
    ["lanes", "lane"],
  ] as const;
  expect(pairs.map(([from, to]) => editDistance(from, to))).toEqual([0, 3, 0, 3, 1]);
});

test("CFG: a distance is the same both ways, 0 only for equal texts, and never longer than a detour", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
    }),
  );
});

test("CFG: the nearest name is found past case and dashes; a far one is not guessed", () => {
  const names = ["lanes", "limits", "maxCostUsd"];
  expect(
    ["Lane", "limts", "max-cost-usd", "MAXCOSTEUR", "zebra", "", "x".repeat(10_000)].map((key) => nearest(key, names)),
  ).toEqual(["lanes", "limits", "maxCostUsd", "maxCostUsd", null, null, null]);
});
