// The tests of a group of commands: each is killed at its file calls, then each call is failed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { sampleTroubles, type Trouble } from "./errors.ts";
import type { Operation } from "./operations.ts";
import { isChange, kill, type Point } from "./points.ts";
import { callsOfOthers, hitEach, newTally, tellTally } from "./reach.ts";
import { conduct, leftFaults, nextFaults, type Rehearsal, rehearse } from "./rehearsal.ts";
import { howMuch, type Steps, sample } from "./sample.ts";
import { cutWrite, shortWrites, stageOf, unharmed } from "./short-writes.ts";
import { requireStrace, type Traced } from "./strace.ts";

export interface SweepOptions {
  readonly kills: Steps;
  readonly errors: Steps;
  /** Also calls that change nothing: what cannot be read must stop an operation as precisely. */
  readonly failsLooks: (operation: Operation) => boolean;
}

const cuts: Steps = { few: 30, many: 4 };

export function sweep(operations: readonly Operation[], { kills, errors, failsLooks }: SweepOptions): void {
  const rehearsals = new Map<Operation, Rehearsal>();
  const tally = { killed: newTally(), errors: newTally(), cut: newTally() };

  async function rehearsalOf(operation: Operation): Promise<Rehearsal> {
    const rehearsal = rehearsals.get(operation) ?? (await rehearse(operation));
    rehearsals.set(operation, rehearsal);
    return rehearsal;
  }

  beforeAll(requireStrace);
  afterAll(() => {
    for (const { scene } of rehearsals.values()) scene.remove();
    const names = operations.map(({ name }) => name).join(", ");
    recordNumbers(
      ["PR-1", "PR-2"],
      `${names} (${howMuch}): kill -9 at file calls ${tellTally(tally.killed)}; 0 lost, 0 torn`,
    );
    recordNumbers(
      ["PR-18"],
      `${names} (${howMuch}): errors at file calls ${tellTally(tally.errors)}; each a precise stop or absorbed, 0 lost, 0 corrupt, 0 hung`,
    );
    recordNumbers(
      ["PR-18"],
      `${names} (${howMuch}): writes of which half is taken ${tellTally(tally.cut)}; each ended as if nothing had happened`,
    );
  });

  for (const operation of operations) {
    const { name } = operation;
    test(`PR-1, PR-2: ${name}, killed at any call that changes a file, happened or did not`, async () => {
      const rehearsal = await rehearsalOf(operation);
      const chosen = sample(rehearsal.points.filter(isChange), kills).map(kill);
      expect(chosen.length).toBeGreaterThan(0);
      const faultsOf = (ended: Traced) => leftFaults(rehearsal, ended);
      const afterwards = () => nextFaults(rehearsal);
      expect(await hitEach(rehearsal, chosen, { tally: tally.killed, faultsOf, afterwards })).toEqual([]);
    });

    test(`PR-18: ${name} stops precisely or goes on, whatever error its file calls meet`, async () => {
      const rehearsal = await rehearsalOf(operation);
      const points = rehearsal.points.filter((point) => isChange(point) || failsLooks(operation));
      const chosen = sampleTroubles(points, errors);
      expect(chosen.length).toBeGreaterThan(0);
      const isShared = await callsOfOthers(rehearsal);
      const isQuick = (point: Point) => !isShared(point);
      const faultsOf = async (ended: Traced) => [...conduct(rehearsal, ended), ...(await leftFaults(rehearsal, ended))];
      const afterwards = () => nextFaults(rehearsal);
      expect(await hitEach(rehearsal, chosen, { tally: tally.errors, faultsOf, afterwards, isQuick })).toEqual([]);
    });

    test(`PR-18: ${name} ends as ever when the system takes only half of what it writes`, async () => {
      const rehearsal = await rehearsalOf(operation);
      const chosen = await shortWrites(stageOf(rehearsal), cuts);
      expect(chosen.length).toBeGreaterThan(0);
      const perform = (trouble: Trouble) => cutWrite(stageOf(rehearsal), trouble);
      const faultsOf = async (ended: Traced) => [...unharmed(ended), ...(await leftFaults(rehearsal, ended))];
      const afterwards = () => nextFaults(rehearsal);
      expect(await hitEach(rehearsal, chosen, { tally: tally.cut, faultsOf, afterwards, perform })).toEqual([]);
    });
  }
}
