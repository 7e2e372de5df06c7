import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { emptyState } from "../../src/core/empty-state.ts";
import { fold } from "../../src/core/evolve/evolve.ts";
import { writeSnapshot } from "../../src/core/snapshot.ts";
import { firstBreak } from "../../src/kit/hash-chain.ts";
import { eventTypes } from "../../src/protocol/event.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import type { StoredEvent } from "../../src/stores/store.ts";

const journals = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ndjson"));
const read = (name: string): StoredEvent[] =>
  readFileSync(`${import.meta.dirname}/${name}`, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as StoredEvent);

describe("recorded journals, kept for ever", () => {
  test.each(journals)("PR-21, PR-23: %s folds to the state it was recorded with", async (name) => {
    const state = fold(
      emptyState(),
      read(name).map((event) => decodeEvent(event)),
    );
    const text = `${JSON.stringify(JSON.parse(writeSnapshot(state)), null, 1)}\n`;
    await expect(text).toMatchFileSnapshot(`./${name.replace(".ndjson", ".state.json")}`);
  });

  test.each(journals)("PR-17: the chain of %s is whole", (name) => {
    expect(firstBreak(read(name))).toBeNull();
  });

  test("together they hold every type of event", () => {
    const seen = new Set(journals.flatMap((name) => read(name).map(({ type }) => type)));
    expect(eventTypes.filter((type) => !seen.has(type))).toEqual([]);
  });
});
