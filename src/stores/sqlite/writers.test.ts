// Real processes on one file: the writer fixture, bundled because the oldest Node cannot run TypeScript.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqliteStore } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "harness-writers-"));
const writer = join(folder, "writer.mjs");
const running = new Set<ChildProcess>();

beforeAll(async () => {
  const libsql = createRequire(import.meta.url).resolve("libsql");
  await build({
    entryPoints: [fileURLToPath(new URL("./writer.fixture.ts", import.meta.url))],
    outfile: writer,
    bundle: true,
    platform: "node",
    format: "esm",
    alias: { libsql },
    external: [libsql],
  });
});
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

interface Ended {
  /** Complete lines after "opening": `commandId position`. */
  readonly acknowledged: readonly string[];
  readonly stderr: string;
  readonly end: number | string | null;
}

/** Ends with the process; kills it as soon as it has printed `killAfter` lines. */
async function write(args: readonly string[], killAfter = Number.POSITIVE_INFINITY): Promise<Ended> {
  const child = spawn(process.execPath, [writer, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const ended = new Promise<number | string | null>((resolve) => {
    child.on("close", (code, signal) => {
      running.delete(child);
      resolve(code ?? signal);
    });
  });
  const stderr = text(child.stderr);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    if (lines.length === killAfter) child.kill("SIGKILL");
  });
  const end = await ended;
  return { acknowledged: lines.slice(1), stderr: await stderr, end };
}

test("four processes append 250 transactions each: 1,000 events, no gaps, each decided on all before it", async () => {
  const path = join(folder, "four.db");
  // Where Node has its own SQLite, two of them use the other library: both kinds share files.
  const writers = ["a", "b", "c", "d"].map((name, n) => write([path, name, "250", n % 2 ? "libsql" : ""]));
  const ends = await Promise.all(writers);
  expect(ends.map(({ end, stderr }) => ({ end, stderr }))).toEqual(ends.map(() => ({ end: 0, stderr: "" })));

  const store = await openSqliteStore({ path, readOnly: true });
  const events = await store.read(0, 2_000);
  const numbers = Array.from({ length: 1_000 }, (_, n) => n + 1);
  expect(events.map(({ position, body }) => [position, body])).toEqual(numbers.map((n) => [n, `{"n":${n}}`]));
  const positions = ends.flatMap(({ acknowledged }) => acknowledged.map((line) => Number(line.split(" ")[1])));
  expect(positions.sort((a, b) => a - b)).toEqual(numbers);
  expect(await store.verify()).toBe(null);
  await store.close();
}, 60_000);

test("PR-1: whatever a writer acknowledged before kill -9 is there, twenty times over", async () => {
  const path = join(folder, "killed.db");
  for (let round = 0; round < 20; round += 1) {
    // The first is killed while it makes the file; the others after some acknowledgements, wherever they are by then.
    const { acknowledged, end } = await write([path, `r${round}`, "100000"], 1 + ((round * 17) % 41));
    expect(end).toBe("SIGKILL");
    const store = await openSqliteStore({ path });
    expect(await store.verify()).toBe(null);
    for (const line of acknowledged) {
      const [commandId = "", position] = line.split(" ");
      const { appended, repeated } = await store.transact({
        after: 0,
        commandId,
        decide: () => ({ events: [], runs: [] }),
      });
      expect([repeated, appended.map((event) => event.position)]).toEqual([true, [Number(position)]]);
    }
    await store.close();
  }
}, 60_000);

test("a process that only waits for changes ends by itself and prints no warning", async () => {
  const path = join(folder, "waiting.db");
  expect(await write([path, "w", "wait"])).toEqual({ acknowledged: [], stderr: "", end: 0 });
});
