import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Outcome } from "../../protocol/failure.ts";
import { PortLeases } from "./port-leases.ts";

let directory = "";
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), "ports-")), "ports");
});
afterEach(() => rm(join(directory, ".."), { recursive: true, force: true }));

const dead = new Set<number>();
const identity = (pid: number) => ({ host: "h", bootId: "b", pid, group: pid, startTime: "1" });
const processOf = (pid: number, isFree?: (port: number) => Promise<boolean>, now = 1_000) =>
  new PortLeases({
    directory,
    self: async () => identity(pid),
    isAlive: async (other) => !dead.has(other.pid),
    now: () => now,
    ...(isFree && { isFree }),
  });
const free = async () => true;
const value = (outcome: Outcome<number>): number => {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
};

test("A1: lanes of living missions never share a port, and each keeps its own", async () => {
  const processes = [1, 2, 3].map((pid) => processOf(pid, free));
  const holders = ["m 0 PORT", "m 0 DB", "m 1 PORT"];
  const given = await Promise.all(
    processes.flatMap((leases, n) => holders.map((holder) => leases.lease(`${n} ${holder}`))),
  );
  const ports = given.map(value);
  expect(new Set(ports).size).toBe(9);
  const again = await Promise.all(
    processes.flatMap((leases, n) => holders.map((holder) => leases.lease(`${n} ${holder}`))),
  );
  expect(again.map(value)).toEqual(ports);
});

test("A1: of many that want the same number at the same moment each gets another", async () => {
  // One holder's name, so one first choice; thirty processes that are all alive.
  const given = await Promise.all(Array.from({ length: 30 }, (_, pid) => processOf(100 + pid, free).lease("same")));
  expect(new Set(given.map(value)).size).toBe(30);
});

test("A1: what a living process has leased nobody else is given, whatever it is called", async () => {
  const first = value(await processOf(151, free).lease("lane"));
  expect(value(await processOf(152, free).lease("lane"))).not.toBe(first);
});

test("A1: the next run of a lane gets its number again; another gets that of a dead one, but not before its time", async () => {
  const first = value(await processOf(201, free).lease("a"));
  dead.add(201);
  expect(value(await processOf(202, free).lease("a"))).toBe(first);
  dead.add(202);
  const taken = await Promise.all(Array.from({ length: 20 }, (_, pid) => processOf(300 + pid, free).lease("a")));
  // Exactly one takes the dead one's place.
  expect(taken.map(value).filter((port) => port === first)).toHaveLength(1);
  const outside = value(await processOf(401, free).lease("worker", 5_000));
  dead.add(401);
  expect(value(await processOf(402, free).lease("worker", 5_000))).toBe(outside);
  dead.add(402);
  await writeFile(join(directory, `${outside}.9`), JSON.stringify({ holder: "x", owner: identity(402), until: 5_000 }));
  expect(value(await processOf(403, free, 4_999).lease("worker"))).not.toBe(outside);
  expect(value(await processOf(404, free, 5_001).lease("worker"))).toBe(outside);
});

test("A1: a port where somebody listens is passed over, and what is no lease counts as none", async () => {
  const first = value(await processOf(501).lease("b"));
  dead.add(501);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(first, "127.0.0.1", resolve));
  expect(value(await processOf(502).lease("b"))).not.toBe(first);
  await new Promise((resolve) => server.close(resolve));
  const c = value(await processOf(503, free).lease("c"));
  dead.add(503);
  await writeFile(join(directory, `${c}.9`), "rubbish");
  expect(value(await processOf(504, free).lease("c"))).toBe(c);
  expect((await readdir(directory)).filter((name) => name.startsWith(`${c}.`))).toEqual([`${c}.10`]);
});

test("E: when no port is left that is said, with what to do", async () => {
  const outcome = await processOf(601, async () => false).lease("d");
  expect(outcome).toMatchObject({
    ok: false,
    failure: { kind: "env_setup", message: expect.stringContaining("20000") },
  });
});
