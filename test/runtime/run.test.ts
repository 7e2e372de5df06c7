import { expect, test } from "vitest";
import type { Driver } from "../../src/drivers/driver.ts";
import { type Failure, failed, succeeded } from "../../src/protocol/failure.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { createMemoryLock, MemoryLockPlace } from "../../src/runtime/lock/memory-lock.ts";
import { openMemoryStore } from "../../src/stores/index.ts";
import { brokenNotifier, identity, never, Stage } from "./stage.ts";

const completed = { started: true, reason: "completed", detail: "" } as const;

test("A4, G2: the gate judges a clean checkout apart from the agent's workspace", async () => {
  const stage = new Stage();
  const mission = await stage.mission();
  expect(await mission.run({ lanes: 1 }, never)).toEqual(completed);
  expect(stage.judged.map(({ dir }) => dir)).toEqual(["/memory/lanes/0/proof"]);
  expect(stage.repository.readAtHead("a.txt")).toBe("work\n");
});

test("C3: a notifier that fails neither stops nor slows a run", async () => {
  const mission = await new Stage().mission({ notifier: brokenNotifier });
  expect(await mission.run({ lanes: 1 }, never)).toEqual(completed);
});

test("J8: a process is journalled before it may act, and ended first when its run is gone", async () => {
  const stage = new Stage();
  const agent = { host: "h", bootId: "b", pid: 42, group: 42, startTime: "9" };
  const acted: string[] = [];
  const dying = new AbortController();
  const driver: Driver = {
    async *run({ announce }, signal) {
      acted.push(`announced ${await announce(agent)}`);
      const types = stage.journal.events.map(({ type }) => type);
      acted.push(`journalled ${types.includes("process.started")}`);
      yield { type: "said", text: "working\n" };
      dying.abort();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "ended", end: { reason: "interrupted" } };
    },
  };
  const first = await stage.mission({ driver: () => succeeded(driver) });
  expect(await first.run({ lanes: 1 }, dying.signal)).toEqual({ started: true, reason: "interrupted", detail: "" });
  const order: string[] = [];
  const { workspaces, processes } = stage.ports();
  const second = await stage.mission({
    processes: { ...processes, endGroup: async ({ pid }, marker) => void order.push(`end ${pid} ${marker}`) },
    workspaces: {
      ...workspaces,
      inspect: (request) => {
        order.push("inspect");
        return workspaces.inspect(request);
      },
    },
  });
  await second.run({ lanes: 1 }, never);
  expect(acted).toEqual(["announced true", "journalled true"]);
  expect(order).toEqual(["end 42 task-001/1/2/agent.run", "inspect"]);
});

test("J9: a repeated command id is answered with the first one's events and changes nothing", async () => {
  const stage = new Stage();
  const mission = await stage.mission();
  const command = { type: "task.add", task: { title: "once" } } as const;
  const first = await mission.submit(command, "the-id");
  const length = stage.journal.events.length;
  expect(await (await stage.mission()).submit(command, "the-id")).toEqual(first);
  expect(stage.journal.events.length).toBe(length);
});

test("an unexpected error of the outside ends the run as an environment fault, and no attempt is charged", async () => {
  const stage = new Stage();
  const { workspaces } = stage.ports();
  const mission = await stage.mission({
    workspaces: { ...workspaces, commit: () => Promise.reject(new Error("EIO: i/o error")) },
  });
  const end = await mission.run({ lanes: 1 }, never);
  expect(end).toEqual({
    started: true,
    reason: "environment",
    detail: "workspace.commit of task-001 could not be done: EIO: i/o error",
  });
  expect(mission.state().tasks.get("task-001")).toMatchObject({ attempts: 0, phase: { status: "pending" } });
});

test("a driver that cannot be had is a failure of the environment, with what to do", async () => {
  const failure = { kind: "config", message: "no agent was chosen", remedy: "choose one" } as const;
  const mission = await new Stage().mission({ driver: () => failed(failure) });
  expect(await mission.run({ lanes: 1 }, never)).toEqual({
    started: true,
    reason: "environment",
    detail: failure.message,
  });
});

test("PR-18, U2: a machine that fills up stops the run at once; the work is kept, not charged, and goes on when there is room", async () => {
  const stage = new Stage();
  const failure = { kind: "machine_full", message: "machine full: 1 MB", remedy: "free some space" } as const;
  let fills: (failure: Failure) => void = () => undefined;
  const hanging: Driver = {
    async *run({ cwd }, signal) {
      stage.repository.write(cwd, "a.txt", "work\n");
      yield { type: "said", text: "wrote it\n" };
      fills(failure);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "ended", end: { reason: "interrupted" } };
    },
  };
  const room = {
    shortage: async () => null,
    watch: (onShort: (short: Failure) => void) => {
      fills = onShort;
      return { close: () => undefined };
    },
  };
  const mission = await stage.mission({ driver: () => succeeded(hanging), room });
  expect(await mission.run({ lanes: 1 }, never)).toEqual({
    started: true,
    reason: "stopped",
    detail: failure.message,
  });
  const faults = stage.journal.events.filter(({ type }) => type === "run.faulted").map((event) => decodeEvent(event));
  expect(faults).toMatchObject([{ type: "run.faulted", task: null, failure }]);
  expect(mission.state().tasks.get("task-001")).toMatchObject({ attempts: 0, phase: { status: "in_progress" } });
  expect(await (await stage.mission()).run({ lanes: 1 }, never)).toEqual(completed);
});

