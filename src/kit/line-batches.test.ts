import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineBatches } from "./line-batches.ts";

test("whole lines come together, the unfinished one waits", () => {
  const batches = createLineBatches(100);
  expect([batches.push("a\nb\nc"), batches.push("d\n"), batches.push("e"), batches.flush()]).toEqual([
    ["a\nb\n"],
    ["cd\n"],
    [],
    ["e"],
  ]);
});

test("an endless line comes in pieces, without cutting a character", () => {
  const batches = createLineBatches(3);
  expect([batches.push("ab😀cdef"), batches.flush()]).toEqual([["ab", "😀c"], ["def"]]);
});

test("nothing is lost, no entry is too long, and lines within the limit stay whole", () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "\n", "😀"), maxLength: 12 }), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 2, max: 10 }), (parts, max) => {
      const batches = createLineBatches(max);
      const entries = [...parts.flatMap((part) => batches.push(part)), ...batches.flush()];
      expect(entries.join("")).toBe(parts.join(""));
      expect(entries.filter((entry) => entry.length > max || entry === "" || /^\p{Surrogate}/u.test(entry))).toEqual(
        [],
      );
      const short = (text: string) => text.split("\n").filter((line) => line !== "" && line.length < max);
      const lines = new Set(entries.flatMap((entry) => entry.split("\n")));
      expect(short(parts.join("")).filter((line) => !lines.has(line))).toEqual([]);
    }),
  );
});
