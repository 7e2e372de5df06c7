import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HeadWatch, type WatchedHead } from "./head-watch.ts";

/** A head that counts how often it is looked at. */
class CountedHead implements WatchedHead {
  looks = 0;
  reads = 0;
  committed = 0;
  version(): number {
    this.looks += 1;
    return this.committed;
  }
  position(): number {
    this.reads += 1;
    return this.committed;
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("looks only while someone waits", async () => {
  const head = new CountedHead();
  const watch = new HeadWatch(head);
  const [first, second] = [new AbortController(), new AbortController()];
  const waits = [watch.past(0, first.signal), watch.past(0, second.signal)];
  vi.advanceTimersByTime(100);
  first.abort();
  vi.advanceTimersByTime(100);
  second.abort();
  vi.advanceTimersByTime(1_000);
  await Promise.all(waits);
  expect({ looks: head.looks, timers: vi.getTimerCount() }).toEqual({ looks: 4, timers: 0 });
});

test("reads the head only when someone else has written, and wakes only those it has passed", async () => {
  const head = new CountedHead();
  const watch = new HeadWatch(head);
  const { signal } = new AbortController();
  const woken: number[] = [];
  const waits = [1, 0].map((after) => watch.past(after, signal).then(() => woken.push(after)));
  vi.advanceTimersByTime(500);
  // One per wait and one at the first look.
  expect(head.reads).toBe(3);
  head.committed = 1;
  vi.advanceTimersByTime(50);
  await waits[1];
  expect(woken).toEqual([0]);
  watch.wake(2);
  await waits[0];
  expect(woken).toEqual([0, 1]);
});
