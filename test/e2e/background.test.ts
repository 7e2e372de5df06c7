// C1: a run without its terminal – begun before one is told so, one at a time, and known by more than its pid.
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

const pidOf = ({ root }: TestProject): number => Number(readFileSync(join(root, ".harness/worker.pid"), "utf8"));
const isOver = ({ root }: TestProject) => !existsSync(join(root, ".harness/worker.pid"));
const wordsOf = ({ root }: TestProject) => readFileSync(join(root, ".harness/worker.log"), "utf8");

/** An agent that waits until it may go on. */
function waiting() {
  const project = createTestProject();
  const gate = join(project.place, "gate");
  const agent = `cat > /dev/null; until [ -e '${gate}' ]; do sleep 0.05; done; echo a > a.txt; echo TASK_COMPLETE`;
  // Also after a test that failed half-way.
  onTestFinished(async () => {
    writeFileSync(gate, "");
    await expect.poll(() => project.processes(), { timeout: 30_000 }).toEqual([]);
  });
  return { project, open: () => writeFileSync(gate, ""), agent: ["--agent-command", agent] };
}

test("C1: a loop in the background has begun when one is told so, refuses a second one, and goes on to its end", async () => {
  const { project, agent, open } = waiting();
  const loop = ["loop", "write a", "--validate", "test -f a.txt", ...agent, "--yes", "--background"];
  const started = await project.must(...loop);
  const pid = pidOf(project);
  expect(started.stdout).toContain(`Started in the background (pid ${pid})`);
  // A session of its own: no terminal's end reaches it.
  expect(project.sh("ps", "-o", "sid=,tty=", "-p", String(pid)).trim().split(/\s+/)).toEqual([String(pid), "?"]);
  const { tasks } = JSON.parse((await project.must("status", "--json")).stdout);
  expect(tasks[0].status).toBe("in_progress");
  for (const second of [loop, ["run", ...agent, "--background"]]) {
    const { code, stderr } = await project.harness(...second);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`in the background already (pid ${pid})`)]);
  }
  open();
  await expect.poll(() => isOver(project), { timeout: 30_000 }).toBe(true);
  const told = /Completed \[task-001\][\s\S]*done {5}write a \(1 iteration\)/;
  await expect.poll(() => wordsOf(project), { timeout: 30_000 }).toMatch(told);
});

test("C1: what cannot begin says so at once, with its own words and exit code", async () => {
  const { project, agent } = waiting();
  const unasked = await project.harness("loop", "x", "--validate", "true", ...agent, "--background");
  expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining("add --yes")]);
  await project.must("init", "--yes");
  const empty = await project.harness("run", ...agent, "--background");
  expect([empty.code, empty.stdout, empty.stderr]).toEqual([1, "", expect.stringContaining("the plan has no tasks")]);
  expect(isOver(project)).toBe(true);
});

test("C1: one that was killed is in nobody's way, though another process has its pid; its words are kept, three deep", async () => {
  const { project, agent, open } = waiting();
  open();
  await project.must("init", "--yes");
  const words = join(project.place, "theirs");
  writeFileSync(words, "untouched");
  // Whatever stands where our words go: nothing is written through it.
  symlinkSync(words, join(project.root, ".harness/worker.log"));
  const pidFile = join(project.root, ".harness/worker.pid");
  for (let n = 1; n <= 4; n++) {
    await project.must("add", `Write ${n}`, "--validate", "true");
    // This process is alive and has this pid, but began long after the file was written.
    writeFileSync(pidFile, `${process.pid}\n`);
    utimesSync(pidFile, 1_000, 1_000);
    await project.must("run", ...agent, "--background");
    await expect.poll(() => isOver(project), { timeout: 30_000 }).toBe(true);
  }
  const logs = readdirSync(join(project.root, ".harness")).filter((name) => name.startsWith("worker"));
  expect(logs.sort()).toEqual(["worker.log", "worker.log.1", "worker.log.2", "worker.log.3"]);
  expect([readFileSync(words, "utf8"), lstatSync(join(project.root, ".harness/worker.log")).mode & 0o777]).toEqual([
    "untouched",
    0o600,
  ]);
  expect(wordsOf(project)).toContain("Completed [task-004]");
});

test("I1: with --with-changes what is not committed is part of the work, done where it is, and said so before", async () => {
  const project = createTestProject();
  project.write({ "mine.txt": "mine\n" });
  const agent = ["--agent-command", "cat > /dev/null; cp mine.txt a.txt; echo TASK_COMPLETE"];
  const loop = ["loop", "copy mine", "--validate", "cmp mine.txt a.txt", ...agent, "--yes", "--max-minutes", "30"];
  const { code, stdout } = await project.harness(...loop, "--with-changes");
  expect([code, stdout.split("\n").filter((line) => /^(branch|limits|note) /.test(line))]).toEqual([
    0,
    [
      "branch   the one that is checked out; the work is done in this checkout itself",
      "limits   10 iterations, 30 minutes; ends with the promise TASK_COMPLETE, if the check passes",
      "note     1 uncommitted file becomes part of the work: mine.txt",
    ],
  ]);
  expect([project.git("show", "--format=%s", "--name-only", "HEAD"), project.git("status", "--porcelain")]).toEqual([
    "task-001: copy mine\n\na.txt\nmine.txt",
    "",
  ]);
});
