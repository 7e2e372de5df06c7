// One seed, lived through: first anything may go wrong, then nothing does and everything must come to its end.
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import type { State } from "../../src/core/state.ts";
import type { Effect } from "../../src/protocol/effect.ts";
import type { Command } from "../../src/protocol/input.ts";
import { Limits, Priority } from "../../src/protocol/task.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { Journal } from "../../src/runtime/journal.ts";
import { openMemoryStore } from "../../src/stores/memory/index.ts";
import type { Coverage } from "./coverage.ts";
import { Random } from "./random.ts";
import { type Plan, type SimProcess, World } from "./world.ts";

const validation = { command: "true", timeoutMs: 1_000 };

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

const stagesNow = (world: World) =>
  [...world.observer.state.working].flatMap((id) => {
    const phase = world.observer.state.tasks.get(id)?.phase;
    return phase?.status === "in_progress" ? [phase.attempt.stage] : [];
  });

function crash(world: World, process: SimProcess): void {
  world.coverage.fault("crash", stagesNow(world));
  if (world.scheduler.placesOf(process).includes("transact before"))
    world.coverage.fault("lost answer", stagesNow(world));
  process.alive = false;
}

/** The process stops without dying, others take it for dead – and later it goes on as if nothing had happened. */
function loseLane(world: World, process: SimProcess): void {
  world.coverage.fault("lane loss", stagesNow(world));
  process.frozen = true;
  process.presumedDead = true;
}

function interrupt(world: World, process: SimProcess): void {
  world.coverage.fault("interrupt", stagesNow(world));
  process.interrupt.abort();
}

/** Agents of crashed processes go on until somebody ends them by identity. */
function orphansWriteOn(world: World): void {
  for (const agent of world.agents) {
    if (agent.ended || !agent.started || (agent.supervisor.alive && !agent.supervisor.presumedDead)) continue;
    if (!world.random.chance(0.05)) continue;
    world.coverage.hit("fault orphan wrote on");
    world.agentActs(agent, "write");
  }
}

async function foreignCommand(world: World): Promise<void> {
  const { random, coverage, observer } = world;
  coverage.hit("fault foreign command");
  const tasks = [...observer.state.tasks.keys()];
  const names = [...observer.state.approvals.keys(), "nobody"];
  const command = random.pick<() => Command>([
    () => ({ type: "mission.pause", by: "sim" }),
    () => ({ type: "mission.resume", by: "sim" }),
    () => ({ type: "mission.resume", by: "sim" }),
    () => ({ type: "mission.stop", now: random.chance(0.5) }),
    () => ({
      type: "approval.ask",
      name: `q${random.between(1, 3)}`,
      task: random.chance(0.5) ? null : random.pick(tasks),
      question: "?",
    }),
    () => ({ type: "approval.grant", name: random.pick(names) }),
    () => ({ type: "approval.deny", name: random.pick(names), note: "no" }),
    () => ({
      type: "task.add",
      task: { title: "more", dependsOn: random.chance(0.5) ? [random.pick(tasks)] : [], validation },
    }),
    () => ({ type: "task.add", task: { title: "lost", dependsOn: ["no-such-task"], validation } }),
  ])();
  if (command.type === "mission.pause") coverage.fault("pause", stagesNow(world));
  if (command.type === "mission.stop") coverage.fault("stop", stagesNow(world));
  await (await world.visitor()).submit(command);
}

/** An answer that was given before, or in the name of a run that was replaced: refused, and nothing changes. */
async function wrongAnswer(world: World): Promise<void> {
  const { random, coverage, journal, observer } = world;
  observer.watch();
  const asked = journal.events
    .map(({ type }, index) => ({ type, index }))
    .filter(({ type }) => type === "effect.requested");
  if (asked.length === 0) return;
  const stored = journal.events[random.pick(asked).index];
  const event = stored === undefined ? undefined : decodeEvent(stored);
  if (event?.type !== "effect.requested") return;
  const { effect } = event;
  const now = observer.state.pending.get(effect.id)?.effect;
  if (now?.fence === effect.fence) return;
  coverage.fault(now === undefined ? "doubled answer" : "late answer", stagesNow(world));
  await expectRefused(world, effect);
}

async function expectRefused(world: World, effect: Effect): Promise<void> {
  const { observer, journal, coverage, random } = world;
  const before = unmoved(observer.state);
  const mailbox = new Journal(openMemoryStore(journal), { now: () => world.now() });
  const answer = { kind: "failed", failure: { kind: "task_exec", message: "wrong" } } as const;
  const { run, id, fence } = effect;
  const original = `${run}/${id}#${fence}/answer`;
  const repeat = journal.appendedBy(original) !== null && random.chance(0.3);
  const commandId = repeat ? original : `wrong-${journal.events.length}`;
  const length = journal.events.length;
  await mailbox.transact({ type: "effect.answer", run, id, fence, answer }, commandId);
  if (repeat) coverage.hit("fault answer repeated with its command id");
  if (repeat && journal.events.length !== length) observer.fail("a repeated command was recorded twice");
  observer.watch();
  if (unmoved(observer.state) !== before) observer.fail(`PR-4: the wrong answer to ${id} changed the state`);
}

/** The state without its place in time. */
const unmoved = (state: State): string => writeSnapshot({ ...state, position: 0, at: 0 });

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
