// A worker that carries the protocol itself, verb by verb, each a process of its own – and may die or sleep in between.
import { createMission } from "../../src/runtime/mission.ts";
import { portsFor } from "./ports.ts";
import { leaseSeconds, type SimProcess, type World } from "./world.ts";

export async function workAsOutsider(world: World, process: SimProcess): Promise<void> {
  const { random, scheduler, coverage } = world;
  const never = new AbortController().signal;
  let last = await createMission(portsFor(world, process));
  /** Mostly the handle of the verb before, which catches up: a new one folds the whole journal. */
  const verb = async () => {
    if (random.chance(0.3)) last = await createMission(portsFor(world, process));
    return last;
  };
  for (let claims = random.between(1, 4); claims > 0; claims--) {
    const request = { worker: process.name, leaseSeconds, trust: { how: "all" } } as const;
    const claimed = await (await verb()).outside.claim(request, never);
    if (!claimed.ok) return;
    const { task, claim, workspace } = claimed.value;
    const holding = { task, claim, leaseSeconds };
    for (let act = random.between(0, 3); act > 0; act--) {
      await scheduler.turn(process, "outside");
      world.outsiderActs(task, claim, workspace);
      if (random.chance(0.3))
        await (await verb()).outside.checkpoint(holding, { step: 1, total: act, description: "x" });
      if (random.chance(0.2)) await (await verb()).outside.renew(holding);
    }
    await scheduler.turn(process, "outside");
    const mission = await verb();
    const failure = { kind: random.pick(["task_exec", "timeout", "env_setup"] as const), message: "given up" };
    const ended =
      world.faulty && random.chance(0.2)
        ? await mission.outside.fail(holding, failure, never)
        : await mission.outside.done(holding, "done", never);
    if (!ended.ok) coverage.hit("fault a late worker was refused");
    if (!ended.ok || ended.value.completed || ended.value.status !== "in_progress") continue;
    coverage.hit("conflict handed back to an outside worker");
    await scheduler.turn(process, "outside");
    if (random.chance(0.7)) world.outsiderRepairs(workspace);
    await (await verb()).outside.done(holding, "done", never);
  }
}
