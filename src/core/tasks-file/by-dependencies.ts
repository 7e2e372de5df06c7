// Tasks in an order in which each could be added: what it depends on comes before it.
import type { AdoptedTask } from "../../protocol/adopted.ts";

/** Otherwise the given order. Members of a circle come in the order in which they are met. Keeps its own stack. */
export function byDependencies(tasks: readonly AdoptedTask[]): readonly AdoptedTask[] {
  const byId = new Map(tasks.map((task) => [task.spec.id, task]));
  const met = new Set<string>();
  const sorted: AdoptedTask[] = [];
  for (const root of tasks) {
    const stack = met.has(root.spec.id) ? [] : [{ task: root, next: 0 }];
    met.add(root.spec.id);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const dependency = top.task.spec.dependsOn[top.next];
      top.next += 1;
      if (dependency === undefined) {
        sorted.push(top.task);
        stack.pop();
        continue;
      }
      const found = byId.get(dependency);
      if (found === undefined || met.has(dependency)) continue;
      met.add(dependency);
      stack.push({ task: found, next: 0 });
    }
  }
  return sorted;
}