test("a store that cannot be written to ends the run with that error, and the next run goes on", async () => {
  const stage = new Stage();
  const inner = openMemoryStore(stage.journal);
  let writes = 0;
  const store = {
    ...bound(inner),
    transact: (transaction: Parameters<typeof inner.transact>[0]) => {
      writes += 1;
      return writes === 6 ? Promise.reject(new Error("disk full")) : inner.transact(transaction);
    },
  };
  const mission = await stage.mission({ store });
  await expect(mission.run({ lanes: 1 }, never)).rejects.toThrow("disk full");
  expect(await (await stage.mission()).run({ lanes: 1 }, never)).toEqual(completed);
});

test("L1: a run holds the lock while it works and gives it back, also when it is interrupted or its store breaks", async () => {
  const place = new MemoryLockPlace();
  const lock = createMemoryLock(place);
  const stage = new Stage();
  const holders: unknown[] = [];
  const stop = new AbortController();
  const watching = (then: () => void): Driver => ({
    async *run() {
      holders.push(place.holder?.owner);
      then();
      yield { type: "ended", end: { reason: "unfinished", message: "" } };
    },
  });
  const interrupted = await stage.mission({ lock, driver: () => succeeded(watching(() => stop.abort())) });
  expect(await interrupted.run({ lanes: 1 }, stop.signal)).toMatchObject({ reason: "interrupted" });
  expect([holders, place.holder]).toEqual([[identity], null]);
  const broken = { ...bound(openMemoryStore(stage.journal)), transact: () => Promise.reject(new Error("disk full")) };
  const mission = await stage.mission({ lock, store: broken });
  await expect(mission.run({ lanes: 1 }, never)).rejects.toThrow("disk full");
  expect(place.holder).toBe(null);
});

test("L1: while a live process holds the lock no run starts and nothing is recorded", async () => {
  const place = new MemoryLockPlace();
  place.holder = { owner: { ...identity, pid: 9 } };
  const stage = new Stage();
  const mission = await stage.mission({ lock: createMemoryLock(place, { isAlive: async () => true }) });
  const length = stage.journal.events.length;
  expect(await mission.run({ lanes: 1 }, never)).toMatchObject({
    started: false,
    failure: { kind: "usage", message: "Another harness session is active (pid=9)" },
  });
  expect([stage.journal.events.length, place.holder.owner.pid]).toEqual([length, 9]);
});

test("L1: a run whose lock somebody removed goes on; the journal keeps a second one out, which gives its lock back", async () => {
  const place = new MemoryLockPlace();
  const stage = new Stage();
  const alive = { ...stage.ports().processes, isAlive: async () => true };
  const ports = { lock: createMemoryLock(place, alive), processes: alive };
  let second: unknown;
  const cleaned: Driver = {
    async *run({ cwd }) {
      place.holder = null;
      second = await (await stage.mission({ ...ports, lock: createMemoryLock(place, alive) })).run({ lanes: 1 }, never);
      stage.repository.write(cwd, "a.txt", "work\n");
      yield { type: "ended", end: { reason: "finished", message: "done" } };
    },
  };
  const first = await stage.mission({ ...ports, driver: () => succeeded(cleaned) });
  expect(await first.run({ lanes: 1 }, never)).toEqual(completed);
  expect(second).toMatchObject({ started: false, failure: { message: "Another harness session is active (pid=1)" } });
  expect(place.holder).toBe(null);
});

test("L1: a lock that a dead process left is taken over, and the log is told", async () => {
  const place = new MemoryLockPlace();
  place.holder = { owner: { ...identity, pid: 9 } };
  const stage = new Stage();
  const mission = await stage.mission({ lock: createMemoryLock(place) });
  expect(await mission.run({ lanes: 1 }, never)).toEqual(completed);
  const told = stage.journal.events.filter(({ type }) => type === "lock.reclaimed");
  expect(told.map(({ body }) => JSON.parse(body))).toEqual([{ pid: 9 }]);
});

test("PR-15: a secret in an agent's last words does not reach the journal", async () => {
  const stage = new Stage();
  const driver: Driver = {
    async *run() {
      yield { type: "said", text: 'CHECKPOINT step=1/1 "with s3cret-value"\n' };
      yield {
        type: "ended",
        end: { reason: "failed", failure: { kind: "task_exec", message: "s3cret-value", evidence: "s3cret-value" } },
      };
    },
  };
  const mission = await stage.mission({ driver: () => succeeded(driver) });
  await mission.run({ lanes: 1 }, never);
  expect(stage.journal.events.filter(({ body }) => body.includes("s3cret"))).toEqual([]);
});

test("events follows a mission from any position, whichever process appends, until it is told to stop", async () => {
  const stage = new Stage();
  const watcher = await stage.mission();
  const stop = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { position, event } of watcher.events(1, stop.signal)) {
      seen.push(`${position} ${event.type}`);
      if (event.type === "run.ended") stop.abort();
    }
  })();
  await (await stage.mission()).run({ lanes: 1 }, never);
  await watching;
  expect(seen).toEqual(stage.journal.events.slice(1).map(({ position, type }) => `${position} ${type}`));
});

/** A store's methods as plain functions, so that one can be replaced. */
function bound(store: ReturnType<typeof openMemoryStore>) {
  return {
    exclusively: store.exclusively.bind(store),
    read: store.read.bind(store),
    head: store.head.bind(store),
    changed: store.changed.bind(store),
    loadSnapshot: store.loadSnapshot.bind(store),
    saveSnapshot: store.saveSnapshot.bind(store),
    runs: store.runs.bind(store),
    leases: store.leases.bind(store),
    renew: store.renew.bind(store),
    verify: store.verify.bind(store),
    close: store.close.bind(store),
  };
}
