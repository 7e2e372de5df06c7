import { expect, test } from "vitest";
import { EndReason } from "../../protocol/view.ts";
import { exitOfFailure, exitOfRun } from "./exit-codes.ts";

test("every reason has the exit code that scripts rely on", () => {
  const codes = EndReason.options.map((reason) => [reason, exitOfRun({ started: true, reason, detail: "" })]);
  expect(Object.fromEntries(codes)).toEqual({
    completed: 0,
    batch: 5,
    failed: 11,
    limit: 5,
    budget: 6,
    waiting: 8,
    stopped: 9,
    environment: 10,
    interrupted: 130,
    lost: 1,
    lapsed: 1,
  });
});

test("a run that another one kept from starting is a usage error; a machine that is not fit is not", () => {
  const failure = { kind: "usage", message: "Another harness session is active (pid=1)" } as const;
  expect(exitOfRun({ started: false, failure })).toBe(1);
  expect(exitOfFailure(failure)).toBe(1);
  expect(exitOfFailure({ kind: "env_setup", message: "no git" })).toBe(10);
});

test("commands that nobody accepted wait for a person", () => {
  const failure = { kind: "trust", message: "not accepted yet" } as const;
  expect([exitOfRun({ started: false, failure }), exitOfFailure(failure)]).toEqual([8, 8]);
});
