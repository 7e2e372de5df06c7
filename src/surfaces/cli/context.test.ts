import { expect, test } from "vitest";
import { quotedLines } from "./context.ts";

test("T: commands are shown whole, each on its own line, and cannot act on the terminal", () => {
  const long = "x".repeat(10_000);
  expect(quotedLines(`rm -rf .\r\u001b[2K\n${long}\n`)).toBe(`    rm -rf .\\r\\x1b[2K\n    ${long}`);
});
