// Errors of the system at every call on a file of the mission: a precise stop or none, nothing lost, and it goes on.
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { type Trouble, troublesOf } from "./errors.ts";
import { commands, type Operation } from "./operations.ts";
import { isChange, tell } from "./points.ts";
import { aftermath, conduct, hit, type Rehearsal, rehearse } from "./rehearsal.ts";
import { howMuch, sample } from "./sample.ts";
import { requireStrace } from "./strace.ts";

const total = { runs: 0, absorbed: 0, stopped: 0, operations: 0 };

beforeAll(requireStrace);
afterAll(() => {
  recordNumbers(
    ["PR-18"],
    `${total.runs} errors injected into file calls of ${total.operations} operations (${howMuch}): ${total.stopped} precise stops, ${total.absorbed} absorbed, 0 lost, 0 corrupt, 0 hung`,
  );
});

async function fail(rehearsal: Rehearsal, { point, what, inject }: Trouble): Promise<readonly string[]> {
  const ended = await hit(rehearsal, point, inject);
  total.runs += 1;
  if (ended.code === 0) total.absorbed += 1;
  if (ended.code === 10) total.stopped += 1;
  const faults = [
    ...(ended.hits > 0 ? [] : ["not reached"]),
    ...conduct(rehearsal, ended),
    ...(await aftermath(rehearsal, ended)),
  ];
  return faults.map((fault) => `${what} at ${tell(point, rehearsal.scene.live)}: ${fault}`);
}

async function failEverywhere(operation: Operation, step: number): Promise<readonly string[]> {
  const rehearsal = await rehearse(operation);
  const faults: string[] = [];
  const own = rehearsal.points.filter((point) => operation.name === "add" || isChange(point));
  for (const trouble of sample(own.flatMap(troublesOf), step)) {
    const found = await fail(rehearsal, trouble);
    // At once: a whole sweep takes long.
    for (const one of found) console.error(`${operation.name}: ${one}`);
    faults.push(...found);
  }
  total.operations += 1;
  rehearsal.scene.remove();
  return faults;
}

for (const operation of commands) {
  test.concurrent(`PR-18: ${operation.name} stops precisely or goes on, whatever error its file calls meet`, async () => {
    expect(await failEverywhere(operation, 60)).toEqual([]);
  });
}
