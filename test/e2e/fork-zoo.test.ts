// PR-8: nothing outlives its task, however it was started and however the task ends – our own death included.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { createTestProject, type TestProject } from "./project.ts";
import { inSandbox } from "./sandboxed.ts";

const say = (name: string) => `echo ${name} $$ >> "$PLACE/pids"`;
const stay = "while :; do sleep 1000; done";
/** Each is started by the agent, notes its pid, and would stay for ever. */
const animals = {
  child: `sh -c '${say("child")}; exec sleep 1000' &`,
  "own session": `setsid sh -c '${say("own-session")}; exec sleep 1000' &`,
  "hears nothing": `sh -c 'trap "" TERM HUP INT; ${say("hears-nothing")}; ${stay}' &`,
  "own session, hears nothing": `setsid sh -c 'trap "" TERM HUP INT; ${say("deaf-session")}; ${stay}' &`,
  daemon: `sh -c 'setsid sh -c "sh -c '"'"'${say("daemon").replaceAll('"', '\\"')}; exec sleep 1000'"'"' &" &'`,
  "stopped itself": `sh -c '${say("stopped")}; kill -STOP $$; exec sleep 1000' &`,
  "without the streams": `setsid sh -c '${say("streamless")}; exec sleep 1000' < /dev/null > /dev/null 2>&1 &`,
} as const;
const count = Object.keys(animals).length;

async function zoo(end: string, config = "{}"): Promise<TestProject> {
  const project = createTestProject({ "README.md": "# Project\n" });
  project.pass({ PLACE: project.place });
  project.write({
    "../zoo.sh": [
      "cat > /dev/null",
      ...Object.values(animals),
      `until [ "$(sort -u "$PLACE/pids" 2>/dev/null | wc -l)" -ge ${count} ]; do sleep 0.05; done`,
      'echo all there > work.txt; touch "$PLACE/ready"',
      end,
      "",
    ].join("\n"),
  });
  project.write({ ".harness/config.json": config });
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f work.txt");
  return project;
}
const runArgs = (project: TestProject) => ["run", "--agent-command", `sh ${join(project.place, "zoo.sh")}`];

/** Those that are still alive, by name. */
function survivors(project: TestProject): readonly string[] {
  const lines = readFileSync(join(project.place, "pids"), "utf8").trim().split("\n");
  return lines.filter((line) => isAlive(Number(line.split(" ").at(-1))));
}

function isAlive(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) [ZX] /.test(readFileSync(path, "latin1"));
}

const longest = { ms: 0 };
async function allGone(project: TestProject): Promise<void> {
  const began = performance.now();
  await expect.poll(() => survivors(project)).toEqual([]);
  longest.ms = Math.max(longest.ms, performance.now() - began);
  recordNumbers(
    ["PR-8"],
    `${count} ways to start a process × 6 ends: 0 survivors, the last gone after ${Math.round(longest.ms)} ms`,
  );
}

test("PR-8: after an agent that did its work nothing is left of what it started", async () => {
  const project = await zoo("exit 0");
  expect((await project.harness(...runArgs(project))).code).toBe(0);
  await allGone(project);
});

test("PR-8: after an agent that failed, the same", async () => {
  const project = await zoo("exit 1");
  expect((await project.harness(...runArgs(project), "--once")).code).not.toBe(0);
  await allGone(project);
});

test("PR-8: after an agent that ran out of time, the same", async () => {
  const project = await zoo("sleep 1000", '{"timeouts":{"worker":15}}');
  const ended = await project.harness(...runArgs(project), "--once");
  expect(ended.stdout).toContain("[TIMEOUT]");
  await allGone(project);
});

test.for([
  ["a kill -9 of the harness", ["SIGKILL"]],
  ["Ctrl-C", ["SIGINT"]],
  ["Ctrl-C twice", ["SIGINT", "SIGINT"]],
] as const)("PR-8: after %s, the same, before anybody comes back", async ([, signals]) => {
  const project = await zoo("sleep 1000");
  const run = project.start(runArgs(project));
  await expect.poll(() => existsSync(join(project.place, "ready"))).toBe(true);
  for (const signal of signals) run.process.kill(signal);
  await run.ended;
  await allGone(project);
});

/** In a sandbox also those are caught that leave group, session and environment behind; known by how long they sleep. */
const boxedAnimals = (token: string): readonly string[] => [
  `sh -c 'exec sleep ${token}' &`,
  `setsid sh -c 'trap "" TERM HUP INT; while :; do sleep ${token}; done' &`,
  `setsid env -i /bin/sleep ${token} &`,
  `setsid env -i /bin/sh -c 'trap "" TERM HUP INT; while :; do /bin/sleep ${token}; done' < /dev/null > /dev/null 2>&1 &`,
  `sh -c 'setsid env -i /bin/sh -c "/bin/sleep ${token} & /bin/sleep ${token} &" &'`,
  `sh -c 'kill -STOP $$; exec sleep ${token}' &`,
];

const withToken = (token: string): readonly string[] =>
  execFileSync("ps", ["-eo", "stat=,args="], { encoding: "utf8", maxBuffer: 1 << 26 })
    .split("\n")
    .filter((line) => line.includes(token) && !/^[ZX]/.test(line));

inSandbox.for([
  ["did its work", "exit 0", []],
  ["failed", "exit 1", []],
  ["ran out of time", "sleep 1000", []],
  ["was left by a kill -9 of the harness", "sleep 1000", ["SIGKILL"]],
  ["was interrupted by Ctrl-C", "sleep 1000", ["SIGINT"]],
] as const)(
  "PR-8: in the sandbox nothing is left of an agent that %s, also not what left it all behind",
  async ([what, end, signals]) => {
    const project = createTestProject();
    project.configureUser({ sandbox: "required" });
    const token = `10${process.pid}.${Math.round(performance.now() * 1_000)}`;
    const started = `until [ "$(ps ax | grep -c '[s]leep ${token}')" -ge 6 ]; do sleep 0.05; done; touch ready`;
    project.write({ "../zoo.sh": ["cat > /dev/null", ...boxedAnimals(token), started, end, ""].join("\n") });
    project.write({ ".harness/config.json": what === "ran out of time" ? '{"timeouts":{"worker":15}}' : "{}" });
    await project.must("init", "--yes");
    await project.must("add", "A", "--validate", "test -f ready");
    const run = project.start([...runArgs(project), "--once"]);
    // The others end by themselves, once all are there.
    if (signals.length > 0) await expect.poll(() => withToken(token).length).toBeGreaterThanOrEqual(6);
    for (const signal of signals) run.process.kill(signal);
    await run.ended;
    await expect.poll(() => withToken(token)).toEqual([]);
    recordNumbers(["PR-8"], "in the sandbox: 6 ways to leave group, session and environment × 5 ends: 0 survivors");
  },
);
