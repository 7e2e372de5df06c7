import { expect, test } from "vitest";
import type { AgentEvent } from "../protocol/agent.ts";
import { keepsFailing, noCalls, seeCall } from "./failing-call.ts";

interface Made {
  readonly input?: string;
  readonly ok?: boolean;
  readonly text?: string;
}
const events = (calls: readonly Made[]): readonly AgentEvent[] =>
  calls.flatMap(({ input = "npm test", ok = false, text = "exit 1" }, n) => [
    { type: "called", call: `c${n}`, tool: "Bash", about: input, input },
    { type: "answered", call: `c${n}`, ok, text },
  ]);
const said = (calls: readonly Made[]): string | null => keepsFailing(events(calls).reduce(seeCall, noCalls));

test("B4: the fourth time in a row that the same call fails in the same way is one too many", () => {
  expect([said([{}, {}, {}]), said([{}, {}, {}, {}])]).toEqual([
    null,
    "the same call failed 4 times in a row: Bash npm test: exit 1",
  ]);
});

test("B4: what differs each time does not make another failure of it", () => {
  const times = [1, 2, 3, 4].map((n) => ({ text: `1 red in ${n} ms\n` }));
  expect(said(times)).toBe("the same call failed 4 times in a row: Bash npm test: 1 red in 4 ms");
});

test.for<[string, Made]>([
  ["another call", { input: "npm run build" }],
  ["another error", { text: "exit 2" }],
  ["a call that went well", { ok: true }],
])("B4: %s in between begins anew", ([, between]) => {
  expect([said([{}, {}, {}, between, {}, {}, {}]), said([{}, {}, {}, between, {}, {}, {}, {}]) === null]).toEqual([
    null,
    false,
  ]);
});

test("B4: calls that are under way together are told apart, and an answer to none says nothing", () => {
  const both: readonly AgentEvent[] = ["a", "b"].map((call) => ({
    ...{ type: "called", call, tool: "Bash" },
    about: call,
    input: call,
  }));
  const answer = (call: string): AgentEvent => ({ type: "answered", call, ok: false, text: "no" });
  const seen = [...both, answer("b"), answer("a"), answer("a")].reduce(seeCall, noCalls);
  expect(seen).toEqual({ open: new Map(), failing: null });
});

test("what is never answered is not kept for ever", () => {
  const many = Array.from(
    { length: 1_000 },
    (_, n): AgentEvent => ({
      ...{ type: "called", call: `c${n}`, tool: "Read" },
      about: "",
      input: "",
    }),
  );
  expect(many.reduce(seeCall, noCalls).open.size).toBe(100);
});
