import { expect, test } from "vitest";
import { patience } from "../../src/core/waiting.ts";
import { Limits } from "../../src/protocol/task.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { Coverage } from "./coverage.ts";
import { found } from "./plan.ts";
import { comeToTheEnd } from "./schedule.ts";
import { type Plan, World } from "./world.ts";

const usual = {
  priority: "P1",
  maxAttempts: 1,
  validation: { command: "true", timeoutMs: 1_000, quick: null },
  cleanup: null,
  kind: "task",
} as const;
const plan: Plan = {
  mood: "usual",
  integration: "branch",
  adopted: false,
  concurrency: "exclusive",
  lanes: 2,
  initScript: false,
  limits: Limits.parse({ maxIterations: 1, maxSessions: 200, maxFreeInterruptions: 0 }),
  tasks: [
    { id: "a", dependsOn: [], ...usual },
    { id: "b", dependsOn: [], ...usual },
    { id: "c", dependsOn: [], ...usual },
  ],
};

/** The agent serves nobody; `crashes`: after each wait that began the run dies, and another one takes over. */
async function outage(seed: number, lanes: number, crashes: boolean): Promise<World> {
  const world = new World(seed, { ...plan, lanes }, new Coverage());
  await found(world);
  world.faulty = false;
  world.outage = true;
  let [seen, process] = [0, world.spawn()];
  for (let step = 0; world.observer.state.lastRun?.reason !== "environment"; step++) {
    if (step > 100_000) throw new Error("no end was reached");
    const moved = await world.scheduler.step();
    world.observer.atRest();
    const waits = world.observer.state.waits.get(agentOf(world))?.times ?? 0;
    if (crashes && waits > seen) {
      seen = waits;
      process.alive = false;
      process = world.spawn();
    } else if (!moved) await world.sleep();
  }
  return world;
}
const agentOf = ({ observer: { state } }: World): string => [...state.runs.values()][0]?.agent ?? "fake";

test.for([
  [1, 2, false],
  [2, 1, false],
  // With one lane no agent is lost along with the run.
  [3, 1, true],
] as const)(
  "E, PR-7: seed %i, %i lane(s), crashes: %s: an outage ends the run after exactly as much patience as there is, charges nobody, and the same attempts go on when it is over",
  async ([seed, lanes, crashes]) => {
    const world = await outage(seed, lanes, crashes);
    const all = world.journal.events.map((event) => decodeEvent(event));
    const given = all.findIndex(({ type }) => type === "wait.cleared");
    const events = all.slice(0, given);
    const agent = all.flatMap((event) => (event.type === "wait.cleared" ? [event.agent] : []))[0];
    const waits = events.flatMap((event) => (event.type === "wait.started" && event.agent === agent ? [event] : []));
    expect(waits.map(({ times }) => times)).toEqual(waits.map((_, place) => place + 1));
    const { times, inAllMs } = patience.overloaded;
    const last = waits.at(-1);
    expect(last?.times === times || last?.waitedMs === inAllMs).toBe(true);
    expect(all.filter(({ type }) => type === "task.claimed" || type === "attempt.failed")).toHaveLength(lanes);

    world.outage = false;
    await comeToTheEnd(world);
    const { state } = world.observer;
    expect(state.lastRun?.reason).toBe("completed");
    expect([...state.tasks.values()].map(({ attempts, claims }) => [attempts, claims])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  },
);
