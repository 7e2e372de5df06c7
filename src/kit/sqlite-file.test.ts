import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import Database from "libsql";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lastRowOf } from "./sqlite-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "harness-sqlite-file-"));
  path = join(folder, "a.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Closed before the file is looked at, as the contract demands. */
function withDatabase(...statements: readonly (readonly [sql: string, ...values: unknown[]])[]): void {
  const database = new Database(path);
  database.exec("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF");
  for (const [sql, ...values] of statements) database.prepare(sql).run(values);
  database.close();
}

const create = ["CREATE TABLE t (id INTEGER PRIMARY KEY, a REAL, b TEXT, c INTEGER, d TEXT)"] as const;
const insert = "INSERT INTO t VALUES (?, ?, ?, ?, ?)";

test("the last row is the one SQLite gives, whatever is in it and however long the table is", () => {
  const row = fc.tuple(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: "grapheme", maxLength: 50 }).map((text) => text.replaceAll("\0", "")),
    fc.oneof(fc.constant(null), fc.integer(), fc.constantFrom(0, 1, -1, 2 ** 23, 2 ** 40, -(2 ** 47), 2 ** 52)),
    fc.constantFrom(0, 10, 4_000, 4_061, 4_062, 5_000, 70_000).map((length) => "x".repeat(length)),
  );
  const table = fc.tuple(fc.constantFrom(0, 1, 100, 3_000), row, fc.integer({ min: 4_000, max: 2 ** 40 }));
  fc.assert(
    fc.property(table, ([before, last, rowid]) => {
      rmSync(path, { force: true });
      const filler = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${before})
        INSERT INTO t SELECT i, i, 'b', i, 'd' || i FROM n WHERE ${before} > 0`;
      withDatabase(create, [filler], [insert, rowid, ...last]);
      // A row id that is a column is stored as null; a REAL without a fraction as an integer.
      expect(lastRowOf(path, "t")).toEqual({ rowid, values: [null, ...last.map((v) => (Object.is(v, -0) ? 0 : v))] });
    }),
    { numRuns: 30 },
  );
});

test("the table is found among so many that the schema takes several pages", () => {
  const others = Array.from({ length: 100 }, (_, n) => [`CREATE TABLE other_${n} (${"a".repeat(100)} TEXT)`] as const);
  withDatabase(...others, create, [insert, 7, 1.5, "b", 2, "d"]);
  expect(lastRowOf(path, "t")).toEqual({ rowid: 7, values: [null, 1.5, "b", 2, "d"] });
});

test.each([
  ["an empty table", () => withDatabase(create), null],
  ["no such table", () => withDatabase(["CREATE TABLE other (a)"]), null],
  ["WAL mode", () => withDatabase(create, [insert, 1, 1, "", 1, ""], ["PRAGMA journal_mode = WAL"]), null],
  ["no database", () => writeFileSync(path, "SQLite format 3, they said".repeat(500)), null],
  ["less than a header", () => writeFileSync(path, "SQLite format 3\0"), null],
  ["a blob", () => withDatabase(create, [insert, 1, 1, "", 1, Buffer.from("x")]), null],
] as const)("%s is answered with null", (_what, make, expected) => {
  make();
  expect(lastRowOf(path, "t")).toBe(expected);
});

test("a transaction that is being written, or was left so by a crash, is answered with null", () => {
  withDatabase(create, [insert, 1, 1, "", 1, ""]);
  writeFileSync(`${path}-journal`, "anything");
  expect(lastRowOf(path, "t")).toBe(null);
  writeFileSync(`${path}-journal`, "");
  expect(lastRowOf(path, "t")?.rowid).toBe(1);
});

test("bytes flipped anywhere in the file give a row or null, never a throw", () => {
  withDatabase(create, [insert, 1, 1, "b", 1, "d".repeat(9_000)]);
  const whole = readFileSync(path);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ flip;
      writeFileSync(path, bytes);
      lastRowOf(path, "t");
    }),
    { numRuns: 500 },
  );
});

test("while another process commits, every answer is a row that was committed, and never an older one", async () => {
  withDatabase(create);
  const enough = join(folder, "enough");
  const writer = spawn(process.execPath, ["-e", writing, path, enough], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let acknowledged = 0;
  writer.stdout.setEncoding("utf8").on("data", (text: string) => {
    acknowledged = Number(text.trimEnd().split("\n").at(-1));
  });
  const ended = once(writer, "exit");
  // Whichever of the two is the faster one: the writer commits until as many rows were seen.
  const seen = new Set<number>();
  let last = 0;
  while (seen.size < 50 && writer.exitCode === null) {
    const atLeast = acknowledged;
    const row = lastRowOf(path, "t");
    await setImmediate();
    if (row === null) continue;
    seen.add(row.rowid);
    expect(row.values).toEqual([null, row.rowid, `b${row.rowid}`, row.rowid, "d".repeat((row.rowid * 37) % 9_000)]);
    expect(row.rowid).toBeGreaterThanOrEqual(Math.max(atLeast, last));
    last = row.rowid;
  }
  writeFileSync(enough, "");
  expect(await ended).toEqual([0, null]);
  expect(seen.size).toBe(50);
});

const writing = `
  const { existsSync, writeSync } = require("node:fs");
  const [, path, enough] = process.argv;
  const Database = require("libsql");
  const database = new Database(path);
  database.exec("PRAGMA journal_mode = TRUNCATE");
  const insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)");
  for (let n = 1; !existsSync(enough); n += 1) {
    insert.run([n, n, "b" + n, n, "d".repeat((n * 37) % 9000)]);
    writeSync(1, n + "\\n");
  }
`;
