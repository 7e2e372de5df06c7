import { expect, test } from "vitest";
import { Coverage } from "./coverage.ts";
import { randomPlan } from "./plan.ts";
import { Random } from "./random.ts";
import { liveThrough } from "./schedule.ts";
import { World } from "./world.ts";

const schedules = 24;

test(`B4, PR-7: in ${schedules} schedules of agents that go in circles none goes on for longer than it may, whatever crashes, and each ends`, async () => {
  const coverage = new Coverage();
  for (let seed = 1; seed <= schedules; seed++) {
    const plan = { ...randomPlan(new Random(seed * 104_729)), mood: "circling" } as const;
    await liveThrough(new World(seed, plan, coverage));
  }
  const rows = ["circle files", "circle failure", "circle call", "overflow 1", "overflow 4"];
  expect(rows.filter((row) => (coverage.hits.get(row) ?? 0) > 0)).toEqual(rows);
});
