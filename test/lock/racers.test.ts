// Twenty processes at once on a lock that is nobody's: exactly one may have it, every time.
import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failed, succeeded } from "../../src/protocol/failure.ts";
import { sessionActive } from "../../src/protocol/lock.ts";
import { recordNumbers } from "../numbers.ts";
import { LockPlace, type Taker } from "./takers.ts";

const racers = 20;
const rounds = 50;
/** Above every pid that a Linux kernel gives. */
const dead = 2 ** 22 + 1;

const place = new LockPlace();
let takers: readonly Taker[];
beforeAll(async () => {
  await place.prepare();
  // One after the other: the first makes the journal.
  const started: Taker[] = [];
  for (let n = 0; n < racers; n += 1) started.push(await place.start());
  takers = started;
}, 600_000);
afterAll(() => place.remove());

/** What was left, in turn, and the pid that whoever replaces it must name. */
const leftovers: readonly [leave: () => void, removed: number | null][] = [
  [() => place.leaveOwner(dead), dead],
  [() => place.leavePid(dead), dead],
  [() => mkdirSync(place.path), null],
  [() => place.leavePid("garbage"), null],
  [() => undefined, null],
];

test(`L1, PR-4: of ${racers} processes on a stale lock exactly one takes it, in each of ${rounds} rounds`, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const [leave, removed] = leftovers[round % leftovers.length] ?? [() => undefined, null];
    leave();
    const answers = await Promise.all(takers.map((taker) => taker.take()));
    const winners = takers.filter((_, n) => answers[n]?.ok);
    const [winner] = winners;
    if (winner === undefined || winners.length !== 1) {
      throw new Error(`round ${round}: taken by ${winners.length}: ${JSON.stringify(answers)}`);
    }
    const lost = failed(sessionActive(winner.pid, `wait for it, or end process ${winner.pid}`));
    expect(answers).toEqual(takers.map((taker) => (taker === winner ? succeeded({ removedStale: removed }) : lost)));
    expect([place.named(), place.entries()]).toEqual([winner.pid, ["*"]]);
    await winner.release();
    expect(place.entries()).toEqual([]);
  }
  expect(await Promise.all(takers.map((taker) => taker.leave()))).toEqual(takers.map(() => 0));
  recordNumbers(["PR-4"], `${rounds} rounds of ${racers} processes on one stale lock: 1 taker each`);
}, 600_000);
