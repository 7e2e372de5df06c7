// Taking a mission up again costs its snapshot and what followed, however long journal and log are. Counted in rows.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeEvent } from "../../src/protocol/upgrade.ts";
import { Journal } from "../../src/runtime/journal.ts";
import { createMission } from "../../src/runtime/mission.ts";
import { LogView } from "../../src/runtime/views/log-view.ts";
import { openMemoryStore } from "../../src/stores/index.ts";
import type { Store } from "../../src/stores/store.ts";
import { readLogTail } from "../../src/surfaces/cli/log-tail.ts";
import { Stage } from "./stage.ts";

const clock = { now: () => 1_000 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "harness-resume-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A store that counts the events it hands out. */
function counted(store: Store): Store & { readonly rows: number } {
  let rows = 0;
  return {
    transact: (transaction) => store.transact(transaction),
    read: async (after, limit) => {
      const events = await store.read(after, limit);
      rows += events.length;
      return events;
    },
    head: () => store.head(),
    changed: (after, signal) => store.changed(after, signal),
    loadSnapshot: () => store.loadSnapshot(),
    saveSnapshot: (snapshot) => store.saveSnapshot(snapshot),
    runs: () => store.runs(),
    leases: () => store.leases(),
    renew: (lease) => store.renew(lease),
    exclusively: (work) => store.exclusively(work),
    verify: () => store.verify(),
    close: () => store.close(),
    get rows() {
      return rows;
    },
  };
}

/** A mission with one task and so many events that each have a line in the log. */
async function lengthened(stage: Stage, events: number): Promise<void> {
  await (await stage.mission()).close();
  await append(stage, events);
}

async function append(stage: Stage, events: number): Promise<void> {
  const { position } = stage.journal.head;
  const batch = Array.from({ length: events }, (_, n) =>
    encodeEvent({ type: n % 2 === 0 ? "mission.paused" : "mission.resumed", by: "x" }, 1_000),
  );
  await openMemoryStore(stage.journal).transact({
    after: position,
    commandId: `append-${position}`,
    decide: () => ({ events: batch, runs: [] }),
  });
}

const open = async (stage: Stage) => {
  const store = counted(openMemoryStore(stage.journal));
  return { store, mission: await createMission(stage.ports({ store })) };
};

test.each([1_000, 60_000])("J13: with %i events before the snapshot, only those after it are read", async (length) => {
  const stage = new Stage();
  await lengthened(stage, length);
  const journal = new Journal(openMemoryStore(stage.journal), clock);
  await journal.catchUp();
  await journal.snapshot("always");
  await append(stage, 70);
  const { store, mission } = await open(stage);
  expect([store.rows, mission.state().position]).toEqual([70, length + 72]);
});

test("J13: a mission carried by commands alone gets a snapshot once its tail is long, and only then", async () => {
  const stage = new Stage();
  await lengthened(stage, 9_000);
  const rowsRead = async () => {
    const { store, mission } = await open(stage);
    const read = store.rows;
    await mission.submit({ type: "mission.pause", by: "ann" });
    await mission.close();
    return read;
  };
  expect([await rowsRead(), await rowsRead()]).toEqual([9_002, 9_003]);
  await append(stage, 2_000);
  expect([await rowsRead(), await rowsRead(), await rowsRead()]).toEqual([11_004, 0, 1]);
});

test.each([1_000, 60_000])("N1: a log of %i lines is not gone through again to add one", async (length) => {
  const stage = new Stage();
  await lengthened(stage, length);
  const place = { root: folder, home: folder, clock };
  const sourceOf = async () => {
    const store = counted(openMemoryStore(stage.journal));
    const journal = new Journal(store, clock);
    await journal.catchUp();
    const read = store.rows;
    return {
      look: <T>(use: Parameters<typeof journal.look<T>>[0]) => journal.look(use),
      read: (after: number, limit: number) => store.read(after, limit),
      rows: () => store.rows - read,
    };
  };
  await new LogView(place).advance(await sourceOf());
  await append(stage, 1);
  const source = await sourceOf();
  await new LogView(place).advance(source);
  expect(source.rows()).toBe(1);
  expect(readFileSync(join(folder, "harness-progress.txt"), "utf8").split("\n").length).toBe(length + 3);
});

test.each([1_000, 60_000])(
  "N2: the last lines of %i events within one session are found near the end",
  async (length) => {
    const stage = new Stage();
    await lengthened(stage, length);
    const { store, mission } = await open(stage);
    const all = (await readLogTail(mission, { last: 1_000_000, task: null })).lines;
    const before = store.rows;
    const { lines } = await readLogTail(mission, { last: 100, task: null });
    expect([all.length, lines]).toEqual([length + 1, all.slice(-100)]);
    // A window of 256 events.
    expect(store.rows - before).toBe(256);
  },
);
