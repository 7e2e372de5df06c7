import { expect, test } from "vitest";
import { inspectPlan } from "./inspect-plan.ts";
import { validateCases, wrongCases } from "./validate-cases.ts";

test("every built-in case comes out as planned", () => {
  expect(wrongCases(inspectPlan)).toEqual([]);
});

test("the cases would notice a validation that accepts, or refuses, everything", () => {
  const blind = wrongCases((_text, file) => ({ file, tasks: 0, errors: [], warnings: [] }));
  const sour = wrongCases((_text, file) => ({ file, tasks: 0, errors: ["no"], warnings: [] }));
  const bad = validateCases.filter(({ error }) => error !== null).length;
  expect([blind.length, sour.length]).toEqual([bad, validateCases.length]);
});
