// M5: one durable transition through the real journal, against one write, fsync and rename in the same folder.
import { spawnSync } from "node:child_process";
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../src/protocol/input.ts";
import { systemClock } from "../src/runtime/clock.ts";
import { Journal } from "../src/runtime/journal.ts";
import { openSqliteStore } from "../src/stores/index.ts";
import { type Measurement, type Options, type Row, ratios, type Took } from "./measure.ts";
import { createProject } from "./plan.ts";

export const transition: Measurement = {
  id: "M5",
  what: "durable transitions",
  async run({ quick, folder, say }: Options) {
    const rows: Row[] = [];
    for (const size of [10, 1_000, 10_000]) {
      say(`M5: a plan of ${size}`);
      const { home } = createProject(folder, `m5-${size}`, size);
      const path = join(home, "journal.db");
      const syncs = syncsPerTransition(path);
      const transit = await openTransitions(path);
      const measured = await ratios(quick ? 50 : 300, {
        floor: () => writeDurably(home),
        subject: () => timed(transit.next),
      });
      await transit.close();
      const note = syncs === null ? "syncs not counted: no strace" : `${syncs} syncs`;
      rows.push({ id: "M5", work: "one transition", size: `${size} tasks`, ...measured, goal: { atMost: 2.5 }, note });
    }
    return rows;
  },
};

/** Pausing and resuming change nothing of the plan: every transition meets the same size. */
export async function openTransitions(path: string) {
  const store = await openSqliteStore({ path });
  const journal = new Journal(store, systemClock);
  await journal.catchUp();
  let count = 0;
  const next = async () => {
    count += 1;
    const type = count % 2 === 1 ? "mission.pause" : "mission.resume";
    const events = await journal.transact({ type, by: "bench" } satisfies Command, `${process.pid}-${count}`);
    if (events[0]?.type === "input.refused") throw new Error(events[0].failure.message);
  };
  return { next, close: () => store.close() };
}

const text = "x".repeat(1_000);

function writeDurably(folder: string): Took {
  const began = performance.now();
  const temporary = join(folder, "floor.tmp");
  const fd = openSync(temporary, "w");
  writeSync(fd, text);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(temporary, join(folder, "floor"));
  return { ms: performance.now() - began, cpuMs: null };
}

async function timed(work: () => Promise<unknown>): Promise<Took> {
  const began = performance.now();
  await work();
  return { ms: performance.now() - began, cpuMs: null };
}

/** By strace, as the difference between many transitions and none; null where there is no strace. */
function syncsPerTransition(path: string): number | null {
  const many = 20;
  const [none, all] = [countSyncs(path, 0), countSyncs(path, many)];
  return none === null || all === null ? null : (all - none) / many;
}

function countSyncs(path: string, transitions: number): number | null {
  const trace = ["-f", "-qq", "-e", "trace=fsync,fdatasync", "-e", "signal=none"];
  const child = [process.execPath, process.argv[1] ?? "", "--transitions", path, String(transitions)];
  const { status, stderr, error } = spawnSync("strace", [...trace, ...child], { encoding: "utf8" });
  if (error !== undefined) return null;
  if (status !== 0) throw new Error(stderr);
  return stderr.split("\n").filter((line) => /\bf(data)?sync\(/.test(line)).length;
}

/** The child of the above. */
export async function runTransitions(path: string, count: number): Promise<void> {
  const transit = await openTransitions(path);
  for (let n = 0; n < count; n += 1) await transit.next();
  await transit.close();
}
