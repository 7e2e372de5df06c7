import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { Coverage } from "./coverage.ts";
import { liveThrough, worldOf } from "./schedule.ts";
import { broken, liveThroughAll } from "./shards.ts";

const schedules = Number(process.env.HARNESS_SIM_SCHEDULES ?? "500");
/** Replay one, and see its journal if it breaks: HARNESS_SIM_SEED=123 npm run sim */
const only = process.env.HARNESS_SIM_SEED;
/** Keep that seed's journal for test/journals: HARNESS_SIM_SEED=123 HARNESS_SIM_RECORD=test/journals/name.ndjson npm run sim */
const record = process.env.HARNESS_SIM_RECORD;

async function replay(seed: number, coverage: Coverage) {
  const world = worldOf(seed, coverage);
  const { events } = world.journal;
  try {
    await liveThrough(world);
  } catch (error) {
    console.log(events.map(({ position, type, body }) => `${position} ${type} ${body}`).join("\n"));
    throw broken(seed, error);
  }
  if (record !== undefined) writeFileSync(record, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  return { seeds: 1, events: events.length, runs: world.processes.length };
}

test(`PR-3, PR-4, PR-5, PR-7, PR-9, PR-19, PR-22, PR-23: no invariant breaks in ${only === undefined ? schedules : "one"} schedule(s), and each comes to its end`, async () => {
  const coverage = new Coverage();
  const lived = only === undefined ? await liveThroughAll(schedules, coverage) : await replay(Number(only), coverage);
  console.log(coverage.table());
  const { seeds, events, runs } = lived;
  recordNumbers(
    ["PR-3", "PR-4", "PR-5", "PR-7", "PR-9", "PR-19", "PR-22", "PR-23"],
    `${seeds} simulated schedules with ${runs} runs and ${events} events, ${coverage.rows} things reached, 0 violations`,
  );
  expect(seeds).toBe(only === undefined ? schedules : 1);
  if (only === undefined && schedules >= 5_000) expect(coverage.missed()).toEqual([]);
});
