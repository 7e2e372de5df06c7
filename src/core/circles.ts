// Circles among dependencies (rule K1): every strongly connected set of tasks, and one way round for each.
import type { TaskId } from "../protocol/ids.ts";

type Graph = ReadonlyMap<TaskId, readonly TaskId[]>;

export interface Circle {
  readonly members: readonly TaskId[];
  /** One way round, without its first member repeated at the end. */
  readonly way: readonly TaskId[];
}

/** Iterative, for plans of any depth: Tarjan's algorithm with its own stack. Linear in tasks and dependencies. */
export function circles(graph: Graph): readonly Circle[] {
  const index = new Map<TaskId, number>();
  const low = new Map<TaskId, number>();
  const onPath = new Set<TaskId>();
  const path: TaskId[] = [];
  const found: Circle[] = [];
  const enter = (task: TaskId): { task: TaskId; next: number } => {
    index.set(task, index.size);
    low.set(task, index.size - 1);
    onPath.add(task);
    path.push(task);
    return { task, next: 0 };
  };
  for (const root of graph.keys()) {
    if (index.has(root)) continue;
    const stack = [enter(root)];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const dependency = graph.get(top.task)?.[top.next];
      if (dependency !== undefined) {
        top.next += 1;
        if (!graph.has(dependency)) continue;
        if (!index.has(dependency)) stack.push(enter(dependency));
        else if (onPath.has(dependency)) lower(low, top.task, index.get(dependency) ?? 0);
        continue;
      }
      stack.pop();
      const below = stack.at(-1);
      if (below !== undefined) lower(low, below.task, low.get(top.task) ?? 0);
      if (low.get(top.task) !== index.get(top.task)) continue;
      const members = path.splice(path.lastIndexOf(top.task));
      for (const member of members) onPath.delete(member);
      if (members.length > 1 || graph.get(top.task)?.includes(top.task))
        found.push({ members, way: wayRound(graph, members) });
    }
  }
  return found;
}

function lower(low: Map<TaskId, number>, task: TaskId, to: number): void {
  low.set(task, Math.min(low.get(task) ?? to, to));
}

/** From any member, always on to a dependency inside the set: it must come back to where it was. */
function wayRound(graph: Graph, members: readonly TaskId[]): readonly TaskId[] {
  const inside = new Set(members);
  const places = new Map<TaskId, number>();
  const way: TaskId[] = [];
  for (let at = members[0]; at !== undefined; at = graph.get(at)?.find((next) => inside.has(next))) {
    const before = places.get(at);
    if (before !== undefined) return way.slice(before);
    places.set(at, way.length);
    way.push(at);
  }
  return way;
}

/** `a -> b -> a`, beginning with the member it is told to; long ways are shortened in the middle. */
export function describeCircle({ way }: Circle, member: TaskId): string {
  const start = Math.max(0, way.indexOf(member));
  const steps = [...way.slice(start), ...way.slice(0, start)];
  const closed = [...steps, steps[0] ?? member];
  const shown = closed.length <= 20 ? closed : [...closed.slice(0, 10), "…", ...closed.slice(-9)];
  return shown.join(" -> ");
}
