// The store alone, without commands and views: its transactions and its snapshot, killed and failed at every call.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqliteStore } from "../../src/stores/index.ts";
import { recordNumbers } from "../numbers.ts";
import { sampleTroubles } from "./errors.ts";
import { fileCalls, isChange, type Point, pointsIn, tell } from "./points.ts";
import { howMuch } from "./sample.ts";
import { scenes } from "./scene.ts";
import { requireStrace, type Traced, type TraceOptions, trace } from "./strace.ts";

const folder = mkdtempSync(join(scenes, "harness-faults-"));
const program = join(folder, "store.mjs");
const live = join(folder, "live");
const path = join(live, "journal.db");
const total = { killed: 0, errors: 0 };
let points: readonly Point[] = [];

const traced = (options: TraceOptions): Promise<Traced> => {
  const env = { PATH: process.env.PATH ?? "", UV_USE_IO_URING: "0", UV_THREADPOOL_SIZE: "1" };
  return trace({ command: [process.execPath, program, path], cwd: folder, env, folder }, options);
};
const restore = () => {
  rmSync(live, { recursive: true, force: true });
  cpSync(join(folder, "kept"), live, { recursive: true });
};

beforeAll(async () => {
  requireStrace();
  const libsql = createRequire(import.meta.url).resolve("libsql");
  await build({
    entryPoints: [fileURLToPath(new URL("./store.fixture.ts", import.meta.url))],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    alias: { libsql },
    external: [libsql],
  });
  mkdirSync(join(folder, "kept"));
  await transact(join(folder, "kept", "journal.db"), "before");
  restore();
  const clean = await traced({ calls: [...fileCalls, "io_uring_setup"], onlyItself: true });
  expect([clean.code, clean.stdout]).toEqual([0, "first\nsecond\nsnapshot\n"]);
  points = pointsIn(clean.calls, live);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  recordNumbers(
    ["PR-1", "PR-18"],
    `the store alone (${howMuch}): ${total.killed} kill -9 and ${total.errors} errors in two transactions and a snapshot, 0 acknowledged lost`,
  );
});

async function transact(file: string, commandId: string): Promise<void> {
  const store = await openSqliteStore({ path: file });
  const { position } = await store.head();
  const decide = () => ({ events: [{ at: 1, type: "thing.happened", v: 1, body: "{}" }], runs: [] });
  await store.transact({ after: position, commandId, decide });
  await store.close();
}

async function aftermath({ stdout, hung }: Traced): Promise<readonly string[]> {
  const told = stdout.split("\n").slice(0, -1);
  const store = await openSqliteStore({ path });
  const kept = (await store.read(1, 10)).map(({ body }) => String(JSON.parse(body).commandId));
  const snapshot = await store.loadSnapshot();
  const broken = await store.verify();
  await store.close();
  const acknowledged = told.filter((word) => word !== "snapshot");
  const faults = [
    ...(hung ? ["hung"] : []),
    ...(broken === null ? [] : [`the chain breaks at ${broken}`]),
    // At most the one that was under way may be there without having been told.
    ...(acknowledged.some((word, at) => kept[at] !== word) ? [`told ${told}, kept ${kept}`] : []),
    ...(kept.length > acknowledged.length + 1 ? [`kept ${kept}, told only ${told}`] : []),
    ...(told.includes("snapshot") && snapshot === null ? ["the snapshot is lost"] : []),
  ];
  await transact(path, "afterwards");
  return faults;
}

async function sweep(what: string, point: Point, inject: string): Promise<{ ended: Traced; faults: string[] }> {
  restore();
  const ended = await traced({ calls: [point.name], paths: [point.path], inject, onlyItself: true });
  const found = [...(ended.hits > 0 ? [] : ["not reached"]), ...(await aftermath(ended))];
  return { ended, faults: found.map((fault) => `${what} at ${tell(point, live)}: ${fault}`) };
}

test("PR-1: whatever a store acknowledged is there after kill -9 at any call that changes a file", async () => {
  const faults: string[] = [];
  for (const point of points.filter(isChange)) {
    faults.push(...(await sweep("killed", point, `signal=KILL:when=${point.nth}`)).faults);
    total.killed += 1;
  }
  expect(faults).toEqual([]);
});

test("PR-18: whatever error a call of the store meets, it acknowledges nothing that is not there and names its file", async () => {
  const faults: string[] = [];
  for (const { point, what, inject } of sampleTroubles(points, { few: 90, many: 1 })) {
    const { ended, faults: found } = await sweep(what, point, inject);
    const isPrecise = ended.code === 0 || (ended.code === 10 && ended.stderr.includes(path));
    faults.push(...found, ...(isPrecise ? [] : [`${what} at ${tell(point, live)}: ${ended.code} ${ended.stderr}`]));
    total.errors += 1;
  }
  expect(faults).toEqual([]);
});
