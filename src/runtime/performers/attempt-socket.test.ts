import { expect, test } from "vitest";
import { react } from "../../core/decide/decide.ts";
import { emptyState } from "../../core/empty-state.ts";
import type { State } from "../../core/state.ts";
import { createRedactor } from "../../kit/redact.ts";
import type { Event, Recorded } from "../../protocol/event.ts";
import { succeeded } from "../../protocol/failure.ts";
import type { Asked } from "../../protocol/input.ts";
import { Limits } from "../../protocol/task.ts";
import type { Told } from "../../protocol/told.ts";
import { answerAgent } from "./attempt-socket.ts";
import type { PerformingKind } from "./performing.ts";

const canary = "c4n4ry-5ecret";
const owner = { host: "h", bootId: "b", pid: 7, group: 7, startTime: "1" };
const commit = "a".repeat(40);

/** A run whose agent is at work, with the core behind it. */
function atWork() {
  const state: State = emptyState();
  const events: Event[] = [];
  const ask = (asked: Asked): readonly Recorded[] => {
    const made = react(state, { ...asked, at: 1 });
    events.push(...made);
    return made.map((event) => ({ ...event, at: 1 }));
  };
  ask({ type: "mission.create", mission: "m", branch: "b", root: "/p", limits: Limits.parse({}) });
  ask({ type: "task.add", task: { title: "A", validation: { command: "true" } } });
  const usual = {
    worker: "w",
    claims: null,
    leaseSeconds: null,
    gone: [],
    removedStale: null,
    initScript: false,
  } as const;
  const trust = { projectHash: null, trust: { how: "none" }, untrusted: null } as const;
  ask({ type: "run.start", run: "r", owner, lanes: 1, ...usual, ...trust });
  const pending = () => [...state.pending.values()][0]?.effect as PerformingKind<"agent.run">["effect"];
  const { id, run, fence } = pending();
  ask({ type: "effect.answer", id, run, fence, answer: { kind: "workspace.opened", path: "/w", base: commit } });
  const effect = pending();
  const stop = new AbortController();
  const of = { run: effect.run, id: effect.id, fence: effect.fence };
  const answer = answerAgent({
    effect,
    state,
    signal: stop.signal,
    ports: {
      workspaces: { inspect: async () => succeeded({ tree: "t", uncommitted: false, commits: false }) },
      redactor: createRedactor({ values: [canary] }),
    } as unknown as PerformingKind<"agent.run">["ports"],
    checkpoint: async (checkpoint) => {
      ask({ type: "agent.checkpoint", ...of, checkpoint });
      return succeeded(undefined);
    },
    tell: async (told: Told) => succeeded(ask({ type: "agent.tell", ...of, told })),
  });
  const say = async (request: unknown) =>
    JSON.parse(await answer(typeof request === "string" ? request : JSON.stringify(request)));
  return { say, stop, events, state };
}

test("MCP3, A2: a checkpoint by tool is a checkpoint, with the tree of the workspace and without secrets", async () => {
  const { say, events } = atWork();
  expect(await say({ verb: "checkpoint", step: 1, total: 2, description: `with ${canary}` })).toEqual({
    ok: true,
    view: null,
    said: "Step 1 of 2 is marked.",
  });
  expect(events.at(-1)).toEqual({
    type: "agent.checkpointed",
    task: "task-001",
    attempt: 1,
    checkpoint: { step: 1, total: 2, description: "with [redacted]", tree: "t" },
  });
});

test("MCP7: what is refused ten thousand times leaves nothing in the journal", async () => {
  const { say, events } = atWork();
  for (let n = 0; n < 3; n++) await say({ verb: "ask_human", question: `q${n}` });
  const before = events.length;
  for (let n = 0; n < 10_000; n++) await say({ verb: "ask_human", question: `more ${n}` });
  expect([events.length - before, await say({ verb: "ask_human", question: "again" })]).toEqual([
    0,
    { ok: false, error: "ask_human was used 3 times in this attempt: that is all" },
  ]);
});

test("MCP7: so many checkpoints and no more", async () => {
  const { say, state } = atWork();
  for (let n = 0; n < 1_100; n++) await say({ verb: "checkpoint", step: n, total: 2_000, description: "" });
  expect(state.counts.checkpoints).toBe(1_000);
});

test("MCP6, SEC: a command that holds a secret is not proposed", async () => {
  const { say, state } = atWork();
  expect(await say({ verb: "add_task", title: "B", command: `curl ${canary}` })).toEqual({
    ok: false,
    error: "the command holds what looks like a secret: propose one without it",
  });
  expect(state.approvals.size).toBe(0);
});

test.each([
  ["garbage", "that is no request: one line of JSON is"],
  [{ verb: "approve", name: "x" }, "an agent can ask for checkpoint, status and its tools only, in their form"],
  [{ verb: "note", text: "x", fence: 9 }, "an agent can ask for checkpoint, status and its tools only, in their form"],
  [{ verb: "note", text: "x".repeat(2_001) }, "text: Too big: expected string to have <=2000 characters"],
  [
    { verb: "checkpoint", task: "task-002", step: 1, total: 2, description: "" },
    "task-002 is not the task of this attempt",
  ],
] as const)("MCP2: refused with the reason, and nothing is recorded: %j", async (request, error) => {
  const { say, events } = atWork();
  const before = events.length;
  expect([await say(request), events.length - before]).toEqual([{ ok: false, error }, 0]);
});

test("MCP2: an attempt that is being stopped takes nothing more", async () => {
  const { say, stop, events } = atWork();
  const before = events.length;
  stop.abort();
  expect([await say({ verb: "note", text: "x" }), events.length - before]).toEqual([
    { ok: false, error: "this attempt is being stopped" },
    0,
  ]);
});
