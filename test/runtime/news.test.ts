// What other processes appended is news to a run once, whoever in this process folded it first.
import { expect, test } from "vitest";
import { Carrier } from "../../src/runtime/carrier.ts";
import { Journal } from "../../src/runtime/journal.ts";
import { openMemoryStore } from "../../src/stores/index.ts";
import type { Store } from "../../src/stores/store.ts";
import { Stage } from "./stage.ts";

/** How often a run was told, when each of these happens before its watch wakes up. */
async function timesTold(...happenings: ((journal: Journal, append: () => Promise<unknown>) => Promise<unknown>)[]) {
  const stage = new Stage();
  const other = await stage.mission();
  const append = () => other.submit({ type: "task.add", task: { title: "theirs" } });
  const inner = openMemoryStore(stage.journal);
  const journal = new Journal(inner, { now: () => 1_000 });
  const over = new AbortController();
  const store: Store = Object.assign(Object.create(inner), {
    changed: async () => {
      const next = happenings.shift();
      if (next === undefined) over.abort();
      await next?.(journal, append);
    },
  });
  await journal.transact({ type: "mission.resume", by: "us" }, "ours");
  const ports = stage.ports({ store });
  const source = { look: journal.look.bind(journal), read: async () => [] };
  const carrier = new Carrier({ run: "r", journal, ports, views: ports.views({ ...other, ...source }), prefix: "p" });
  let told = 0;
  await carrier.watch(over.signal, async () => {
    told += 1;
  });
  return told;
}

test("L2: a run is told of what others appended", async () => {
  expect(await timesTold((_journal, append) => append())).toBe(1);
});

test("L2: also when a view had looked first and folded it", async () => {
  const seenByView = async (journal: Journal, append: () => Promise<unknown>) => {
    await append();
    await journal.look(() => undefined);
  };
  expect(await timesTold(seenByView)).toBe(1);
  expect(await timesTold(seenByView, seenByView)).toBe(2);
});

test("L2: what it decided on itself is no news", async () => {
  const decided = async (journal: Journal, append: () => Promise<unknown>) => {
    await append();
    await journal.transact({ type: "mission.resume", by: "us" }, "again");
  };
  expect(await timesTold(decided)).toBe(0);
});
