// kill -9 at every call by which an operation changes a file: what was acknowledged is there, the rest never was.
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { commands, type Operation } from "./operations.ts";
import { isChange, tell } from "./points.ts";
import { aftermath, hit, rehearse } from "./rehearsal.ts";
import { howMuch, sample } from "./sample.ts";
import { requireStrace } from "./strace.ts";

const total = { points: 0, killed: 0, operations: 0 };

beforeAll(requireStrace);
afterAll(() => {
  recordNumbers(
    ["PR-1", "PR-2"],
    `${total.killed} kill -9 at the entry of ${total.points} file calls of ${total.operations} operations (${howMuch}): 0 lost, 0 torn, 0 doubled`,
  );
});

async function killEverywhere(operation: Operation, step: number): Promise<readonly string[]> {
  const rehearsal = await rehearse(operation);
  const { scene, points } = rehearsal;
  const faults: string[] = [];
  const chosen = sample(points.filter(isChange), step);
  for (const point of chosen) {
    const ended = await hit(rehearsal, point, `signal=KILL:when=${point.nth}`);
    const told = `killed at ${tell(point, scene.live)}`;
    if (ended.hung) faults.push(`${told}: hung`);
    if (ended.signal === "SIGKILL") total.killed += 1;
    else faults.push(`${told}: not reached`);
    for (const fault of await aftermath(rehearsal, ended)) faults.push(`${told}: ${fault}`);
  }
  total.points += chosen.length;
  total.operations += 1;
  scene.remove();
  return faults;
}

for (const operation of commands) {
  test.concurrent(`PR-1, PR-2: ${operation.name}, killed at any call that changes a file, happened or did not`, async () => {
    expect(await killEverywhere(operation, 10)).toEqual([]);
  });
}
