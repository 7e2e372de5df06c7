import { expect, test } from "vitest";
import type { EventType } from "../../src/protocol/event.ts";
import { Limits } from "../../src/protocol/task.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { recordNumbers } from "../numbers.ts";
import { Coverage } from "./coverage.ts";
import { found } from "./plan.ts";
import { World } from "./world.ts";

const tasks = 240;

/** Nothing goes wrong, and each task writes a file of its own: what is counted is only how they get in each other's way. */
async function liveIn(seed: number, lanes: number, runs: number): Promise<World> {
  const usual = { priority: "P1", maxAttempts: 1, cleanup: null, kind: "task" } as const;
  const validation = { command: "true", timeoutMs: 1_000, quick: null };
  const plan = Array.from({ length: tasks }, (_, n) => ({ id: `task-${n + 1}`, dependsOn: [], validation, ...usual }));
  const world = new World(
    seed,
    {
      mood: "usual",
      integration: "branch",
      adopted: false,
      concurrency: runs > 1 ? "concurrent" : "exclusive",
      lanes: lanes / runs,
      initScript: false,
      limits: Limits.parse({ maxSessions: tasks, maxTasksPerSession: tasks }),
      tasks: plan,
    },
    new Coverage(),
  );
  await found(world);
  world.faulty = false;
  for (let run = 0; run < runs; run++) world.spawn();
  for (let step = 0; world.live("run").length > 0; step++) {
    if (step > 200_000) throw new Error("no end was reached");
    world.beat();
    if (!(await world.scheduler.step())) await world.leap();
  }
  return world;
}

test.each([
  [1, 4, 1],
  [2, 4, 1],
  [3, 4, 2],
  [4, 8, 1],
])(
  "G5: seed %i, %i lanes in %i run(s): a task is judged at most twice, however many want to merge",
  async (seed, lanes, runs) => {
    const world = await liveIn(seed, lanes, runs);
    const events = world.journal.events.map((event) => decodeEvent(event));
    const count = (type: EventType): number => events.filter((event) => event.type === type).length;
    const overtaken = new Map<string, number>();
    for (const event of events)
      if (event.type === "candidate.outdated") overtaken.set(event.task, (overtaken.get(event.task) ?? 0) + 1);
    expect(world.repository.merges()).toHaveLength(tasks);
    expect(Math.max(...overtaken.values())).toBe(1);
    expect(count("gate.judged")).toBeLessThanOrEqual(2 * tasks + lanes);
    expect(count("gate.judged")).toBe(tasks + count("candidate.outdated"));
    recordNumbers(
      ["PR-5"],
      `${tasks} tasks on ${lanes} simulated lanes: ${count("gate.judged")} judgements, none overtaken twice`,
    );
  },
  120_000,
);
