// One seed, lived through: first anything may go wrong, then nothing does and everything must come to its end.
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import type { State } from "../../src/core/state.ts";
import { Limits, Priority } from "../../src/protocol/task.ts";
import type { Coverage } from "./coverage.ts";
import { crash, foreignCommand, interrupt, loseLane, orphansWriteOn, validation, wrongAnswer } from "./faults.ts";
import { Random } from "./random.ts";
import { type Plan, World } from "./world.ts";

export const worldOf = (seed: number, coverage: Coverage): World =>
  new World(seed, randomPlan(new Random(seed * 7_919 + 1)), coverage);

export async function liveThrough(world: World): Promise<void> {
  await found(world);
  const faultySteps = world.random.between(20, 250);
  for (let step = 0; step < faultySteps; step++) await faultyStep(world);
  await comeToTheEnd(world);
}

function randomPlan(random: Random): Plan {
  const small = random.chance(0.3);
  const limits = Limits.parse({
    maxSessions: small ? random.between(1, 6) : 200,
    maxTasksPerSession: random.pick([1, 2, 3, 20]),
    maxIterations: random.between(1, 3),
    maxFreeInterruptions: random.between(0, 2),
  });
  const names = Array.from({ length: random.between(1, 7) }, (_, index) => `task-${index + 1}`);
  const tasks = names.map((id, index) => ({
    id,
    dependsOn: names.slice(0, index).filter(() => random.chance(0.3)),
    priority: random.pick(Priority.options),
    maxAttempts: random.between(1, 3),
  }));
  return { limits, lanes: random.between(1, 3), tasks };
}

export async function found(world: World): Promise<void> {
  const visitor = await world.visitor();
  await visitor.submit({ type: "mission.create", mission: "m", branch: "harness/m", limits: world.plan.limits });
  for (const task of world.plan.tasks)
    await visitor.submit({ type: "task.add", task: { ...task, title: task.id, validation } });
  world.observer.watch();
}

async function faultyStep(world: World): Promise<void> {
  const { random, scheduler, observer } = world;
  if (world.live() === undefined && random.chance(0.5)) world.spawn();
  const running = world.live();
  if (running !== undefined) {
    if (random.chance(0.02)) crash(world, running);
    else if (random.chance(0.01)) loseLane(world, running);
    else if (random.chance(0.004)) interrupt(world, running);
  }
  for (const process of world.processes) if (process.frozen && random.chance(0.1)) process.frozen = false;
  orphansWriteOn(world);
  if (random.chance(0.06)) await foreignCommand(world);
  if (random.chance(0.04)) await wrongAnswer(world);
  await scheduler.step();
  observer.atRest();
}

export async function comeToTheEnd(world: World): Promise<void> {
  world.faulty = false;
  for (const process of world.processes) process.frozen = false;
  for (let step = 0; step < 30_000; step++) {
    const moved = await world.scheduler.step();
    world.observer.atRest();
    if (moved) continue;
    const { state } = world.observer;
    const visitor = await world.visitor();
    if (state.paused) await visitor.submit({ type: "mission.resume", by: "sim" });
    for (const name of state.approvals.keys()) await visitor.submit({ type: "approval.grant", name });
    world.observer.watch();
    if (world.live() !== undefined) {
      await world.scheduler.settle();
      continue;
    }
    const reason = state.lastRun?.reason;
    if (state.run === null && (reason === "completed" || reason === "failed" || reason === "limit") && isOver(world))
      return check(world);
    world.spawn();
  }
  world.observer.fail("B1: no end was reached");
}

/** Nothing is left that could be done: all is done, lost, or the sessions are used up. */
function isOver({ observer: { state } }: World): boolean {
  if (state.sessions === state.mission?.limits.maxSessions && state.lastRun?.reason === "limit") return true;
  return state.ready.size === 0 && state.working.size === 0;
}

/** Every process, the observer and a restored snapshot tell the same story. */
function check(world: World): void {
  const { observer, processes } = world;
  const truth = observer.state;
  observer.nothingIsLost();
  if (truth.pending.size > 0 && truth.lastRun?.reason !== "limit") observer.fail("an effect is pending at the end");
  const restored = readSnapshot(writeSnapshot(truth));
  if (restored === null || inOrder(restored) !== inOrder(truth))
    observer.fail("PR-23: a restored snapshot is not the state");
  for (const process of processes) {
    const own = process.mission?.state() as State | undefined;
    if (process.end === null || own === undefined || own.position !== truth.position) continue;
    if (inOrder(own) !== inOrder(truth)) observer.fail(`PR-23: ${process.name} folded another state`);
  }
}

/** Facts and indexes as text; tasks by id, for their order in the map is no part of the state. */
function inOrder(state: State): string {
  const tasks = [...state.tasks.values()].sort((a, b) => (a.spec.id < b.spec.id ? -1 : 1));
  const { position, at, fence, sessions, session, paused, counts, highestNumber } = state;
  const index = {
    ready: state.ready.peek(),
    size: state.ready.size,
    working: [...state.working],
    unjudged: [...state.unjudged].sort(),
  };
  return JSON.stringify({
    tasks,
    position,
    at,
    fence,
    sessions,
    session,
    paused,
    counts,
    highestNumber,
    index,
    pending: [...state.pending],
  });
}
