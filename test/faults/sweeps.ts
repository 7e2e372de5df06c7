// The tests of a group of commands: each is killed at its file calls, then each call is failed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { type Trouble, troublesOf } from "./errors.ts";
import type { Operation } from "./operations.ts";
import { isChange, kill, tell } from "./points.ts";
import { aftermath, conduct, hit, type Rehearsal, rehearse } from "./rehearsal.ts";
import { howMuch, type Steps, sample } from "./sample.ts";
import { requireStrace, type Traced } from "./strace.ts";

export interface SweepOptions {
  readonly kills: Steps;
  readonly errors: Steps;
  /** Also calls that change nothing: what cannot be read must stop an operation as precisely. */
  readonly failsLooks: (operation: Operation) => boolean;
}

export function sweep(operations: readonly Operation[], { kills, errors, failsLooks }: SweepOptions): void {
  const rehearsals = new Map<Operation, Rehearsal>();
  const total = { killed: 0, failed: 0, stopped: 0 };

  async function rehearsalOf(operation: Operation): Promise<Rehearsal> {
    const rehearsal = rehearsals.get(operation) ?? (await rehearse(operation));
    rehearsals.set(operation, rehearsal);
    return rehearsal;
  }

  beforeAll(requireStrace);
  afterAll(() => {
    for (const { scene } of rehearsals.values()) scene.remove();
    const names = operations.map(({ name }) => name).join(", ");
    recordNumbers(["PR-1", "PR-2"], `${names} (${howMuch}): ${total.killed} kill -9 at file calls, 0 lost, 0 torn`);
    recordNumbers(
      ["PR-18"],
      `${names} (${howMuch}): ${total.failed} errors at file calls, ${total.stopped} precise stops, the rest absorbed; 0 lost, 0 corrupt, 0 hung`,
    );
  });

  for (const operation of operations) {
    const { name } = operation;
    test(`PR-1, PR-2: ${name}, killed at any call that changes a file, happened or did not`, async () => {
      const rehearsal = await rehearsalOf(operation);
      const chosen = sample(rehearsal.points.filter(isChange), kills).map(kill);
      expect(chosen.length).toBeGreaterThan(0);
      const judge = ({ signal }: Traced) => {
        total.killed += 1;
        return signal === "SIGKILL" ? [] : ["not reached"];
      };
      expect(await faultsOf(rehearsal, chosen, judge)).toEqual([]);
    });

    test(`PR-18: ${name} stops precisely or goes on, whatever error its file calls meet`, async () => {
      const rehearsal = await rehearsalOf(operation);
      const points = rehearsal.points.filter((point) => isChange(point) || failsLooks(operation));
      const chosen = sample(points.flatMap(troublesOf), errors);
      expect(chosen.length).toBeGreaterThan(0);
      const judge = (ended: Traced) => {
        total.failed += 1;
        if (ended.code === 10) total.stopped += 1;
        return [...(ended.hits > 0 ? [] : ["not reached"]), ...conduct(rehearsal, ended)];
      };
      expect(await faultsOf(rehearsal, chosen, judge)).toEqual([]);
    });
  }
}

async function faultsOf(
  rehearsal: Rehearsal,
  troubles: readonly Trouble[],
  judge: (ended: Traced) => readonly string[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { point, what, inject } of troubles) {
    const ended = await hit(rehearsal, point, inject);
    for (const fault of [...judge(ended), ...(await aftermath(rehearsal, ended))]) {
      faults.push(`${what} at ${tell(point, rehearsal.scene.live)}: ${fault}`);
      // At once: a long sweep takes long.
      console.error(rehearsal.operation.name, faults.at(-1));
    }
  }
  return faults;
}
