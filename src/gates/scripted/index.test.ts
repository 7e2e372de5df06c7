import { expect, test } from "vitest";
import { createRedactor } from "../../kit/redact.ts";
import { describeGate } from "../gate.contract.ts";
import { scripted } from "./index.ts";

describeGate("scripted", {
  passing: () => scripted.create({ verdicts: ["pass"] }),
  failing: () => scripted.create({ verdicts: ["fail"] }),
  unable: () => scripted.create({ verdicts: ["unable"] }),
  processes: null,
});

test("verdicts come in order, the last repeats, and an aborted check uses none up", async () => {
  const gate = scripted.create({ verdicts: ["fail", "pass"] });
  const request = { dir: "/", env: {}, announce: async () => true, redactor: createRedactor({ values: [] }) };
  const signals = [new AbortController().signal, AbortSignal.abort(), new AbortController().signal];
  const verdicts = [];
  for (const signal of [...signals, ...signals.slice(2)]) verdicts.push((await gate.check(request, signal)).verdict);
  expect(verdicts).toEqual(["fail", "unable", "pass", "pass"]);
});

test("a gate without verdicts is refused", () => {
  expect(scripted.options.safeParse({ verdicts: [] }).error?.issues.map((issue) => issue.message)).toEqual([
    "must hold at least one of: pass, fail, unable",
  ]);
});
