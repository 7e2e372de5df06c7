// The real ports' doubles, each call of which waits for its turn: before it acts, and before its caller hears of it.

import type { Gate } from "../../src/gates/gate.ts";
import { createRedactor } from "../../src/kit/redact.ts";
import { failed, type Outcome, succeeded } from "../../src/protocol/failure.ts";
import type { Verdict } from "../../src/protocol/gate.ts";
import { Setup } from "../../src/protocol/setup.ts";
import { socketVariable } from "../../src/protocol/socket-place.ts";
import { createMemoryLock } from "../../src/runtime/lock/memory-lock.ts";
import type { Lock, Ports } from "../../src/runtime/ports.ts";
import { unconfined } from "../../src/runtime/unconfined.ts";
import { openMemoryStore } from "../../src/stores/index.ts";
import type { Store } from "../../src/stores/store.ts";
import { createMemoryWorkspaces } from "../../src/workspaces/index.ts";
import type { Workspaces } from "../../src/workspaces/workspace.ts";
import { FakeDriver } from "./fake-agent.ts";
import type { SimProcess, World } from "./world.ts";

/** The same for everybody: keeps nothing between two texts, and is not made for nothing a million times. */
const redactor = createRedactor({ values: [] });
const setup = Setup.parse({});

export function portsFor(world: World, process: SimProcess, options = { inTurns: true }): Ports {
  let ids = 0;
  const turn = (at: string) => (options.inTurns ? world.scheduler.turn(process, at) : Promise.resolve());
  return {
    integration: { mode: world.plan.integration, baseBranch: null, validation: { use: "command", options: {} } },
    // Now and then somebody's configuration says nothing of phases.
    barrier: process.identity.pid % 7 === 0 ? null : (world.plan.barrier ?? null),
    lock: lockInTurns(createMemoryLock(world.lock, { isAlive: async (identity) => world.isAlive(identity) }), turn),
    views: () => ({ publish: async () => undefined, flush: async () => undefined, close: async () => undefined }),
    signals: { watch: () => ({ close: () => undefined }), clear: async () => undefined },
    project: {
      root: "/p",
      facts: async () => ({
        initScript: world.plan.initScript,
        hash: world.plan.initScript ? "script" : null,
        what: world.plan.initScript ? ["script"] : [],
      }),
    },
    store: storeInTurns(
      openMemoryStore(world.journal, () => world.now()),
      turn,
    ),
    clock: {
      now: () => world.now(),
      monotonic: () => world.monotonic(),
      every: (milliseconds, beat) => world.every(process, milliseconds, beat),
    },
    workspaces: workspacesInTurns(world, turn),
    notifier: {
      send: async () => {
        if (world.random.chance(0.1)) throw new Error("the notifier is broken");
      },
    },
    driver: () => succeeded(Object.assign(new FakeDriver(world, process), { offersTools: true as const })),
    // Now and then somebody goes on with another agent.
    agent: process.identity.pid % 5 === 0 ? "other" : "fake",
    random: () => world.random.next(),
    quiet: (from) => world.quietPeriods(from),
    gate: ({ use }) => succeeded(use === "artifacts" ? fakeArtifacts(world, process) : fakeGate(world, process)),
    processes: {
      self: async () => process.identity,
      isAlive: async (identity) => world.isAlive(identity),
      endGroup: async (identity) => world.endGroup(identity),
    },
    newId: () => {
      ids += 1;
      return `${process.name}.${ids}`;
    },
    environment: () => ({}),
    confinement: {
      ...unconfined,
      name: process.identity.pid % 3 === 0 ? "bubblewrap" : "none",
      async agent(answer) {
        const socket = String(world.sockets.push({ owner: process, answer }) - 1);
        return {
          ...{ confine: undefined, env: {}, letters: null, close: async () => undefined },
          tools: { command: ["fake"], env: { [socketVariable]: socket } },
        };
      },
    },
    withheld: () => [],
    setup,
    lanePorts: async () => succeeded({}),
    limits: { memoryBytes: 1e9, processes: 100, openFiles: 1_024 },
    room: { shortage: async () => null, watch: () => ({ close: () => undefined }) },
    output: { open: () => ({ record: () => undefined, close: async () => undefined }) },
    redactor,
  };
}

type Turn = (at: string) => Promise<void>;

