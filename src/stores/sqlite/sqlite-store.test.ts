import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeStore } from "../store.contract.ts";
import type { NewEvent, Store, Transaction } from "../store.ts";
import type { OpenDriver } from "./driver.ts";
import { openSqliteStore, type SqliteStoreOptions } from "./index.ts";
import { openLibsql } from "./libsql.ts";
import { nodeSqliteDriver } from "./node-sqlite.ts";
import type { StoreError } from "./store-error.ts";

const nodeSqlite = nodeSqliteDriver();
const drivers: [name: string, openDriver: OpenDriver][] = [["libsql", openLibsql]];
if (nodeSqlite) drivers.push(["node:sqlite", nodeSqlite]);

const temporary = () => mkdtempSync(join(tmpdir(), "harness-store-"));
const event: NewEvent = { at: 1, type: "thing.happened", v: 1, body: '{"n":1}' };
const command = (commandId: string, events: readonly NewEvent[] = [event]): Transaction => ({
  after: 0,
  commandId,
  decide: () => ({ events, runs: [] }),
});

for (const [name, openDriver] of drivers) {
  describeStore(`sqlite on ${name}`, async () => {
    const folder = temporary();
    return {
      open: () => openSqliteStore({ path: join(folder, "journal.db"), openDriver }),
      dispose: async () => rmSync(folder, { recursive: true }),
    };
  });

  describe(`sqlite file on ${name}`, () => {
    let folder: string;
    let path: string;
    let opened: Store[];
    const open = async (options: Partial<SqliteStoreOptions> = {}): Promise<Store> => {
      const store = await openSqliteStore({ path, openDriver, ...options });
      opened.push(store);
      return store;
    };
    const close = async (): Promise<void> => {
      for (const store of opened.splice(0)) await store.close();
    };
    /** Plain SQL on the file, as anyone with a database tool could do. */
    const tamper = async (sql: string): Promise<void> => {
      const driver = await openDriver(path);
      driver.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
      driver.close();
    };
    const refusal = async (attempt: Promise<unknown>): Promise<Pick<StoreError, "name" | "message"> | null> =>
      attempt.then(
        () => null,
        ({ name, message }: StoreError) => ({ name, message }),
      );
    const said = (text: string) => ({ name: "StoreError", message: `${path}: ${text}` });

    beforeEach(() => {
      folder = temporary();
      path = join(folder, "state", "root", "journal.db");
      opened = [];
    });
    afterEach(async () => {
      await close();
      rmSync(folder, { recursive: true });
    });

    test("file and folder are made for this user only, whatever the umask", async () => {
      await (await open()).transact(command("a"));
      const modes = [path, `${path}-journal`, dirname(path), dirname(dirname(path))].map(
        (it) => statSync(it).mode & 0o777,
      );
      expect(modes).toEqual([0o600, 0o600, 0o700, 0o700]);
    });

    test("a file that others may read is closed to them; a folder that was there is left alone", async () => {
      mkdirSync(dirname(path), { recursive: true });
      chmodSync(dirname(path), 0o755);
      writeFileSync(path, "");
      chmodSync(path, 0o644);
      await open();
      expect([path, dirname(path)].map((it) => statSync(it).mode & 0o777)).toEqual([0o600, 0o755]);
    });

    test("PR-17: a flipped byte of a stored body is found at its position", async () => {
      const store = await open();
      const bodies = Array.from({ length: 2_500 }, (_, n) => ({ ...event, body: `{"n":${n + 1}}` }));
      await store.transact(command("a", bodies));
      for (const position of [2_500, 2_001, 1_000, 1]) {
        await tamper(`UPDATE events SET body = replace(body, '"n"', '"m"') WHERE position = ${position}`);
        expect(await store.verify()).toBe(position);
      }
    });

    test("PR-17: dropped events are found, at the end too", async () => {
      const store = await open();
      await store.transact(command("a", [event, event, event, event]));
      await tamper("DELETE FROM events WHERE position = 4");
      expect(await store.verify()).toBe(4);
      await tamper("DELETE FROM events WHERE position = 2");
      expect(await store.verify()).toBe(2);
    });

    test("PR-21: a file of a newer schema is refused and stays as it is", async () => {
      await open();
      await close();
      await tamper("UPDATE meta SET value = '4' WHERE key = 'schema'");
      const before = readFileSync(path);
      const message = "written by a newer Harness, nothing was changed (schema 4, this one knows 3); update Harness";
      expect(await refusal(open())).toEqual(said(message));
      expect(await refusal(open({ readOnly: true }))).toEqual(said(message));
      expect(readFileSync(path)).toEqual(before);
    });

    /** What schema 3 added. */
    const added = ["task", "objective", "max_iterations", "promise", "iterations", "nano_usd", "tokens", "unknown"];
    const withoutThem = added.map((column) => `ALTER TABLE runs DROP COLUMN ${column};`).join("");

    test.for([
      ["1, from before there were leases", `DROP TABLE leases; ${withoutThem} UPDATE meta SET value = '1'`],
      ["2, from before runs told what they did", `${withoutThem} UPDATE meta SET value = '2'`],
    ] as const)("PR-21: a file of schema %s, is lifted with all it holds", async ([, older]) => {
      const store = await open();
      await store.transact(command("a", [event]));
      const before = await store.read(0, 10);
      await close();
      await tamper(`${older} WHERE key = 'schema'; INSERT INTO runs VALUES ('r', 1, 2, 'completed', 1, 1, 3)`);
      const lifted = await open();
      expect(await lifted.read(0, 10)).toEqual(before);
      expect((await lifted.leases()).leases).toEqual([]);
      expect(await lifted.runs()).toEqual([
        {
          ...{ run: "r", startedAt: 1, endedAt: 2, status: "completed", lanes: 1, sessions: 1, settled: 3 },
          ...{ task: null, objective: null, maxIterations: null, promise: null },
          ...{ iterations: 0, nanoUsd: 0, tokens: 0, unknown: 0 },
        },
      ]);
    });

    test("another program's database is refused and stays as it is", async () => {
      mkdirSync(dirname(path), { recursive: true });
      await tamper("CREATE TABLE theirs (a)");
      const before = readFileSync(path);
      expect(await refusal(open())).toEqual(
        said("this is another program's database; move it away, or choose another state folder"),
      );
      expect(readFileSync(path)).toEqual(before);
    });

    test("PR-2: a file that is no database is refused and stays as it is", async () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "no database\n".repeat(1_000));
      expect(await refusal(open())).toEqual(
        said("not a readable journal (file is not a database); keep a copy, then restore the file from a backup"),
      );
      expect(readFileSync(path, "utf8")).toBe("no database\n".repeat(1_000));
    });

    test("a file kept locked is an error that names it, and the store works once it is free", async () => {
      const store = await open({ busyTimeoutMs: 20 });
      const holder = await openDriver(path);
      holder.exec("BEGIN IMMEDIATE");
      expect(await refusal(store.transact(command("a")))).toEqual(
        said("kept locked by another process (database is locked); end that process, then try again"),
      );
      holder.exec("ROLLBACK");
      expect((await store.transact(command("a"))).repeated).toBe(false);
      holder.close();
    });

    test("L1: exclusive work keeps other processes from writing, not from reading, and frees the file after", async () => {
      const store = await open();
      const other = await openDriver(path);
      const begin = other.prepare("BEGIN IMMEDIATE");
      const count = other.prepare("SELECT count(*) AS count FROM events");
      await store.exclusively(() => {
        expect(() => begin.run()).toThrow("locked");
        expect(count.all()).toEqual([{ count: 0 }]);
      });
      begin.run();
      other.exec("ROLLBACK");
      other.close();
    });

    test("a file that cannot be looked at wakes whoever waits for a change", async () => {
      const store = await open({ busyTimeoutMs: 0 });
      const changed = store.changed(0, new AbortController().signal);
      const holder = await openDriver(path);
      holder.exec("BEGIN EXCLUSIVE");
      await changed;
      holder.close();
    });

    test("PR-1: a file moved away under an open store takes no more acknowledgements", async () => {
      const store = await open();
      await store.transact(command("a"));
      renameSync(path, `${path}.old`);
      expect(await refusal(store.transact(command("b")))).toEqual(
        said("moved or deleted while in use (attempt to write a readonly database); put it back, then start again"),
      );
      renameSync(`${path}.old`, path);
      expect((await store.transact(command("b"))).appended).toHaveLength(1);
    });

    test("a path that cannot be made is an error that names it", async () => {
      writeFileSync(join(folder, "state"), "in the way");
      expect((await refusal(open()))?.message).toMatch(
        /^\S+journal\.db: cannot be used \(ENOTDIR.*\); remove the cause/,
      );
    });

    test("read-only: a missing or empty file is refused and not made", async () => {
      const missing = said("there is no journal here; start a mission first, or check the path");
      expect(await refusal(open({ readOnly: true }))).toEqual(missing);
      expect(existsSync(dirname(path))).toBe(false);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
      expect(await refusal(open({ readOnly: true }))).toEqual(missing);
      expect(statSync(path).size).toBe(0);
    });

    test("read-only: reads everything, follows changes, writes nothing", async () => {
      const writer = await open();
      const { appended } = await writer.transact(command("a"));
      const reader = await open({ readOnly: true });
      const refused = said("opened for reading only; open it for writing");
      expect(await reader.read(0, 10)).toEqual(appended);
      expect(await refusal(reader.transact(command("b")))).toEqual(refused);
      expect(await refusal(reader.saveSnapshot({ position: 1, hash: "", body: "" }))).toEqual(refused);
      const changed = reader.changed(1, new AbortController().signal);
      await writer.transact(command("c"));
      await changed;
      expect(await reader.verify()).toBe(null);
    });

    test("an unknown row in the table of runs is an error that names the file", async () => {
      const store = await open();
      await tamper(
        "INSERT INTO runs (run, started_at, status, lanes, sessions, settled) VALUES ('r', 1, 'dancing', 1, 0, 0)",
      );
      expect(await refusal(store.runs())).toEqual(
        said(
          "not a readable journal (an unknown row in the table of runs); keep a copy, then restore the file from a backup",
        ),
      );
    });

    test("the file keeps a rollback journal even if a tool had switched it to WAL", async () => {
      await (await open()).transact(command("a"));
      await close();
      await tamper("PRAGMA journal_mode = WAL");
      const store = await open();
      await store.transact(command("b"));
      expect([existsSync(`${path}-wal`), existsSync(`${path}-journal`)]).toEqual([false, true]);
    });
  });
}
