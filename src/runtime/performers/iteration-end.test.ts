import { expect, test } from "vitest";
import { remedies } from "../../core/remedies.ts";
import type { AgentEnd, AgentTrouble } from "../../protocol/agent.ts";
import { IterationEnd } from "../../protocol/agent.ts";
import { iterationEnd } from "./iteration-end.ts";

const account = {
  turns: 1,
  tokens: { input: 1, cached: 2, output: 3 },
  cost: { basis: "reported", usd: 0.5 },
} as const;
const troubled = (kind: AgentTrouble): AgentEnd => ({
  reason: "failed",
  failure: { kind, message: "it failed", remedy: "mend it" },
  account,
});

test.for<[AgentTrouble, string, boolean]>([
  ["billing", "ask", false],
  ["output_overflow", "retry", true],
  ["refused", "retry", true],
  ["tools_denied", "stop-run", false],
])("E: %s is kept as a failure of a kind whose remedy is %s, charged: %s", ([kind, next, charge]) => {
  const end = iterationEnd(troubled(kind), { chance: 0.5 });
  expect(IterationEnd.parse(end)).toEqual(end);
  expect(end).toEqual({
    reason: "failed",
    failure: { kind: expect.any(String), message: "it failed", remedy: "mend it" },
    account,
  });
  expect(end?.reason === "failed" && remedies[end.failure.kind]).toEqual({ charge, next });
});

test.for([
  ["context_overflow", { because: "overflow" }],
  ["turns_used_up", {}],
  ["budget_used_up", {}],
] as const)("E: %s gets a fresh context, and says %o", ([kind, because]) => {
  expect(iterationEnd(troubled(kind), { chance: 0.5 })).toEqual({
    reason: "unfinished",
    message: "it failed",
    ...because,
    account,
  });
});

test.for([1_900_000_000_000, null])("E: a limit of the provider is to be waited for, until %s", (until) => {
  const quiet = [{ from: 1, to: 2 }];
  const end = iterationEnd({ reason: "limited", until, message: "all used\nup", account }, { chance: 0.5, quiet });
  expect(IterationEnd.parse(end)).toEqual(end);
  expect(end).toEqual({
    reason: "delayed",
    failure: {
      kind: "usage_limit",
      message: "the agent has reached a limit of its provider: all used\\nup",
      remedy: "see the limits of your account, or choose another agent; then: harness run",
    },
    until,
    chance: 0.5,
    quiet,
    account,
  });
});

test.for(["overloaded", "rate_limited", "network"] as const)(
  "E: %s is to be waited for, nobody says until when",
  (kind) => {
    const failure = { kind, message: "it failed", remedy: "mend it" };
    const end = iterationEnd({ reason: "failed", failure, account }, { chance: 0.25 });
    expect(IterationEnd.parse(end)).toEqual(end);
    expect(end).toEqual({ reason: "delayed", failure, until: null, chance: 0.25, account });
  },
);

test("E, I3: a stall is kept as a timeout, one of empty ends as going in circles; of a lost agent only its workspace can tell", () => {
  expect(iterationEnd({ reason: "stalled", message: "it said nothing" }, { chance: 0 })).toEqual({
    reason: "failed",
    failure: { kind: "timeout", message: "it said nothing" },
  });
  expect(iterationEnd({ reason: "stalled", message: "it ended without a word", empty: true }, { chance: 0 })).toEqual({
    reason: "failed",
    failure: { kind: "stuck", message: "it ended without a word" },
  });
  expect(iterationEnd({ reason: "lost", message: "it is gone" }, { chance: 0 })).toBe(null);
});

test("what the journal knows is kept as it is", () => {
  const ends: AgentEnd[] = [
    { reason: "finished", message: "done", account },
    { reason: "unfinished", message: "more" },
    { reason: "interrupted" },
    { reason: "failed", failure: { kind: "auth", message: "log in" } },
  ];
  expect(ends.map((end) => iterationEnd(end, { chance: 0 }))).toEqual(ends);
});
