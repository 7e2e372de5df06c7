// All that may go wrong, each counted with the stages it met.
import { writeSnapshot } from "../../src/core/snapshot.ts";
import type { State } from "../../src/core/state.ts";
import type { Effect } from "../../src/protocol/effect.ts";
import type { Command } from "../../src/protocol/input.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { Journal } from "../../src/runtime/journal.ts";
import { openMemoryStore } from "../../src/stores/index.ts";
import type { SimProcess, World } from "./world.ts";

export const validation = { command: "true", timeoutMs: 1_000 };

export const stagesNow = (world: World) =>
  [...world.observer.state.working].flatMap((id) => {
    const phase = world.observer.state.tasks.get(id)?.phase;
    return phase?.status === "in_progress" ? [phase.attempt.stage] : [];
  });

export function crash(world: World, process: SimProcess): void {
  world.coverage.fault("crash", stagesNow(world));
  if (world.scheduler.placesOf(process).includes("transact before"))
    world.coverage.fault("lost answer", stagesNow(world));
  process.alive = false;
}

/** The process stops without dying, others take it for dead – and later it goes on as if nothing had happened. */
export function loseLane(world: World, process: SimProcess): void {
  world.coverage.fault("lane loss", stagesNow(world));
  process.frozen = true;
  process.wasFrozen = true;
  // Where there are leases, only they tell that it is gone.
  process.presumedDead = world.plan.concurrency === "exclusive" && !process.name.startsWith("worker");
}

export function interrupt(world: World, process: SimProcess): void {
  world.coverage.fault("interrupt", stagesNow(world));
  process.interrupt.abort();
}

/** Agents of crashed processes go on until somebody ends them by identity. */
export function orphansWriteOn(world: World): void {
  for (const agent of world.agents) {
    if (agent.ended || !agent.started || (agent.supervisor.alive && !agent.supervisor.presumedDead)) continue;
    if (!world.random.chance(0.05)) continue;
    world.coverage.hit("fault orphan wrote on");
    world.agentActs(agent, "write");
  }
}

export async function foreignCommand(world: World): Promise<void> {
  const { random, coverage, observer } = world;
  coverage.hit("fault foreign command");
  const tasks = [...observer.state.tasks.keys()];
  const names = [...observer.state.approvals.keys(), "nobody"];
  const command = random.pick<() => Command>([
    () => ({ type: "mission.pause", by: "sim" }),
    () => ({ type: "mission.resume", by: "sim" }),
    () => ({ type: "mission.resume", by: "sim" }),
    () => ({ type: "mission.configure", concurrency: random.pick(["exclusive", "concurrent"] as const) }),
    () => ({ type: "mission.stop", now: random.chance(0.5) }),
    () => ({
      type: "approval.ask",
      name: `q${random.between(1, 3)}`,
      task: random.chance(0.5) ? null : random.pick(tasks),
      question: "?",
    }),
    () => ({ type: "task.retry", task: random.pick(tasks) }),
    () => ({ type: "loop.resume", task: random.pick(tasks), maxIterations: random.between(1, 8) }),
    () => ({ type: "task.reset", tasks: random.chance(0.3) ? [] : [random.pick(tasks)] }),
    () => ({
      type: "task.edit",
      task: random.pick(tasks),
      change: { title: "other", dependsOn: random.chance(0.5) ? [] : [random.pick(tasks)] },
    }),
    () => ({ type: "edit.refuse", task: null, field: "status", why: "by hand" }),
    () => ({ type: "project.trust", hash: "script" }),
    () => ({ type: "trust.revoke", by: "somebody" }),
    () => ({ type: "approval.grant", name: random.pick(names) }),
    () => ({ type: "approval.deny", name: random.pick(names), note: "no" }),
    () => ({
      type: "task.add",
      task: { title: "more", dependsOn: random.chance(0.5) ? [random.pick(tasks)] : [], validation },
    }),
    () => ({ type: "task.add", task: { title: "lost", dependsOn: ["no-such-task"], validation } }),
  ])();
  if (command.type === "mission.pause") coverage.fault("pause", stagesNow(world));
  if (command.type === "task.reset") coverage.fault("reset", stagesNow(world));
  if (command.type === "mission.stop") coverage.fault("stop", stagesNow(world));
  await (await world.visitor()).submit(command);
}

/** An answer that was given before, or in the name of a run that was replaced: refused, and nothing changes. */
export async function wrongAnswer(world: World): Promise<void> {
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
  const mailbox = new Journal(
    openMemoryStore(journal, () => world.now()),
    { now: () => world.now() },
  );
  const answer = { kind: "failed", failure: { kind: "task_exec", message: "wrong" } } as const;
  const { id, fence } = effect;
  // In its own name, or – if the effect was adopted since – in the name of the run that owns it now.
  const owner = observer.state.pending.get(id)?.effect.run ?? effect.run;
  const run = random.pick([effect.run, owner]);
  const original = `${effect.run}/${id}#${fence}/answer`;
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
