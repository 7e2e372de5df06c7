import { expect, test } from "vitest";
import { requestedValidation } from "./validation-flags.ts";

const present = { command: "make test", timeoutMs: 9_000, quick: "make lint" };

test("A3: what no flag names stays as it is, or has its default", () => {
  expect(requestedValidation({ validate: "x" }, null)).toEqual({
    ok: true,
    value: { command: "x", timeoutMs: 300_000, quick: null },
  });
  expect(requestedValidation({ timeout: 5 }, present)).toEqual({ ok: true, value: { ...present, timeoutMs: 5_000 } });
  expect(requestedValidation({ validate: "y", quick: "" }, present)).toEqual({
    ok: true,
    value: { command: "y", timeoutMs: 9_000, quick: null },
  });
  expect(requestedValidation({ validate: "" }, present)).toEqual({ ok: true, value: null });
});

test.each([{ timeout: 5 }, { quick: "x" }, { validate: "", quick: "x" }])(
  "%j without a validation is refused",
  (flags) => {
    expect(requestedValidation(flags, null)).toMatchObject({ ok: false, failure: { kind: "usage" } });
  },
);
