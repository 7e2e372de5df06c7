// kill -9 right before every file call of taking and releasing: whoever comes next gets the right answer at once.
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { identifySelf, isAlive, isAliveSince } from "../../src/kit/process-identity.ts";
import { succeeded } from "../../src/protocol/failure.ts";
import { createVisibleLock } from "../../src/runtime/lock/visible-lock.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { LockPlace } from "./takers.ts";
import { type Point, trace } from "./traced.ts";

/** Above every pid that a Linux kernel gives. */
const dead = 2 ** 22 + 1;

const place = new LockPlace();
beforeAll(async () => {
  await place.prepare();
  // Made before, so that every process makes the same calls.
  await (await openSqliteStore({ path: place.journal })).close();
});
afterAll(() => place.remove());
beforeEach(() => place.clear());

const traced = (told: readonly string[], during: string, kill?: Point) =>
  trace({ command: place.args(), told, during, file: join(place.folder, "trace"), ...(kill && { kill }) });

const nobody = () => undefined;
interface Scene {
  readonly name: string;
  readonly leave: () => void;
  readonly told: readonly string[];
  /** Whom the lock may name when the process is killed; each must come up, or the test looks elsewhere. */
  readonly named: readonly ("the dead" | "nobody" | "the killed")[];
}
const taking = { told: ["take"], named: ["the dead", "nobody", "the killed"] } as const;
const scenes: readonly Scene[] = [
  { name: "taking a free lock", leave: nobody, told: ["take"], named: ["nobody", "the killed"] },
  { name: "taking the lock a dead run left", leave: () => place.leaveOwner(dead), ...taking },
  { name: "taking the lock a dead script left", leave: () => place.leavePid(dead), ...taking },
  { name: "releasing it", leave: nobody, told: ["take", "release"], named: ["the killed", "nobody"] },
];

const slow = { timeout: 600_000 };

test.each(scenes)("L1: a kill -9 before any file call of $name stops nobody", slow, async (scene) => {
  const { name, leave, told } = scene;
  const during = told.at(-1) ?? "";
  leave();
  const whole = await traced(told, during);
  expect(whole).toMatchObject({ end: 0, finished: true, answers: told.map(() => expect.any(String)) });
  // The files of the lock are touched by the main thread alone: counting its calls finds every moment.
  expect(whole.otherThreads.filter((line) => line.includes(place.base))).toEqual([]);
  const named: string[] = [];
  const moments = new Set<number>();
  // The main thread wakes others by calls of the same names, some more or less each time: the aim is corrected.
  const shifts = new Map<string, number>();
  for (const [n, point] of whole.points.entries()) {
    for (let tries = 0; tries < 6 && !moments.has(n + 1); tries++) {
      place.clear();
      leave();
      const moment = [name, n, whole.work[n]];
      const shift = shifts.get(point.call) ?? 0;
      const killed = await traced(told, during, { ...point, when: Math.max(1, point.when + shift) });
      const isIn = killed.end === "SIGKILL" && !killed.finished;
      if (isIn) moments.add(killed.work.length);
      shifts.set(point.call, shift + (isIn ? Math.sign(n + 1 - killed.work.length) : -1));
      const next = await comesNext(moment);
      if (isIn && killed.work.length === n + 1) named.push(next);
    }
  }
  // Nearly all of them, to the call; the lock was right after every kill.
  expect(moments.size).toBeGreaterThanOrEqual(Math.floor(whole.points.length * 0.9));
  console.log(
    `${moments.size} moments of ${whole.points.length}: kill -9 before each file call of ${name}: the next gets the lock`,
  );
  expect([...new Set(named)]).toEqual(scene.named);
});

/** Takes and releases the lock as a process that has just been started would. */
async function comesNext(told: unknown): Promise<Scene["named"][number]> {
  const named = place.named();
  // A lock is never seen without its owner; a script's own form has none.
  const before = named ?? (place.isScripts(dead) ? dead : "half made");
  const store = await openSqliteStore({ path: place.journal });
  const self = await identifySelf();
  const { root, base } = place;
  const lock = createVisibleLock({ root, store, lookout: { isAlive, isAliveSince }, base });
  expect([told, before]).toEqual([told, before === "nobody" ? "nobody" : expect.any(Number)]);
  const taken = await lock.take(self);
  expect([told, taken]).toEqual([told, succeeded({ removedStale: before === "nobody" ? null : before })]);
  expect([told, place.named(), place.entries()]).toEqual([told, self.pid, ["*"]]);
  await lock.release();
  expect([told, place.entries(), await store.verify()]).toEqual([told, [], null]);
  await store.close();
  return before === dead ? "the dead" : before === "nobody" ? before : "the killed";
}
