import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { identifyProcess, identifySelf, isAlive, isAliveSince } from "./process-identity.ts";

test("we are who we are: this host, this boot, alive", async () => {
  const self = await identifySelf();
  expect(self).toEqual({
    host: hostname(),
    bootId: expect.stringMatching(/./),
    pid: process.pid,
    group: expect.any(Number),
    startTime: expect.stringMatching(/./),
  });
  expect(await isAlive(self)).toBe(true);
});

test("the same pid with another start, boot or host is not alive", async () => {
  const self = await identifySelf();
  const others = [
    { ...self, startTime: "1" },
    { ...self, bootId: "another" },
    { ...self, host: "elsewhere.example" },
  ];
  expect(await Promise.all(others.map(isAlive))).toEqual([false, false, false]);
});

test("L1: a process is the one that had its number at a moment only if it began before", async () => {
  const { pid } = process;
  const [began, anHour] = [performance.timeOrigin, 3_600_000];
  expect(await isAliveSince(pid, Date.now())).toBe(true);
  expect(await isAliveSince(pid, began)).toBe(true);
  expect(await isAliveSince(pid, began - anHour)).toBe(false);
});

test("an ended process is dead and has no identity", async () => {
  const child = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
  await once(child, "spawn");
  const identity = await identifyProcess(child.pid ?? 0);
  if (identity === null) throw new Error("it should run");
  expect(identity.group).toBe(child.pid);
  expect(await isAlive(identity)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect([await isAlive(identity), await identifyProcess(identity.pid)]).toEqual([false, null]);
  expect(await isAliveSince(identity.pid, Date.now())).toBe(false);
});

test("a zombie is dead", async () => {
  // The parent never collects its child, which tells its pid and ends.
  const parent = spawn("sh", ["-c", "sh -c 'echo $$' & exec sleep 1000"], { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(parent.stdout, "data");
  const pid = Number(line);
  await expect.poll(() => identifyProcess(pid)).toBeNull();
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect(await isAliveSince(pid, Date.now())).toBe(false);
  parent.kill("SIGKILL");
  await once(parent, "exit");
});
