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
  /** Where it stands in the heap. Kept here: a map that is written at every move costs more than all comparisons. */
  place: number;
}

/** Text order of keys is natural order of ids: each number stands behind the count of its digits. */
export function naturalKey(id: TaskId): string {
  // By hand: each task of a plan is asked when a mission is opened, and to replace by a pattern takes thrice as long.
  let key = "";
  let kept = 0;
  for (let at = 0; at < id.length; at += 1) {
    if (!isDigit(id, at)) continue;
    key += id.slice(kept, at);
    let zeros = at;
    while (id[zeros] === "0") zeros += 1;
    kept = zeros;
    while (isDigit(id, kept)) kept += 1;
    const count = kept - zeros;
    key += `${count < 10 ? "0" : ""}${count}${id.slice(zeros, kept)}`;
    at = kept;
  }
  return `${key}${id.slice(kept)} ${id}`;
}

function isDigit(id: TaskId, at: number): boolean {
  const code = id.charCodeAt(at);
  return code >= 48 && code <= 57;
}

const textOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
export const compareRanks = (a: Rank, b: Rank): number =>
  a.retry - b.retry || textOrder(a.priority, b.priority) || a.failedAt - b.failedAt || textOrder(a.key, b.key);

/** A binary heap that knows where each task stands, so that any task can be taken out. */
export class ReadyHeap {
  /** How many ranks were compared: what the tests of near-constant cost count. */
  comparisons = 0;
  readonly #heap: Entry[] = [];
  readonly #entries = new Map<TaskId, Entry>();

  get size(): number {
    return this.#heap.length;
  }
  has(id: TaskId): boolean {
    return this.#entries.has(id);
  }
  peek(): TaskId | undefined {
    return this.#heap[0]?.id;
  }

  add(id: TaskId, rank: Rank): void {
    if (this.#entries.has(id)) throw new Error(`${id} is in the ready heap already`);
    const entry = { id, rank, place: this.#heap.length };
    this.#entries.set(id, entry);
    this.#heap.push(entry);
    this.#rise(entry);
  }

  /** Taking out what is not there is no error: the caller need not know. */
  remove(id: TaskId): void {
    const entry = this.#entries.get(id);
    const last = this.#heap.at(-1);
    if (entry === undefined || last === undefined) return;
    this.#entries.delete(id);
    this.#heap.pop();
    if (last === entry) return;
    this.#put(last, this.#emptied(entry.place));
    this.#rise(last);
  }

  #isBetter(a: Entry, b: Entry): boolean {
    this.comparisons++;
    return compareRanks(a.rank, b.rank) < 0;
  }
  #put(entry: Entry, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }
  #rise(entry: Entry): void {
    while (entry.place > 0) {
      const { place } = entry;
      const parent = this.#heap[(place - 1) >> 1];
      if (parent === undefined || !this.#isBetter(entry, parent)) return;
      this.#put(entry, parent.place);
      this.#put(parent, place);
    }
  }
  /** Moves the better children up, down to a leaf: its place is free then. What comes from the end belongs low, so to
   * compare it only on its way up takes half the comparisons. */
  #emptied(place: number): number {
    for (;;) {
      const left = this.#heap[2 * place + 1];
      const right = this.#heap[2 * place + 2];
      if (left === undefined) return place;
      const child = right !== undefined && this.#isBetter(right, left) ? right : left;
      const free = child.place;
      this.#put(child, place);
      place = free;
    }
  }
}
