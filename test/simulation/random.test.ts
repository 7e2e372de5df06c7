import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { Coverage } from "./coverage.ts";
import { liveThrough, worldOf } from "./schedule.ts";

const schedules = Number(process.env.HARNESS_SIM_SCHEDULES ?? "500");
/** Replay one, and see its journal if it breaks: HARNESS_SIM_SEED=123 npm run sim */
const only = process.env.HARNESS_SIM_SEED;
/** Keep that seed's journal for test/journals: HARNESS_SIM_SEED=123 HARNESS_SIM_RECORD=test/journals/name.ndjson npm run sim */
const record = process.env.HARNESS_SIM_RECORD;

test(`PR-3, PR-4, PR-5, PR-7, PR-9, PR-19, PR-22, PR-23: no invariant breaks in ${only === undefined ? schedules : "one"} schedule(s), and each comes to its end`, async () => {
  const coverage = new Coverage();
  const seeds = only === undefined ? Array.from({ length: schedules }, (_, index) => index + 1) : [Number(only)];
  let events = 0;
  let runs = 0;
  for (const seed of seeds) {
    const world = worldOf(seed, coverage);
    try {
      await liveThrough(world);
      if (record !== undefined)
        writeFileSync(record, world.journal.events.map((event) => `${JSON.stringify(event)}\n`).join(""));
      events += world.journal.events.length;
      runs += world.processes.length;
    } catch (error) {
      if (only !== undefined)
        console.log(world.journal.events.map(({ position, type, body }) => `${position} ${type} ${body}`).join("\n"));
      throw new Error(
        `seed ${seed} breaks: ${error instanceof Error ? error.message : error}\n  replay: HARNESS_SIM_SEED=${seed} npm run sim`,
        { cause: error },
      );
    }
  }
  console.log(coverage.table());
  recordNumbers(
    ["PR-3", "PR-4", "PR-5", "PR-7", "PR-9", "PR-19", "PR-22", "PR-23"],
    `${seeds.length} simulated schedules with ${runs} runs and ${events} events, ${coverage.rows} things reached, 0 violations`,
  );
  if (only === undefined && schedules >= 5_000) expect(coverage.missed()).toEqual([]);
});
