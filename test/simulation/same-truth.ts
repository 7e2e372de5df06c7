// What all views and all processes must agree on.
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import type { State } from "../../src/core/state.ts";
import { tasksFileOf } from "../../src/core/tasks-file/write.ts";
import { statusView } from "../../src/core/views/status.ts";
import { renderHook } from "../../src/runtime/views/hook-view.ts";
import type { World } from "./world.ts";

/** PR-22: status, task file and hook view, each made its own way, count the same tasks. */
export function sameTruth({ observer }: World): void {
  const { stats } = statusView(observer.state) ?? {};
  const file = tasksFileOf(observer.state).tasks;
  const stored = (status: string) =>
    file.filter((task) => task.status === status && task.blocked_by === undefined).length;
  const hook = JSON.parse(renderHook(observer.state, null)(null)).counts;
  const counts = [
    [stats?.pending, stored("pending"), hook.pending],
    [stats?.inProgress, stored("in_progress"), hook.in_progress],
    [stats?.completed, stored("completed"), hook.completed],
    [stats?.failed, stored("failed"), hook.failed],
    [stats?.blocked, file.filter((task) => task.blocked_by !== undefined).length, hook.blocked],
  ];
  for (const each of counts)
    if (new Set(each).size !== 1) observer.fail(`PR-22: the views disagree: ${JSON.stringify(counts)}`);
}

/** Every process, the observer and a restored snapshot tell the same story. */
export function checkTheEnd(world: World): void {
  const { observer, processes } = world;
  const truth = observer.state;
  observer.nothingIsLost();
  sameTruth(world);
  // A worker that asks in vain leaves alone what a dead run asked of the environment: whoever comes with work adopts it.
  const left = [...truth.pending.values()].filter(({ effect }) => effect.kind !== "session.prepare").length;
  if (left > 0 && truth.lastRun?.reason !== "limit") observer.fail("an effect is pending at the end");
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
  const { position, at, fence, sessions, session, paused, counts } = state;
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
    numbers: [...state.numbers].sort(),
    index,
    pending: [...state.pending],
    runs: [...state.runs],
    waits: [...state.waits],
    ledger: state.ledger,
    rounds: state.rounds,
    retired: [...state.retiredLanes],
  });
}
