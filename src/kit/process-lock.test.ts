import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Lookout, takeLock } from "./process-lock.ts";

const owner = { host: "here", bootId: "boot", pid: 100, group: 100, startTime: "1" };
let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "process-lock-"));
  path = join(home, "some.lock");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const dead = new Set<number>();
beforeEach(() => dead.clear());
const as = (pid: number): Lookout => ({
  self: async () => ({ ...owner, pid }),
  isAlive: async (identity) => !dead.has(identity.pid),
});

test("one holds it; the others are told who", async () => {
  const first = await takeLock(path, as(1));
  expect(await takeLock(path, as(2))).toEqual({ ok: false, holder: { ...owner, pid: 1 } });
  if (first.ok) await first.release();
  expect((await takeLock(path, as(2))).ok).toBe(true);
});

test("of many that find the same dead holder, exactly one replaces it, and nothing else stays behind", async () => {
  for (let round = 0; round < 20; round += 1) {
    dead.clear();
    await takeLock(path, as(1));
    dead.add(1);
    const taken = await Promise.all(Array.from({ length: 10 }, (_, n) => takeLock(path, as(n + 2))));
    const winners = taken.filter((lock) => lock.ok);
    expect(winners.length).toBe(1);
    expect(readdirSync(home)).toEqual(["some.lock"]);
    for (const winner of winners) if (winner.ok) await winner.release();
    expect(readdirSync(home)).toEqual([]);
  }
});

test("one that died while it was replacing a dead holder is replaced as well", async () => {
  await takeLock(path, as(1));
  dead.add(1);
  const held = JSON.parse(readFileSync(join(path, "owner.json"), "utf8"));
  // What process 2 leaves when it dies between taking the right to replace and replacing.
  await takeLock(`${path}.${held.name.slice(0, 8)}`, as(2));
  dead.add(2);
  expect((await takeLock(path, as(3))).ok).toBe(true);
  expect(readdirSync(home)).toEqual(["some.lock"]);
});

test("while somebody is replacing a dead holder, nobody else touches its lock", async () => {
  await takeLock(path, as(1));
  dead.add(1);
  const left = readFileSync(join(path, "owner.json"), "utf8");
  await takeLock(`${path}.${JSON.parse(left).name.slice(0, 8)}`, as(2));
  expect(await takeLock(path, as(3))).toEqual({ ok: false, holder: null });
  expect(readFileSync(join(path, "owner.json"), "utf8")).toBe(left);
});

test("a lock that a power cut left without content is nobody's", async () => {
  mkdirSync(path);
  const first = await takeLock(path, as(1));
  expect(first.ok).toBe(true);
  writeFileSync(join(path, "owner.json"), "");
  expect((await takeLock(path, as(2))).ok).toBe(true);
});

test("who was wrongly taken for dead does not release the lock of whoever came after", async () => {
  const first = await takeLock(path, as(1));
  dead.add(1);
  await takeLock(path, as(2));
  if (first.ok) await first.release();
  expect(await takeLock(path, as(3))).toEqual({ ok: false, holder: { ...owner, pid: 2 } });
});
