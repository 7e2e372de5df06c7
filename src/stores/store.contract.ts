// What every store must do. Each variant's test runs it: `describeStore(name, arrange)`.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { append, genesis } from "../kit/hash-chain.ts";
import type { RunRow } from "../protocol/view.ts";
import type { Committed, Lease, NewEvent, Proposal, Store, StoredEvent, Transaction } from "./store.ts";

/** One journal, empty at first. */
export interface StoreFixture {
  /** A further handle on the same journal, as another process would have it. */
  open(): Promise<Store>;
  /** Called after every handle has been closed. */
  dispose(): Promise<void>;
}

export function describeStore(name: string, arrange: () => Promise<StoreFixture>): void {
  describe(`store: ${name}`, () => {
    let fixture: StoreFixture;
    let opened: Store[] = [];
    const open = async (): Promise<Store> => {
      const store = await fixture.open();
      opened.push(store);
      return store;
    };
    beforeEach(async () => {
      fixture = await arrange();
    });
    afterEach(async () => {
      for (const store of opened) await store.close();
      opened = [];
      await fixture.dispose();
    });

    test("an empty journal has the genesis head, no events, no snapshot and no runs", async () => {
      const store = await open();
      expect(await store.head()).toEqual(genesis);
      expect(await store.read(0, 10)).toEqual([]);
      expect(await store.loadSnapshot()).toBe(null);
      expect(await store.runs()).toEqual([]);
      expect(await store.verify()).toBe(null);
    });

    test("events come back as they were given, chained by their hashes", async () => {
      const store = await open();
      const odd = { at: 1.5, type: "größe.geändert", v: 3, body: '{"text":"a\\n\\"b\\" \\u0000 – 🙂"}' };
      const { appended } = await store.transact(command("a", [event(1), odd]));
      const first = append(genesis, event(1));
      expect(appended).toEqual([first, append(first, odd)]);
      expect(await store.read(0, 10)).toEqual(appended);
      expect(await store.head()).toEqual({ position: 2, hash: appended[1]?.hash });
      expect(await store.verify()).toBe(null);
    });

    test("two handles in turn make one sequence without gaps, and each sees the other's events as tail", async () => {
      const [left, right] = [await open(), await open()];
      const a = await left.transact(command("a", [event(1), event(2)], 0));
      const b = await right.transact(command("b", [event(3)], 0));
      const c = await left.transact(command("c", [event(4)], 2));
      const d = await right.transact(command("d", [event(5)], 3));
      expect([a, b, c, d].map(positions)).toEqual([
        { tail: [], appended: [1, 2], repeated: false },
        { tail: [1, 2], appended: [3], repeated: false },
        { tail: [3], appended: [4], repeated: false },
        { tail: [4], appended: [5], repeated: false },
      ]);
      expect(bodies(await left.read(0, 10))).toEqual([1, 2, 3, 4, 5].map((n) => event(n).body));
      expect(await right.verify()).toBe(null);
    });

    test("decide is called once, with exactly the tail the caller has not seen", async () => {
      const [left, right] = [await open(), await open()];
      await left.transact(command("a", [event(1), event(2), event(3)]));
      const seen: (readonly StoredEvent[])[] = [];
      const decide: Transaction["decide"] = (tail) => {
        seen.push(tail);
        return proposal([event(4)]);
      };
      const { tail } = await right.transact({ after: 1, commandId: "b", decide });
      expect(seen).toEqual([await left.read(1, 2)]);
      expect(tail).toEqual(seen[0]);
    });

    test("a repeat is answered with what the first one appended, by every handle and after reopening", async () => {
      const [left, right] = [await open(), await open()];
      const first = await left.transact(command("a", [event(1), event(2)]));
      await right.transact(command("b", [event(3)]));
      const repeat = { after: 2, commandId: "a", decide: mustNotBeCalled };
      const all = await left.read(0, 10);
      const answer = { tail: all.slice(2), appended: first.appended, repeated: true };
      expect(await left.transact(repeat)).toEqual(answer);
      expect(await right.transact(repeat)).toEqual(answer);
      await left.close();
      await right.close();
      const later = await open();
      expect(await later.transact(repeat)).toEqual(answer);
      expect(await later.transact({ ...repeat, after: 0 })).toEqual({ ...answer, tail: all });
      expect(await later.read(0, 10)).toEqual(all);
    });

    test("a throw in decide writes nothing, comes out as it is, and leaves the store usable", async () => {
      const store = await open();
      const bug = Object.assign(new Error("a bug"), { code: "SQLITE_BUSY", errcode: 5, rawCode: 5 });
      const throwing = store.transact({ ...command("a", []), decide: () => thrown(bug) });
      await expect(throwing).rejects.toBe(bug);
      expect(await store.head()).toEqual(genesis);
      const { appended, repeated } = await store.transact(command("a", [event(1)]));
      expect({ repeated, bodies: bodies(appended) }).toEqual({ repeated: false, bodies: [event(1).body] });
    });

    test("an empty proposal appends nothing and leaves no receipt", async () => {
      const store = await open();
      expect(await store.transact(command("a", []))).toEqual({ tail: [], appended: [], repeated: false });
      expect(await store.head()).toEqual(genesis);
      expect(positions(await store.transact(command("a", [event(1)])))).toEqual({
        tail: [],
        appended: [1],
        repeated: false,
      });
    });

    test("a caller that has seen more than there is must fold again: nothing is decided or written", async () => {
      const store = await open();
      await store.transact(command("a", [event(1)]));
      const ahead = store.transact({ after: 2, commandId: "b", decide: mustNotBeCalled });
      await expect(ahead).rejects.toThrow("ends at 1");
      expect((await store.head()).position).toBe(1);
    });

    test("read gives at most limit events, in order, across many", async () => {
      const store = await open();
      const many = Array.from({ length: 350 }, (_, n) => event(n));
      await store.transact(command("a", many));
      expect((await store.read(100, 3)).map(({ position }) => position)).toEqual([101, 102, 103]);
      expect(await store.read(348, 10)).toHaveLength(2);
      expect(await store.read(350, 10)).toEqual([]);
      expect(await store.read(0, 0)).toEqual([]);
      expect(bodies(await store.read(0, 1_000))).toEqual(many.map(({ body }) => body));
    });

    test("transactions started together in one process run one after the other, in order", async () => {
      const stores = [await open(), await open()];
      const calls = Array.from({ length: 40 }, (_, n) =>
        stores[n % 2]?.transact({
          after: 0,
          commandId: `c${n}`,
          decide: (tail) => proposal([event(tail.length)]),
        }),
      );
      await Promise.all(calls);
      const all = await (await open()).read(0, 100);
      expect(bodies(all)).toEqual(Array.from({ length: 40 }, (_, n) => event(n).body));
    });

    test("a transaction asked for inside decide waits for its turn", async () => {
      const store = await open();
      let inner: Promise<Committed> | undefined;
      const decide: Transaction["decide"] = () => {
        inner = store.transact(command("inner", [event(2)]));
        return proposal([event(1)]);
      };
      const outer = await store.transact({ after: 0, commandId: "outer", decide });
      expect(positions(outer).appended).toEqual([1]);
      expect(inner && positions(await inner)).toEqual({ tail: [1], appended: [2], repeated: false });
    });

    test("L1: exclusive work runs once, writes nothing, and its answer or error comes out as it is", async () => {
      const [left, right] = [await open(), await open()];
      await left.transact(command("a", [event(1)]));
      const head = await left.head();
      let calls = 0;
      const counted = () => {
        calls += 1;
        return { calls };
      };
      expect(await left.exclusively(counted)).toEqual({ calls: 1 });
      const bug = Object.assign(new Error("a bug"), { code: "SQLITE_BUSY", errcode: 5, rawCode: 5 });
      await expect(left.exclusively(() => thrown(bug))).rejects.toBe(bug);
      expect([await left.head(), await right.head()]).toEqual([head, head]);
      expect(positions(await right.transact(command("b", [event(2)], 1))).appended).toEqual([2]);
    });

    test("L1: exclusive work and transactions of all handles run one after the other", async () => {
      const stores = [await open(), await open()];
      const order: string[] = [];
      const calls = Array.from({ length: 20 }, (_, n) => {
        const store = stores[n % 2];
        const decide = () => {
          order.push(`transact ${n}`);
          return { events: [event(n)], runs: [] };
        };
        return n % 4 < 2
          ? store?.exclusively(() => order.push(`exclusive ${n}`))
          : store?.transact({ after: 0, commandId: `c${n}`, decide });
      });
      await Promise.all(calls);
      expect(order).toEqual(Array.from({ length: 20 }, (_, n) => `${n % 4 < 2 ? "exclusive" : "transact"} ${n}`));
    });

    test("L1: a transaction asked for inside exclusive work waits for its turn", async () => {
      const store = await open();
      let inner: Promise<Committed> | undefined;
      await store.exclusively(() => {
        inner = store.transact(command("inner", [event(1)]));
      });
      expect(inner && positions(await inner)).toEqual({ tail: [], appended: [1], repeated: false });
    });

    test("changed resolves when another handle appends", async () => {
      const [waiting, other] = [await open(), await open()];
      await other.transact(command("a", [event(1)]));
      const never = new AbortController();
      let resolved = false;
      const changed = waiting.changed(1, never.signal).then(() => {
        resolved = true;
      });
      expect([await waiting.read(1, 1), resolved]).toEqual([[], false]);
      await other.transact(command("b", [event(2)]));
      await changed;
      expect((await waiting.head()).position).toBe(2);
    });

    test("changed resolves when the same handle appends, and at once when the head is past", async () => {
      const store = await open();
      const never = new AbortController();
      const changed = store.changed(0, never.signal);
      await store.transact(command("a", [event(1)]));
      await changed;
      await store.changed(0, never.signal);
    });

    test("changed resolves when its signal aborts, also if it has already, and when the store closes", async () => {
      const store = await open();
      const controller = new AbortController();
      const waits = [store.changed(0, controller.signal), store.changed(0, controller.signal)];
      controller.abort();
      await Promise.all(waits);
      await store.changed(0, controller.signal);
      const pending = store.changed(0, new AbortController().signal);
      await store.close();
      await pending;
    });

    test("a snapshot of this history is kept, seen by others and replaced", async () => {
      const [store, other] = [await open(), await open()];
      const { appended } = await store.transact(command("a", [event(1), event(2)]));
      const [first, second] = appended.map(({ position, hash }) => ({ position, hash, body: `{"at":${position}}` }));
      if (!first || !second) throw new Error("two events expected");
      await store.saveSnapshot(first);
      expect(await other.loadSnapshot()).toEqual(first);
      await other.saveSnapshot(second);
      expect(await store.loadSnapshot()).toEqual(second);
      await store.transact(command("b", [event(3)]));
      await store.close();
      expect(await (await open()).loadSnapshot()).toEqual(second);
    });

    test("a snapshot with a wrong hash or position is not returned", async () => {
      const store = await open();
      const { appended } = await store.transact(command("a", [event(1), event(2)]));
      const hash = appended[1]?.hash ?? "";
      for (const wrong of [
        { position: 2, hash: "f".repeat(64) },
        { position: 1, hash },
        { position: 3, hash },
      ]) {
        await store.saveSnapshot({ ...wrong, body: "{}" });
        expect(await store.loadSnapshot()).toBe(null);
      }
    });

    test("rows of runs are written and replaced in the same transaction, oldest first", async () => {
      const [store, other] = [await open(), await open()];
      const [first, second] = [run("first", 1), run("second", 2)];
      await store.transact({ ...command("a", []), decide: () => proposal([event(1)], [second, first]) });
      expect(await other.runs()).toEqual([first, second]);
      const ended: RunRow = { ...first, endedAt: 9.5, status: "completed", sessions: 3, settled: 2 };
      await other.transact({ ...command("b", []), decide: () => proposal([], [ended]) });
      await store.close();
      expect(await (await open()).runs()).toEqual([ended, second]);
    });

    test("rows of runs are not written by a throwing decide or a repeat", async () => {
      const store = await open();
      const proposing = proposal([event(1)], [run("first", 1)]);
      const failing = store.transact({
        ...command("a", []),
        decide: () => (proposing.runs.length ? thrown(new Error("no")) : proposing),
      });
      await expect(failing).rejects.toThrow("no");
      expect(await store.runs()).toEqual([]);
      await store.transact({ ...command("a", []), decide: () => proposing });
      await store.transact({ ...command("a", []), decide: () => ({ ...proposing, runs: [run("second", 2)] }) });
      expect(await store.runs()).toEqual([run("first", 1)]);
    });

    test("L2: a lease is given and freed with its transaction, and seen inside the next", async () => {
      const [store, other] = [await open(), await open()];
      const [first, second] = [lease("first", 1), lease("second", 2)];
      await store.transact({ ...command("a", []), decide: () => ({ ...proposal([event(1)]), lease: second }) });
      await store.transact({ ...command("b", []), decide: () => ({ ...proposal([]), lease: first }) });
      expect((await other.leases()).leases).toEqual(expect.arrayContaining([first, second]));
      const seen: (readonly Lease[])[] = [];
      const decide: Transaction["decide"] = (_tail, around) => {
        seen.push([...around().leases].sort((a, b) => (a.run < b.run ? -1 : 1)));
        return { ...proposal([event(2)]), freed: ["first", "nobody"] };
      };
      await other.transact({ after: 0, commandId: "c", decide });
      expect(seen).toEqual([[first, second]]);
      expect((await store.leases()).leases).toEqual([second]);
    });

    test("L2: a lease is not given by a throwing decide", async () => {
      const store = await open();
      const failing = store.transact({ ...command("a", []), decide: () => thrown(new Error("no")) });
      await expect(failing).rejects.toThrow("no");
      expect((await store.leases()).leases).toEqual([]);
    });

    test("L2, L3: only a lease that is still there is renewed", async () => {
      const [store, other] = [await open(), await open()];
      expect(await store.renew(lease("first", 1))).toBe(false);
      expect((await store.leases()).leases).toEqual([]);
      await store.transact({
        ...command("a", []),
        decide: () => ({ ...proposal([event(1)]), lease: lease("first", 1) }),
      });
      expect(await other.renew(lease("first", 9))).toBe(true);
      expect((await store.leases()).leases).toEqual([lease("first", 9)]);
      await store.transact({ ...command("b", []), decide: () => ({ ...proposal([]), freed: ["first"] }) });
      expect(await other.renew(lease("first", 10))).toBe(false);
      expect((await other.leases()).leases).toEqual([]);
    });

    test("closing twice is fine, and a closed store refuses", async () => {
      const store = await open();
      await store.transact(command("a", [event(1)]));
      const queued = store.transact(command("b", [event(2)]));
      await store.close();
      await store.close();
      expect(positions(await queued).appended).toEqual([2]);
      await expect(store.transact(command("c", [event(3)]))).rejects.toThrow("closed");
      await expect(store.read(0, 1)).rejects.toThrow("closed");
      await expect(store.exclusively(() => 1)).rejects.toThrow("closed");
      expect(await (await open()).read(0, 10)).toHaveLength(2);
    });
  });
}

