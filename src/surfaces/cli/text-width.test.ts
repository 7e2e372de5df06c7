import { expect, test } from "vitest";
import { fit, textWidth } from "./text-width.ts";

test("wide characters take two columns, marks none", () => {
  expect(["abc", "é", "日本", "e\u0301", "👍", "👩‍👩‍👧", "…", ""].map(textWidth)).toEqual([3, 1, 4, 1, 2, 2, 1, 0]);
});

test("a text that fits is left alone; a cut leaves a mark and never half a character", () => {
  expect(fit("lane 0", 6)).toBe("lane 0");
  expect(fit("lane 0 task", 6)).toBe("lane …");
  expect(fit("日本語", 4)).toBe("日…");
  expect(fit("👩‍👩‍👧👩‍👩‍👧", 3)).toBe("👩‍👩‍👧…");
  expect(fit("ab", 1)).toBe("…");
  expect(fit("ab", 0)).toBe("");
});

test("whatever is cut is never wider than asked for", () => {
  for (let columns = 0; columns < 12; columns++) {
    expect(textWidth(fit("a日b本e\u0301👍c", columns))).toBeLessThanOrEqual(columns);
  }
});
