import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { watchOver } from "./guardian.ts";
import { guardianScript } from "./guardian-script.ts";
import { identifyProcess, isAlive, type ProcessIdentity } from "./process-identity.ts";
import { listProcesses } from "./process-table.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A group of its own, marked as programs of ours are; it says when it is there. */
async function startGroup(line = "echo; exec sleep 1000"): Promise<ProcessIdentity> {
  const mark = 'HARNESS_PROCESS="m@$$"; export HARNESS_PROCESS; ';
  const child = spawn("/bin/sh", ["-c", `${mark}exec sh -c '${line}'`], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  started.push(child);
  await once(child.stdout, "data");
  const identity = await identifyProcess(child.pid ?? 0);
  if (identity === null) throw new Error("it ended at once");
  return identity;
}
const lineOf = ({ group, startTime }: ProcessIdentity, marker = "m"): string => `${group} ${startTime} ${marker}`;

/** Tells a guardian these lines, and then dies, as far as it can see. */
async function tellAndDie(lines: readonly string[], proc = "/proc"): Promise<void> {
  const guardian = spawn("/bin/sh", ["-c", guardianScript, "guardian", proc], { stdio: ["pipe", "ignore", "inherit"] });
  started.push(guardian);
  guardian.stdin.end(lines.map((line) => `${line}\n`).join(""));
  await once(guardian, "exit");
}

test("PR-8: the end of the pipe is the end of what was guarded, and of nothing else", async () => {
  const [mine, released, others] = [await startGroup(), await startGroup(), await startGroup()];
  await tellAndDie([`+ ${lineOf(mine)}`, `+ ${lineOf(released)}`, `- ${lineOf(released)}`]);
  expect([await isAlive(mine), await isAlive(released), await isAlive(others)]).toEqual([false, true, true]);
});

test("PR-8: a group whose number was given away meanwhile is not touched", async () => {
  const stranger = await startGroup();
  await tellAndDie([`+ ${stranger.group} 1 other`]);
  expect(await isAlive(stranger)).toBe(true);
});

test("PR-8: what hears nothing, or has stopped itself, goes too", async () => {
  const deaf = await startGroup("trap : TERM HUP INT; echo; while :; do sleep 1000; done");
  const stopped = await startGroup("echo; kill -STOP $$; exec sleep 1000");
  await tellAndDie([`+ ${lineOf(deaf)}`, `+ ${lineOf(stopped)}`]);
  expect([await isAlive(deaf), await isAlive(stopped)]).toEqual([false, false]);
});

test("PR-8: where the kernel shows no processes, ps does", async () => {
  const mine = await startGroup();
  const { stdout } = spawn("ps", ["-o", "lstart=", "-p", String(mine.pid)], { env: { ...process.env, LC_ALL: "C" } });
  const [text] = (await once(stdout, "data")) as [Buffer];
  await tellAndDie([`+ ${mine.group} ${text.toString().trim().replace(/\s+/g, "_")} `], "/nowhere");
  expect(await isAlive(mine)).toBe(false);
});

test("PR-8: a guardian that is ended is replaced by one that knows as much", async () => {
  const guardians = async (): Promise<readonly number[]> => {
    const children = (await listProcesses()).filter(({ parent, zombie }) => parent === process.pid && !zombie);
    return children
      .map(({ pid }) => pid)
      .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").endsWith("guardian\0/proc\0"));
  };
  const mine = await startGroup();
  const release = watchOver(mine, "m");
  const [first = 0] = await guardians();
  process.kill(first, "SIGKILL");
  await expect.poll(async () => (await guardians()).filter((pid) => pid !== first)).toHaveLength(1);
  release();
});
