// The tasks that may be claimed, best first. Every operation is logarithmic, `peek` is constant (rule K4).
import type { TaskId } from "../protocol/ids.ts";
import type { Priority } from "../protocol/task.ts";

/** Smaller is better. New work before retries; then priority; then the older failure; then the natural order of ids (K3). */
export interface Rank {
  readonly retry: 0 | 1;
  readonly priority: Priority;
  readonly failedAt: number;
  /** `naturalKey(id)`, so that task-2 stands before task-10. */
  readonly key: string;
}
interface Entry {
  readonly id: TaskId;
  readonly rank: Rank;
}

export const naturalKey = (id: TaskId): string => `${id.replace(/\d+/g, (digits) => digits.padStart(64, "0"))} ${id}`;

const textOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
export const compareRanks = (a: Rank, b: Rank): number =>
  a.retry - b.retry || textOrder(a.priority, b.priority) || a.failedAt - b.failedAt || textOrder(a.key, b.key);

/** A binary heap that knows where each task stands, so that any task can be taken out. */
export class ReadyHeap {
  /** How many ranks were compared: what the tests of near-constant cost count. */
  comparisons = 0;
  readonly #entries: Entry[] = [];
  readonly #places = new Map<TaskId, number>();

  get size(): number {
    return this.#entries.length;
  }
  has(id: TaskId): boolean {
    return this.#places.has(id);
  }
  peek(): TaskId | undefined {
    return this.#entries[0]?.id;
  }

  add(id: TaskId, rank: Rank): void {
    if (this.#places.has(id)) throw new Error(`${id} is in the ready heap already`);
    this.#entries.push({ id, rank });
    this.#places.set(id, this.#entries.length - 1);
    this.#rise(this.#entries.length - 1);
  }

  /** Taking out what is not there is no error: the caller need not know. */
  remove(id: TaskId): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    const last = this.#entries.length - 1;
    if (place !== last) this.#swap(place, last);
    this.#entries.pop();
    this.#places.delete(id);
    if (place !== last) {
      this.#sink(place);
      this.#rise(place);
    }
  }

  #better(a: number, b: number): boolean {
    const left = this.#entries[a];
    const right = this.#entries[b];
    if (left === undefined || right === undefined) return false;
    this.comparisons++;
    return compareRanks(left.rank, right.rank) < 0;
  }
  #swap(a: number, b: number): void {
    const left = this.#entries[a];
    const right = this.#entries[b];
    if (left === undefined || right === undefined) throw new Error("swap outside the heap");
    this.#entries[a] = right;
    this.#entries[b] = left;
    this.#places.set(right.id, a);
    this.#places.set(left.id, b);
  }
  #rise(from: number): void {
    for (let place = from; place > 0; ) {
      const parent = (place - 1) >> 1;
      if (!this.#better(place, parent)) return;
      this.#swap(place, parent);
      place = parent;
    }
  }
  #sink(from: number): void {
    for (let place = from; ; ) {
      const left = 2 * place + 1;
      const child = this.#better(left + 1, left) ? left + 1 : left;
      if (!this.#better(child, place)) return;
      this.#swap(place, child);
      place = child;
    }
  }
}
