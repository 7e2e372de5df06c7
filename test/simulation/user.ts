// The user of the simulated repository.
import type { World } from "./world.ts";

/** The user goes on with their own branch, now in files of their own, now where the tasks work; or leaves work lying about. */
export function userActs({ random, repository, coverage }: World): void {
  const { user } = repository;
  user.dirty = random.chance(0.3);
  if (user.dirty) return;
  coverage.hit("fault the user committed");
  user.commit(random.pick(["mine.txt", "mine.txt", "shared.txt"]), `by the user, ${random.between(0, 9)}`);
}

export async function userAccepts(world: World): Promise<void> {
  const { random, observer } = world;
  const tasks = random.chance(0.7) ? [] : [random.pick([...observer.state.tasks.keys()])];
  const accepted = await (await world.visitor()).accept({ tasks, squash: random.chance(0.3), by: "user" });
  if (accepted.ok) world.coverage.hit("fault the user accepted");
}

/** Now and then something that was done is not wanted. */
export async function userDrops(world: World): Promise<void> {
  const { random, observer, coverage } = world;
  const task = random.pick([...observer.state.tasks.keys()]);
  const dropped = await (await world.visitor()).drop({ task, by: "user" });
  if (dropped.ok) coverage.hit("fault the user dropped");
}
