import { expect, test } from "vitest";
import type { AgentRequest, Driver } from "../../src/drivers/driver.ts";
import type { AgentEvent } from "../../src/protocol/agent.ts";
import type { EventOf } from "../../src/protocol/event.ts";
import { succeeded } from "../../src/protocol/failure.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { createMemoryWorkspaces } from "../../src/workspaces/index.ts";
import { Stage } from "./stage.ts";

const never = new AbortController().signal;

/** The end of every iteration, and how often the workspace was looked at. */
async function live(stage: Stage, driver: Driver) {
  let looks = 0;
  const inner = createMemoryWorkspaces(stage.repository);
  const inspect: typeof inner.inspect = (request) => {
    looks += 1;
    return inner.inspect(request);
  };
  const mission = await stage.mission({ driver: () => succeeded(driver), workspaces: { ...inner, inspect } });
  const ran = await mission.run({ lanes: 1, once: true }, never);
  const ended = stage.journal.events
    .map((event) => decodeEvent(event))
    .filter((event): event is EventOf<"iteration.ended"> & { at: number } => event.type === "iteration.ended");
  return { ran, ended, looks, task: mission.state().tasks.get("task-001") };
}

/** Fails until it is stopped, and tells then what it used. */
const failing: Driver = {
  async *run(_: AgentRequest, signal: AbortSignal): AsyncIterable<AgentEvent> {
    for (let n = 1; !signal.aborted; n++) {
      if (n > 100) throw new Error("nobody stopped it");
      yield { type: "called", call: `c${n}`, tool: "Bash", about: "make", input: "make" };
      yield { type: "answered", call: `c${n}`, ok: false, text: `no rule for s3cret-value after ${n} ms` };
    }
    const account = { turns: 4, tokens: { input: 1, cached: 0, output: 1 }, cost: { basis: "unknown" } } as const;
    yield { type: "ended", end: { reason: "interrupted", account } };
  },
};

test("B4: an agent whose call fails for the fourth time is stopped then and there, with its account, and without secrets", async () => {
  const { ended, task } = await live(new Stage(), failing);
  expect(ended.map(({ end }) => end)).toEqual(
    [1, 2].map(() => ({
      reason: "unfinished",
      because: "repeating",
      message: "the same call failed 4 times in a row: Bash make: no rule for [redacted] after 4 ms",
      account: { turns: 4, tokens: { input: 1, cached: 0, output: 1 }, cost: { basis: "unknown" } },
    })),
  );
  expect([task?.attempts, task?.failures.map(({ kind }) => kind)]).toEqual([1, ["stuck"]]);
});

test("B4: an agent that comes to its own end while it is stopped has that one", async () => {
  const quick: Driver = {
    async *run(request, signal) {
      for await (const event of failing.run(request, signal))
        yield event.type === "ended" ? { type: "ended", end: { reason: "finished", message: "done" } } : event;
    },
  };
  expect((await live(new Stage(), quick)).ended.map(({ end }) => end.reason)).toEqual(["finished"]);
});

test("B4: the files are looked at once where another iteration may follow, and not where none does", async () => {
  let n = 0;
  const idle: Driver = {
    async *run() {
      n += 1;
      yield { type: "ended", end: { reason: "unfinished", message: `more ${n}` } };
    },
  };
  const { ended, looks, task } = await live(new Stage(), idle);
  expect([ended.length, looks, new Set(ended.map(({ stood }) => stood?.tree)).size]).toEqual([3, 3, 1]);
  expect(task?.failures.map(({ kind }) => kind)).toEqual(["stuck"]);
  const stage = new Stage();
  const done = await live(stage, stage.writer("a.txt"));
  expect([done.looks, done.ended.map(({ stood }) => stood)]).toEqual([0, [undefined]]);
});
