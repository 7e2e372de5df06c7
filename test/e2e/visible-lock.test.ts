// The lock in /tmp between runs and scripts of the protocol that know nothing of the journal (L1).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { createPipe } from "./pipes.ts";
import { createTestProject, type TestProject } from "./project.ts";

const script = join(import.meta.dirname, "../lock/seed-lock.sh");
const agent = ["--agent-command", "echo a > a.txt"];

async function createMission(): Promise<TestProject> {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f a.txt");
  return project;
}

interface Script {
  /** All that it said up to its end, or up to holding the lock. */
  readonly said: readonly string[];
  readonly pid: number;
  leave(): Promise<void>;
  kill(): Promise<void>;
}

async function runScript({ lock }: TestProject): Promise<Script> {
  const child = spawn("sh", [script, lock], { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line.startsWith("held")) break;
  }
  return {
    said,
    pid: child.pid ?? 0,
    leave: async () => {
      child.stdin.end();
      await closed;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

const log = (project: TestProject) => readFileSync(join(project.root, "harness-progress.txt"), "utf8");
const lockLines = (project: TestProject) => log(project).match(/(LOCK|WARN Removed) .*$/gm);
const leftovers = ({ lock }: TestProject) => readdirSync("/tmp").filter((entry) => entry.startsWith(basename(lock)));

test("L1: a script that holds the lock keeps runs out, not commands; once it is gone, a run starts", async () => {
  const project = await createMission();
  const held = await runScript(project);
  expect(held.said).toEqual([`held by ${held.pid}`]);
  const refused = await project.harness("run", ...agent);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr.split("\n")).toContain(`ERROR: Another harness session is active (pid=${held.pid})`);
  await project.must("add", "B", "--validate", "true");
  await project.must("status");
  await held.leave();
  const run = await project.must("run", ...agent);
  expect(lockLines(project)).toEqual([`LOCK acquired (pid=${pidIn(run.stdout)})`, "LOCK released"]);
  expect(leftovers(project)).toEqual([]);
});

test("L1: a lock that a killed script left is taken over, and the log says so once", async () => {
  const project = await createMission();
  const held = await runScript(project);
  await held.kill();
  expect(existsSync(join(project.lock, "pid"))).toBe(true);
  const run = await project.must("run", ...agent);
  expect(lockLines(project)).toEqual([
    `WARN Removed stale lock from pid=${held.pid}`,
    `LOCK acquired (pid=${pidIn(run.stdout)})`,
    "LOCK released",
  ]);
  expect(leftovers(project)).toEqual([]);
});

test("L1: an empty lock of a script killed at its start is no obstacle", async () => {
  const project = await createMission();
  mkdirSync(project.lock);
  await project.must("run", ...agent);
  expect(leftovers(project)).toEqual([]);
});

test("L1: a run keeps scripts out; what kill -9 of it leaves, a script or the next run takes over, told once", async () => {
  const project = await createMission();
  const began = createPipe(project.place, "began");
  const goOn = createPipe(project.place, "go-on");
  // It leaves no work when it is killed, so that the next run starts it again.
  const waiting = ["--agent-command", `echo x > '${began.path}'; read -r _ < '${goOn.path}'`];
  const first = project.start(["run", ...waiting]);
  await began.heard();
  expect(JSON.parse(readFileSync(join(project.lock, "owner.json"), "utf8"))).toMatchObject({ pid: first.pid });
  expect((await runScript(project)).said).toEqual([`ERROR: Another harness session is active (pid=${first.pid})`]);
  first.process.kill("SIGKILL");
  await first.ended;
  const successor = await runScript(project);
  expect(successor.said).toEqual([`WARN: Removed stale lock from pid=${first.pid}`, `held by ${successor.pid}`]);
  await successor.leave();
  const second = project.start(["run", ...waiting]);
  await began.heard();
  second.process.kill("SIGKILL");
  await second.ended;
  const third = await project.must("run", ...agent);
  expect(lockLines(project)).toEqual([
    `LOCK acquired (pid=${first.pid})`,
    `WARN Removed stale lock from pid=${first.pid}`,
    `LOCK acquired (pid=${second.pid})`,
    `WARN Removed stale lock from pid=${second.pid}`,
    `LOCK acquired (pid=${pidIn(third.stdout)})`,
    "LOCK released",
  ]);
  expect(leftovers(project)).toEqual([]);
});

test("L1: every name of a root is the same lock", async () => {
  const project = await createMission();
  const link = join(project.place, "link");
  symlinkSync(project.root, link);
  const held = await runScript(project);
  const refused = await project.harness("--root", link, "run", ...agent);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain(`ERROR: Another harness session is active (pid=${held.pid})\n`);
  await held.leave();
  await project.must("--root", link, "run", ...agent);
});

test("L1: a file at the lock's name is a clear failure and stays as it is", async () => {
  const project = await createMission();
  writeFileSync(project.lock, "precious");
  const refused = await project.harness("run", ...agent);
  expect(refused).toMatchObject({ code: 10, stdout: "" });
  expect(refused.stderr).toContain(`next: see what it is, then: rm ${project.lock}`);
  expect(readFileSync(project.lock, "utf8")).toBe("precious");
});

test("L1: a run whose lock a temp cleaner removed goes on, and the journal keeps others out", async () => {
  const project = await createMission();
  const began = createPipe(project.place, "began");
  const goOn = createPipe(project.place, "go-on");
  const first = project.start(["run", "--agent-command", `echo x > '${began.path}'; cat '${goOn.path}' > a.txt`]);
  await began.heard();
  project.sh("rm", "-r", project.lock);
  const refused = await project.harness("run", ...agent);
  expect(refused.stderr).toContain(`ERROR: Another harness session is active (pid=${first.pid})\n`);
  await goOn.say("a");
  expect((await first.ended).code).toBe(0);
  expect(leftovers(project)).toEqual([]);
});

function pidIn(stdout: string): string {
  return /LOCK acquired \(pid=(\d+)\)/.exec(stdout)?.[1] ?? "";
}
