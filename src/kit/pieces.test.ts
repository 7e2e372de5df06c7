import { expect, test } from "vitest";
import { inPieces } from "./pieces.ts";

test("pieces are the text again, end with a line where they can, and cut no character", () => {
  const lines = "a line of words\n".repeat(100);
  expect(inPieces(lines, 100).join("")).toBe(lines);
  expect(inPieces(lines, 100).every((piece) => piece.endsWith("\n") && piece.length <= 100)).toBe(true);
  const faces = "😀".repeat(50);
  expect(inPieces(faces, 33).join("")).toBe(faces);
  expect(inPieces(faces, 33).every((piece) => piece.length === 32 || piece.length === 4)).toBe(true);
  expect(inPieces("", 10)).toEqual([]);
});
