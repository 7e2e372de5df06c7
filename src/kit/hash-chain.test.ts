import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { append, type ChainedRecord, firstBreak, genesis, type Link, nextHash } from "./hash-chain.ts";

const chainOf = (length: number): ChainedRecord[] => {
  const records: ChainedRecord[] = [];
  let last: Link = genesis;
  for (let n = 1; n <= length; n += 1) {
    const record = append(last, { at: 1_000 + n, type: "thing.happened", v: 1, body: `{"n":${n}}` });
    records.push(record);
    last = record;
  }
  return records;
};

describe("a hash chain", () => {
  test("keeps its encoding: stored chains must stay readable", () => {
    const text = `${"0".repeat(64)}\n1\n1001\n1\n14\nthing.happened{"n":1}`;
    expect(chainOf(1)).toEqual([
      { position: 1, at: 1001, type: "thing.happened", v: 1, body: '{"n":1}', hash: hash("sha256", text) },
    ]);
    expect(chainOf(1)[0]?.hash).toBe("81695eb3483aab8b7d9dcfe772ea8b6908d3ad8ff0980d4a7edcbd8bddfb1426");
  });

  test("fits as long as nothing is touched", () => {
    expect(firstBreak(chainOf(50))).toBe(null);
    expect(firstBreak([])).toBe(null);
  });

  test("can be checked page by page", () => {
    const records = chainOf(10);
    expect(firstBreak(records.slice(4), records[3])).toBe(null);
    expect(firstBreak(records.slice(4), records[2])).toBe(4);
  });

  test("PR-17: names the position of every changed field", () => {
    const changes: readonly Partial<ChainedRecord>[] = [
      { position: 9 },
      { at: 1 },
      { type: "thing.happene" },
      { v: 2 },
      { body: '{"n":4}' },
      { hash: "f".repeat(64) },
    ];
    for (const change of changes) {
      const records = chainOf(5).map((record) => (record.position === 3 ? { ...record, ...change } : record));
      expect({ change, at: firstBreak(records) }).toEqual({ change, at: 3 });
    }
  });

  test("PR-17: names the position where a record is missing, doubled or out of order", () => {
    const [a, b, c, d] = chainOf(4);
    if (!a || !b || !c || !d) throw new Error("four records expected");
    expect(firstBreak([b, c, d])).toBe(1);
    expect(firstBreak([a, b, d])).toBe(3);
    expect(firstBreak([a, b, b, c])).toBe(3);
    expect(firstBreak([a, c, b, d])).toBe(2);
  });

  test("PR-17: a record whose own hash was made to fit breaks the next one", () => {
    const [a, b, c] = chainOf(3);
    if (!a || !b || !c) throw new Error("three records expected");
    expect(firstBreak([a, append(a, { ...b, body: "{}" }), c])).toBe(3);
  });

  test("does not confuse neighbouring fields", () => {
    const of = (type: string, body: string) => nextHash(genesis.hash, 1, { at: 1, v: 1, type, body });
    expect(of("ab", "c")).not.toBe(of("a", "bc"));
    expect(of("1\na", "b")).not.toBe(of("1", "\nab"));
  });
});
