import { expect, test } from "vitest";
import { Limits } from "../../src/protocol/task.ts";
import { recordNumbers } from "../numbers.ts";
import { Coverage } from "./coverage.ts";
import { promise } from "./fake-agent.ts";
import { found } from "./plan.ts";
import { comeToTheEnd } from "./schedule.ts";
import { type Plan, World } from "./world.ts";

const usual = {
  priority: "P1",
  maxAttempts: 2,
  validation: { command: "true", timeoutMs: 1_000, quick: "true" },
  cleanup: null,
  kind: "feature",
} as const;
const phases = ["write", "check"].map((name) => ({ name, prefix: `${name} it`, gate: { command: "true" } }));
const plan: Plan = {
  mood: "usual",
  integration: "current",
  adopted: false,
  concurrency: "exclusive",
  lanes: 2,
  initScript: true,
  limits: Limits.parse({}),
  tasks: [
    { id: "a", dependsOn: [], ...usual },
    { id: "b", dependsOn: [], ...usual },
    { id: "c", dependsOn: ["a", "b"], ...usual },
    { id: "d", dependsOn: [], ...usual, loop: { promise, maxIterations: 20, phases } },
  ],
};

/** Everything goes well, except that the process dies for good before its `point`-th call to the outside goes on. */
async function crashAt(point: number, again: number): Promise<{ readonly world: World; readonly reached: boolean }> {
  const world = new World(1, plan, new Coverage());
  await found(world);
  world.faulty = false;
  for (const after of [point, again]) {
    const process = world.spawn();
    for (let step = 0; step < after && process.alive; step++) await world.scheduler.step();
    if (!process.alive) return { world, reached: false };
    await world.scheduler.settle();
    process.alive = false;
  }
  await comeToTheEnd(world);
  return { world, reached: true };
}

test("PR-1, PR-5, I1: a crash at any call of a run – of three tasks and a loop of two phases –, and another in the recovery from it, loses nothing and doubles nothing", async () => {
  let points = 0;
  for (let point = 1; ; point++) {
    const { world, reached } = await crashAt(point, (point * 7) % 23);
    if (!reached) break;
    points += 1;
    const { state } = world.observer;
    expect([point, state.lastRun?.reason]).toEqual([point, "completed"]);
    expect([
      point,
      world.repository
        .merges()
        .map(({ task }) => task)
        .sort(),
    ]).toEqual([point, ["a", "b", "c", "d"]]);
  }
  recordNumbers(
    ["PR-1", "PR-5"],
    `${points} crash points of a simulated run, each followed by a second crash in its recovery, 0 lost, 0 doubled`,
  );
  expect(points).toBeGreaterThan(100);
});
