// One seed, lived through: first anything may go wrong, then nothing does and everything must come to its end.
import { isRowOver } from "../../src/core/rounds-over.ts";
import type { Coverage } from "./coverage.ts";
import {
  crash,
  foreignCommand,
  interrupt,
  loseLane,
  orphansWriteOn,
  stagesNow,
  validation,
  wrongAnswer,
} from "./faults.ts";
import { found, randomPlan } from "./plan.ts";
import { Random } from "./random.ts";
import { checkTheEnd, sameTruth } from "./same-truth.ts";
import { userAccepts, userActs, userDrops } from "./user.ts";
import { World } from "./world.ts";

export const worldOf = (seed: number, coverage: Coverage): World =>
  Object.assign(new World(seed, randomPlan(new Random(seed * 7_919 + 1)), coverage), { talkative: true });

export async function liveThrough(world: World): Promise<void> {
  await found(world);
  // Work has to get as far as a conflict, or a wait, before anything goes wrong with that.
  const patient = isPatient(world);
  const faultySteps = patient ? world.random.between(130, 650) : world.random.between(30, 350);
  for (let step = 0; step < faultySteps; step++) await faultyStep(world);
  await comeToTheEnd(world);
}

const isPatient = ({ plan: { mood } }: World): boolean => ["crowded", "limited", "circling"].includes(mood);

async function faultyStep(world: World): Promise<void> {
  const { random, scheduler, observer } = world;
  const concurrent = world.plan.concurrency === "concurrent";
  // Few steps are spent in rebasing: then more goes wrong than usual.
  const rebasing = stagesNow(world).includes("rebasing");
  const calm = rebasing ? 0.1 : isPatient(world) ? 3 : 1;
  if (world.live("run").length < (concurrent ? 3 : 1) && random.chance(concurrent ? 0.1 : 0.5)) world.spawn();
  if (world.live("worker").length < 3 && random.chance(concurrent ? 0.1 : 0.01)) world.spawnWorker();
  for (const running of [...world.live("run"), ...world.live("worker")]) {
    if (random.chance(0.02 / calm)) crash(world, running);
    else if (random.chance(0.01 / calm)) loseLane(world, running);
    else if (random.chance(0.004 / calm)) interrupt(world, running);
  }
  for (const process of world.processes) if (process.frozen && random.chance(0.1)) process.frozen = false;
  if (random.chance(0.02)) await world.leap();
  if (random.chance(0.07)) await world.sleep();
  world.beat();
  orphansWriteOn(world);
  if (random.chance(0.03)) userActs(world);
  if (random.chance(0.02)) await userAccepts(world);
  if (random.chance(0.03)) await userDrops(world);
  if (random.chance(rebasing ? 0.3 : 0.06)) await foreignCommand(world);
  if (random.chance(rebasing ? 0.2 : 0.04)) await wrongAnswer(world);
  await scheduler.step();
  observer.atRest();
}

export async function comeToTheEnd(world: World): Promise<void> {
  world.faulty = false;
  world.repository.user.dirty = false;
  for (const process of world.processes) process.frozen = false;
  for (let step = 0; step < 30_000; step++) {
    world.beat();
    const moved = await world.scheduler.step();
    world.observer.atRest();
    if (step % 10 === 0) sameTruth(world);
    if (moved) continue;
    const { state } = world.observer;
    const visitor = await world.visitor();
    if (state.paused || isRowOver(state)) await visitor.submit({ type: "mission.resume", by: "sim" });
    for (const name of state.approvals.keys()) {
      const denied = /^(?:conflict|ask|add|judge)-/.test(name) && world.random.chance(0.2);
      await visitor.submit(denied ? { type: "approval.deny", name, note: "no" } : { type: "approval.grant", name });
    }
    // Proposed by an agent, and let go by a person who did not say how it is judged: every run would stop for it (A3).
    for (const task of state.unjudged)
      await visitor.submit({ type: "task.edit", task, change: { validation: { ...validation, quick: null } } });
    world.observer.watch();
    // What a dead worker holds is nobody's until its lease is over.
    await world.leap();
    await world.sleep();
    if (world.live("run").length + world.live("worker").length > 0) {
      await world.scheduler.settle();
      continue;
    }
    const reason = state.lastRun?.reason;
    if (state.runs.size === 0 && (reason === "completed" || reason === "failed" || reason === "limit") && isOver(world))
      return checkTheEnd(world);
    world.spawn();
  }
  world.observer.fail("B1: no end was reached");
}

/** Nothing is left that could be done: all is done, lost, or the sessions or rounds are used up. */
function isOver({ observer: { state } }: World): boolean {
  const { maxSessions, maxRounds = Number.POSITIVE_INFINITY } = state.mission?.limits ?? {};
  const isSpent = state.sessions === maxSessions || state.rounds.count >= maxRounds;
  if (isSpent && state.lastRun?.reason === "limit") return true;
  return state.ready.size === 0 && state.working.size === 0;
}
