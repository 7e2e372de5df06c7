import { expect, test } from "vitest";
import { summariserText } from "../../src/core/summary.ts";
import type { AgentRequest, Driver } from "../../src/drivers/driver.ts";
import type { Account } from "../../src/protocol/account.ts";
import type { AgentEnd, AgentEvent } from "../../src/protocol/agent.ts";
import type { EventOf } from "../../src/protocol/event.ts";
import { succeeded } from "../../src/protocol/failure.ts";
import type { Models } from "../../src/protocol/role.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { Stage } from "./stage.ts";

const never = new AbortController().signal;
const account = (usd: number | null, tokens = 10): Account => ({
  turns: 1,
  tokens: { input: tokens, cached: 0, output: 1 },
  cost: usd === null ? { basis: "unknown" } : { basis: "reported", usd },
});
const more: AgentEnd = { reason: "unfinished", message: "more to do", account: account(0.1) };
const summary: AgentEnd = { reason: "finished", message: "half is done; s3cret-value fails", account: account(0.02) };
const models: Models = { summariser: { model: "small" } };

interface Agent {
  readonly first?: (request: AgentRequest, stage: Stage) => Iterable<AgentEvent>;
  readonly end?: AgentEnd;
  readonly sums?: AgentEnd;
  readonly models?: Models;
  readonly sumsUp?: true | undefined;
  readonly maxCostUsd?: number;
}

/** Which roles were played, what they were told, what was charged, and what the second iteration was given. */
async function live({ first, end = more, sums = summary, ...given }: Agent) {
  const stage = new Stage();
  const played: AgentRequest[] = [];
  const driver: Driver = {
    ...("sumsUp" in given ? {} : { sumsUp: true as const }),
    async *run(request) {
      played.push(request);
      if (request.role.name === "summariser") {
        yield { type: "ended", end: sums };
      } else if (request.iteration === 1) {
        yield { type: "said", text: "I look at s3cret-value\n" };
        yield { type: "called", call: "1", tool: "Bash", about: "make all", input: "" };
        yield { type: "answered", call: "1", ok: false, text: "no rule" };
        for (const event of first?.(request, stage) ?? []) yield event;
        yield { type: "ended", end };
      } else {
        yield { type: "ended", end: { reason: "finished", message: "done", account: account(0.3) } };
      }
    },
  };
  const mission = await stage.mission({ driver: () => succeeded(driver), models: given.models ?? models });
  const budget =
    given.maxCostUsd === undefined
      ? undefined
      : { from: "flags" as const, anew: true, nanoUsd: given.maxCostUsd * 1e9 };
  await mission.run({ lanes: 1, once: true, budget }, never);
  const events = stage.journal.events.map((event) => decodeEvent(event));
  const ended = (type: "iteration.ended") =>
    events.filter((event): event is EventOf<typeof type> & { at: number } => event.type === type);
  return {
    roles: played.map(({ role }) => [role.name, role.model]),
    played,
    accounts: ended("iteration.ended").map(({ end: { account: told } }) => told),
    second: played.at(-1)?.brief ?? "",
    log: JSON.stringify(events),
    status: mission.state().tasks.get("task-001")?.phase.status,
  };
}

test("I6: what an iteration left unsaid is summed up by the configured model, without tools or secrets, charged to it, and told to the next", async () => {
  const { roles, played, accounts, second, log, status } = await live({});
  expect(roles).toEqual([
    ["worker", undefined],
    ["summariser", "small"],
    ["worker", undefined],
  ]);
  const { role, brief, tools, record, words } = played[1] as AgentRequest;
  expect([role.text, brief, tools, record, words]).toEqual([
    summariserText,
    "The task: t\n\nThe record:\n\n    I look at [redacted]\n    > Bash make all\n    < error: no rule\n    ",
    undefined,
    undefined,
    undefined,
  ]);
  expect(accounts[0]).toEqual({
    turns: 2,
    tokens: { input: 20, cached: 0, output: 2 },
    cost: { basis: "reported", usd: 0.12 },
  });
  expect(second).toContain(
    "Summed up by another model from the end of its session:\n    half is done; [redacted] fails",
  );
  expect([log.includes("s3cret-value"), status]).toEqual([false, "completed"]);
});

const handsOver = ({ cwd }: AgentRequest, { repository }: Stage): Iterable<AgentEvent> => {
  repository.write(cwd, "state/handoff.json", '{"next_step":"the rest"}');
  return [];
};

test.for<[string, Agent]>([
  ["nobody configured one", { models: {} }],
  ["the driver cannot", { sumsUp: undefined }],
  ["the agent left a handoff itself", { first: handsOver }],
  ["it claims to be finished", { end: { reason: "finished", message: "done" } }],
  ["nothing is left of what it may cost", { maxCostUsd: 0.5, end: { ...more, account: account(0.5) } }],
  ["nobody knows what it cost", { maxCostUsd: 0.5, end: { ...more, account: account(null) } }],
])("I6, B2: there is no summary where %s", async ([, agent]) => {
  const { roles } = await live(agent);
  expect(roles.filter(([name]) => name === "summariser")).toEqual([]);
});

test("I6, B2: a summary gets what its iteration has left of its budget, and no more", async () => {
  const { played } = await live({ maxCostUsd: 0.5 });
  expect(played[1]?.budgetUsd).toBeCloseTo(0.4, 9);
});

test("I6: a summary that fails is told, and changes nothing but what was used", async () => {
  const failure = { kind: "overloaded", message: "too busy" } as const;
  const { accounts, log, second, status } = await live({ sums: { reason: "failed", failure } });
  expect(accounts[0]?.cost).toEqual({ basis: "unknown" });
  expect([log.includes("the summary"), log.includes("too busy"), second.includes("RESUMED"), status]).toEqual([
    true,
    true,
    false,
    "completed",
  ]);
});