const event = (n: number): NewEvent => ({
  at: 1_700_000_000_000 + n,
  type: "thing.happened",
  v: 1,
  body: `{"n":${n}}`,
});

const proposal = (events: readonly NewEvent[], runs: readonly RunRow[] = []): Proposal => ({
  events,
  runs,
});

const lease = (run: string, expiresAt: number): Lease => ({ run, host: "h", bootId: "b", until: 5.5, expiresAt });

const command = (commandId: string, events: readonly NewEvent[], after = 0): Transaction => ({
  after,
  commandId,
  decide: () => proposal(events),
});

const run = (id: string, startedAt: number): RunRow => ({
  run: id,
  startedAt,
  endedAt: null,
  status: "running",
  lanes: 2,
  sessions: 0,
  settled: 0,
  task: "task-001",
  objective: "make it work",
  maxIterations: 10,
  promise: "TASK_COMPLETE",
  iterations: 3,
  nanoUsd: 300_000_001,
  tokens: 12_345,
  unknown: 1,
});

const bodies = (events: readonly StoredEvent[]): string[] => events.map(({ body }) => body);

const positions = ({ tail, appended, repeated }: Committed) => ({
  tail: tail.map(({ position }) => position),
  appended: appended.map(({ position }) => position),
  repeated,
});

const thrown = (error: Error): never => {
  throw error;
};
const mustNotBeCalled = (): never => thrown(new Error("decide must not be called"));
