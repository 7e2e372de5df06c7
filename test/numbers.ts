// Numbers a test wants published beside the promises it shows (see scripts/promises.mjs).
import { appendFileSync } from "node:fs";

export function recordNumbers(promises: readonly string[], what: string): void {
  const file = process.env.HARNESS_NUMBERS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ promises, what })}\n`);
  console.log(what);
}
