import { spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { afterEach, expect, test } from "vitest";
import { endGroup, markerVariable } from "./process-groups.ts";
import { identifyProcess, identifySelf, isAlive, type ProcessIdentity } from "./process-identity.ts";
import { readProcess } from "./process-table.ts";

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // Nothing is left of it, as it should be.
    }
  }
});

/** Starts a group as a supervisor that has died since would have left it; answers what it printed as pids. */
async function leave(command: string, mark?: (pid: string) => string): Promise<{ leader: number; pids: number[] }> {
  const line = mark === undefined ? "" : `${markerVariable}="${mark("$$")}"; export ${markerVariable}; `;
  const child = spawn("/bin/sh", ["-c", `${line}exec /bin/sh -c '${command}'`], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  started.push(child.pid ?? 0);
  const pids: number[] = [];
  for await (const text of createInterface(child.stdout)) {
    if (text === "done") break;
    pids.push(Number(text));
  }
  return { leader: child.pid ?? 0, pids };
}

async function identify(pid: number): Promise<ProcessIdentity> {
  const identity = await identifyProcess(pid);
  if (identity === null) throw new Error(`${pid} should run`);
  return identity;
}

const graceMs = 200;
const marker = `test-${process.pid}`;
const linux = process.platform === "linux";

test("a group whose leader lives is ended whole, without a marker", async () => {
  const { leader, pids } = await leave("sleep 1000 & echo $!; echo done; wait");
  const identity = await identify(leader);
  const child = await identify(pids[0] ?? 0);
  expect(await endGroup(identity, { graceMs })).toBe(2);
  expect(await Promise.all([identity, child].map(isAlive))).toEqual([false, false]);
});

test("a member that outlives its leader is waited for and killed, also when the leader was collected meanwhile", async () => {
  const stubborn = 'trap "" TERM; sh -c "echo \\$PPID"; echo done; while :; do sleep 1; done';
  const { leader, pids } = await leave(`(${stubborn}) & wait`);
  const [identity, ...members] = await Promise.all([leader, ...pids].map(identify));
  if (identity === undefined) throw new Error("the leader should run");
  await endGroup(identity, { graceMs });
  expect(await Promise.all([identity, ...members].map(isAlive))).toEqual([false, false]);
});

test("members that ignore TERM are killed after the grace", async () => {
  const { leader, pids } = await leave('trap "" TERM; sleep 1000 & echo $!; echo done; wait');
  const members = await Promise.all([leader, ...pids].map(identify));
  expect(await endGroup(members[0] ?? (await identifySelf()), { graceMs })).toBe(2);
  expect(await Promise.all(members.map(isAlive))).toEqual([false, false]);
});

test.runIf(linux).for([
  ["the marker alone", () => marker],
  ["marker and pid", (pid: string) => `${marker}@${pid}`],
] as const)("members left without their leader are ended if they carry %s", async ([, mark]) => {
  const { leader, pids } = await leave("sleep 1000 & echo $!; read -r _; echo done", mark);
  const member = await identify(pids[0] ?? 0);
  const gone = { ...member, pid: leader };
  // Not even as a zombie, which would prove whose group it was.
  await expect.poll(() => readProcess(leader)).toBeNull();
  expect(await endGroup(gone, { graceMs, marker: "another" })).toBe(0);
  expect(await endGroup(gone, { graceMs })).toBe(0);
  expect(await isAlive(member)).toBe(true);
  expect(await endGroup(gone, { graceMs, marker })).toBe(1);
  expect(await isAlive(member)).toBe(false);
});

test.runIf(linux)("what left the group is ended by marker and pid, and by the marker alone not", async () => {
  const own = await leave("setsid sleep 1000 & echo $!; echo done; wait", (pid) => `${marker}@${pid}`);
  const other = await leave("setsid sleep 1000 & echo $!; echo done; wait", () => marker);
  const [leader, ownStray, otherStray] = await Promise.all(
    [own.leader, own.pids[0] ?? 0, other.pids[0] ?? 0].map(identify),
  );
  if (leader === undefined || ownStray === undefined || otherStray === undefined) throw new Error("all should run");
  // Until it has left, it would be ended with the group.
  for (const { pid } of [ownStray, otherStray])
    await expect.poll(async () => (await readProcess(pid))?.group).toBe(pid);
  expect(await endGroup(leader, { graceMs, marker })).toBe(2);
  expect(await Promise.all([leader, ownStray, otherStray].map(isAlive))).toEqual([false, false, true]);
  process.kill(otherStray.pid, "SIGKILL");
});

test("a reused pid, another boot and another host are never signalled", async () => {
  const { leader } = await leave("echo done; exec sleep 1000");
  const identity = await identify(leader);
  const strangers = [
    { ...identity, startTime: String(Number(identity.startTime) - 1) },
    { ...identity, bootId: "another" },
    { ...identity, host: "elsewhere.example" },
    { ...identity, group: identity.group + 1 },
  ];
  for (const stranger of strangers) expect(await endGroup(stranger, { graceMs, marker })).toBe(0);
  expect(await isAlive(identity)).toBe(true);
});

test("our own group is never signalled", async () => {
  const self = await identifySelf();
  expect(await endGroup({ ...self, pid: self.group }, { graceMs })).toBe(0);
});
