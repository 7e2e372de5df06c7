// The floor of M4: a binary heap and in-degree counters, as anybody would write them, over the same ids.

export interface PlainTask {
  readonly id: string;
  readonly priority: number;
  waitingFor: number;
  readonly dependents: string[];
}

export class PlainPlan {
  readonly #tasks = new Map<string, PlainTask>();
  readonly #heap: PlainTask[] = [];
  readonly #completed = new Set<string>();

  add(id: string, priority: number, dependsOn: readonly string[]): void {
    const open = dependsOn.filter((other) => !this.#completed.has(other));
    const task = { id, priority, waitingFor: open.length, dependents: [] };
    this.#tasks.set(id, task);
    for (const other of open) this.#tasks.get(other)?.dependents.push(id);
    if (open.length === 0) this.#push(task);
  }

  pick(): string | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.#heap.length > 0) this.#sink(last);
    return first.id;
  }

  complete(id: string): void {
    this.#completed.add(id);
    for (const other of this.#tasks.get(id)?.dependents ?? []) {
      const task = this.#tasks.get(other);
      if (task === undefined) continue;
      task.waitingFor -= 1;
      if (task.waitingFor === 0) this.#push(task);
    }
  }

  #push(task: PlainTask): void {
    let place = this.#heap.push(task) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#heap[above];
      if (parent === undefined || isBefore(parent, task)) break;
      this.#heap[place] = parent;
      place = above;
    }
    this.#heap[place] = task;
  }

  #sink(task: PlainTask): void {
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      const [left, right] = [this.#heap[below], this.#heap[below + 1]];
      if (left === undefined) break;
      const least = right !== undefined && isBefore(right, left) ? right : left;
      if (least === right) below += 1;
      if (isBefore(task, least)) break;
      this.#heap[place] = least;
      place = below;
    }
    this.#heap[place] = task;
  }
}

const isBefore = (a: PlainTask, b: PlainTask): boolean =>
  a.priority < b.priority || (a.priority === b.priority && a.id < b.id);
