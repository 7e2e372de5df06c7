// A run that waits for its agent, with a clock that goes where the test wants it to.
import { expect, test } from "vitest";
import type { Driver } from "../../src/drivers/driver.ts";
import type { AgentEnd } from "../../src/protocol/agent.ts";
import type { EventType } from "../../src/protocol/event.ts";
import { succeeded } from "../../src/protocol/failure.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import type { Mission } from "../../src/runtime/mission.ts";
import type { Ports, SignalFiles } from "../../src/runtime/ports.ts";
import { never, Stage } from "./stage.ts";

const hour = 3_600_000;
const margin = 10_000;

/** Nothing in it goes by itself. */
class TestClock implements Clock {
  #now = 1_000_000_000_000;
  #monotonic = 1_000;
  readonly #beats = new Set<() => void>();
  now(): number {
    return this.#now;
  }
  monotonic(): number {
    return this.#monotonic;
  }
  every(_: number, beat: () => void): { stop(): void } {
    this.#beats.add(beat);
    return { stop: () => void this.#beats.delete(beat) };
  }
  /** How many are waiting for their time. */
  get sleepers(): number {
    return this.#beats.size;
  }
  pass(milliseconds: number, wall = milliseconds): void {
    this.#monotonic += milliseconds;
    this.#now += wall;
    for (const beat of [...this.#beats]) beat();
  }
}

/** An agent that ends as it is told, the last end again and again. */
const ending = (
  stage: Stage,
  ends: readonly AgentEnd[],
): { readonly driver: Driver; readonly starts: () => number } => {
  let starts = 0;
  return {
    starts: () => starts,
    driver: {
      async *run(request, signal) {
        starts += 1;
        const end = ends[Math.min(starts, ends.length) - 1];
        if (end === undefined) yield* stage.writer("a.txt").run(request, signal);
        else yield { type: "ended", end };
      },
    },
  };
};

const settle = () => new Promise((resolve) => setImmediate(resolve));
async function asleep(clock: TestClock): Promise<void> {
  while (clock.sleepers === 0) await settle();
}

async function told(mission: Mission, type: EventType): Promise<void> {
  for await (const { event } of mission.events(0, never)) if (event.type === type) return;
}

const limited = (until: number | null): AgentEnd => ({ reason: "limited", until, message: "all used up" });

async function waiting(until: (clock: TestClock) => number | null, parts: Partial<Ports> = {}) {
  const stage = new Stage();
  const clock = new TestClock();
  const agent = ending(stage, [limited(until(clock)), undefined as never]);
  const mission = await stage.mission({ clock, driver: () => succeeded(agent.driver), ...parts });
  const interrupt = new AbortController();
  const run = mission.run({ lanes: 1 }, interrupt.signal);
  await asleep(clock);
  return { stage, clock, agent, mission, run, interrupt };
}

test("E: a limit two hours ahead is waited for to the millisecond, and then the work is done", async () => {
  const { clock, agent, run, mission } = await waiting((clock) => clock.now() + 2 * hour);
  clock.pass(2 * hour + margin - 1);
  await settle();
  expect([agent.starts(), clock.sleepers]).toEqual([1, 1]);
  clock.pass(1);
  expect(await run).toEqual({ started: true, reason: "completed", detail: "" });
  expect([agent.starts(), clock.sleepers]).toEqual([2, 0]);
  expect(mission.state().tasks.get("task-001")).toMatchObject({ attempts: 1, claims: 1, interruptions: 0 });
});

test("PR-19: a wall clock that goes back a year does not prolong the wait", async () => {
  const { clock, agent, run } = await waiting((clock) => clock.now() + 2 * hour);
  clock.pass(0, -365 * 24 * hour);
  clock.pass(2 * hour + margin - 1);
  await settle();
  expect([agent.starts(), clock.sleepers]).toEqual([1, 1]);
  clock.pass(1);
  expect(clock.sleepers).toBe(0);
  expect(await run).toMatchObject({ reason: "completed" });
});

test("PR-19: what passed while the machine slept counts", async () => {
  const { clock, run } = await waiting((clock) => clock.now() + 2 * hour);
  clock.pass(1_000, 3 * hour);
  expect(await run).toMatchObject({ reason: "completed" });
});

test("E: an interrupt ends the wait at once; the next run waits for what is left, and one that comes late for nothing", async () => {
  const { stage, clock, agent, run, interrupt } = await waiting((clock) => clock.now() + 2 * hour);
  clock.pass(hour);
  interrupt.abort();
  expect(await run).toEqual({ started: true, reason: "interrupted", detail: "" });
  expect(clock.sleepers).toBe(0);

  const again = await stage.mission({ clock, driver: () => succeeded(agent.driver) });
  const second = new AbortController();
  const next = again.run({ lanes: 1 }, second.signal);
  await asleep(clock);
  expect(agent.starts()).toBe(1);
  second.abort();
  await next;

  clock.pass(hour + margin);
  const late = await stage.mission({ clock, driver: () => succeeded(agent.driver) });
  expect(await late.run({ lanes: 1 }, never)).toMatchObject({ reason: "completed" });
  expect(agent.starts()).toBe(2);
  expect(late.state().tasks.get("task-001")).toMatchObject({ attempts: 1, claims: 1, interruptions: 0 });
});

test("S2: one batch does not stay for a limit, and says until when", async () => {
  const stage = new Stage();
  const clock = new TestClock();
  const agent = ending(stage, [limited(clock.now() + hour)]);
  const mission = await stage.mission({ clock, agent: "claude-code", driver: () => succeeded(agent.driver) });
  expect(await mission.run({ lanes: 1, once: true }, never)).toEqual({
    started: true,
    reason: "batch",
    detail: "waiting until 2001-09-09T02:46:50.000Z for claude-code (a usage limit)",
  });
});

test("K6: a reset does not wait", async () => {
  const { clock, run, mission, interrupt } = await waiting(() => null);
  await mission.submit({ type: "task.reset", tasks: ["task-001"] });
  await told(mission, "task.returned");
  expect(mission.state().tasks.get("task-001")).toMatchObject({ attempts: 0 });
  interrupt.abort();
  await run;
  expect(clock.sleepers).toBe(0);
});

test("C2: a stop that another process asks for ends a run that only waits", async () => {
  const { stage, clock, run } = await waiting((clock) => clock.now() + hour);
  const other = await stage.mission({ clock });
  await other.submit({ type: "mission.stop", now: false });
  expect(await run).toMatchObject({ reason: "stopped" });
  expect(clock.sleepers).toBe(0);
});

test("C2: so does one that a file asks for", async () => {
  let stop: () => void = () => undefined;
  const signals: SignalFiles = {
    watch: (on) => {
      stop = on.stop;
      return { close: () => undefined };
    },
    clear: async () => undefined,
  };
  const { clock, run } = await waiting((clock) => clock.now() + hour, { signals });
  stop();
  expect(await run).toMatchObject({ reason: "stopped" });
  expect(clock.sleepers).toBe(0);
});

test("E: a connection that stays lost ends the run when there is no patience left, and the next one goes on at once", async () => {
  const stage = new Stage();
  const clock = new TestClock();
  const lost: AgentEnd = { reason: "failed", failure: { kind: "network", message: "no route", remedy: "plug it in" } };
  const agent = ending(stage, [...Array.from({ length: 21 }, () => lost), undefined as never]);
  const mission = await stage.mission({ clock, driver: () => succeeded(agent.driver) });
  let end: unknown = null;
  const run = mission.run({ lanes: 1 }, never).then((ended) => {
    end = ended;
  });
  while (end === null) {
    await settle();
    if (clock.sleepers > 0) clock.pass(600_000);
  }
  await run;
  expect([end, agent.starts()]).toEqual([
    { started: true, reason: "environment", detail: "waited 20 times in vain, 75 minutes in all: no route" },
    21,
  ]);
  const next = await stage.mission({ clock, driver: () => succeeded(agent.driver) });
  expect(await next.run({ lanes: 1 }, never)).toMatchObject({ reason: "completed" });
  expect(next.state().tasks.get("task-001")).toMatchObject({ attempts: 1, claims: 1, interruptions: 0 });
});