function storeInTurns(store: Store, turn: Turn): Store {
  const around =
    <A extends unknown[], R>(at: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await turn(`${at} before`);
      const result = await call(...args);
      await turn(`${at} after`);
      return result;
    };
  return {
    transact: around("transact", (transaction) => store.transact(transaction)),
    exclusively: (work) => store.exclusively(work),
    read: around("read", (after, limit) => store.read(after, limit)),
    head: () => store.head(),
    changed: around("changed", (after, signal) => store.changed(after, signal)),
    loadSnapshot: () => store.loadSnapshot(),
    saveSnapshot: around("snapshot", (snapshot) => store.saveSnapshot(snapshot)),
    runs: () => store.runs(),
    leases: () => store.leases(),
    renew: (lease) => store.renew(lease),
    verify: () => store.verify(),
    close: () => store.close(),
  };
}

function lockInTurns(lock: Lock, turn: Turn): Lock {
  return {
    async take(owner) {
      await turn("lock before");
      const taken = await lock.take(owner);
      await turn("lock after");
      return taken;
    },
    async release() {
      await turn("unlock before");
      await lock.release();
    },
  };
}

function workspacesInTurns(world: World, turn: Turn): Workspaces {
  const inner = createMemoryWorkspaces(world.repository);
  const around =
    <A, T>(name: string, call: (request: A) => Promise<Outcome<T>>, breaks: boolean) =>
    async (request: A): Promise<Outcome<T>> => {
      await turn(`${name} before`);
      if (breaks && world.faulty && world.random.chance(0.01)) {
        return failed({ kind: "env_setup", message: `${name}: disk full` });
      }
      const outcome = await call(request);
      await turn(`${name} after`);
      return outcome;
    };
  return {
    head: () => inner.head(),
    open: around("open", (request) => inner.open(request), true),
    inspect: around("inspect", (request) => inner.inspect(request), false),
    collect: around("collect", (request) => inner.collect(request), true),
    commit: around("commit", (request) => inner.commit(request), true),
    rebase: around("rebase", (request) => inner.rebase(request), true),
    proof: around("proof", (request) => inner.proof(request), true),
    prepare: (request, make) => inner.prepare(request, make),
    merge: around("merge", (request) => inner.merge(request), true),
    archive: around("archive", (request) => inner.archive(request), true),
    close: around("close", (request) => inner.close(request), true),
    trial: around("trial", (request) => inner.trial(request), true),
    catchUp: around("catchUp", (candidate) => inner.catchUp(candidate), true),
    accept: around("accept", (request) => inner.accept(request), true),
    drop: around("drop", (request) => inner.drop(request), true),
  };
}

/** Starts nothing; what it looks at is missing now and then. */
function fakeArtifacts(world: World, process: SimProcess): Gate {
  return {
    startsNothing: true,
    async check(_, signal): Promise<Verdict> {
      await world.scheduler.turn(process, "gate before");
      if (signal.aborted) return { verdict: "unable", failure: { kind: "env_setup", message: "gate cut short" } };
      if (!world.faulty || world.random.chance(0.8)) return { verdict: "pass", evidence: "report.md: 1 bytes" };
      return { verdict: "fail", failure: { kind: "test_fail", message: "report.md does not exist" } };
    },
  };
}

function fakeGate(world: World, process: SimProcess): Gate {
  return {
    async check({ announce }, signal): Promise<Verdict> {
      await world.scheduler.turn(process, "gate before");
      const heard = await announce(world.newIdentity());
      await world.scheduler.turn(process, "gate after");
      const { random, faulty } = world;
      if (!heard || signal.aborted)
        return { verdict: "unable", failure: { kind: "env_setup", message: "gate cut short" } };
      const circling = world.plan.mood === "circling";
      const draw = faulty || circling ? random.next() : 0;
      // The same failure, but for what differs each time.
      if (circling && draw < 0.9)
        return { verdict: "fail", failure: { kind: "test_fail", message: `red after ${random.between(1, 99)} ms` } };
      if (!faulty || draw < (world.plan.mood === "crowded" ? 0.9 : 0.7)) return { verdict: "pass", evidence: "ok" };
      if (draw < 0.85) return { verdict: "fail", failure: { kind: "test_fail", message: "red" } };
      if (draw < 0.98) return { verdict: "fail", failure: { kind: "timeout", message: "too slow" } };
      return { verdict: "unable", failure: { kind: "env_setup", message: "no such program" } };
    },
  };
}
