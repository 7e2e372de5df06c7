// The zoo: whatever an agent prints, eats, leaves behind or pretends, the run goes on to its end, says the truth about
// the task, and leaves the user's repository and the machine as they were.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { animals, elsewhere, endless, floods, greedy, type HostileAgent, later } from "../corpus/hostile-agents.ts";
import { recordNumbers } from "../numbers.ts";
import { cli, createTestProject, type Ended, type TestProject } from "./project.ts";

const idOf = (index: number): string => `task-${String(index + 1).padStart(3, "0")}`;
interface HostileTask {
  readonly status: string;
  readonly lastError: string | null;
}
const megabyte = 1_048_576;

function cage(agents: readonly HostileAgent[], config: object = {}): TestProject {
  const project = createTestProject();
  const tasks = agents.map(({ name }, index) => ({
    id: idOf(index),
    title: name,
    status: "pending",
    priority: "P1",
    max_attempts: 1,
    validation: { command: `test -f ${idOf(index)}.txt` },
  }));
  const files = agents.map(({ script }, index) => [`../agents/${idOf(index)}`, `${script}\n`]);
  const names = {
    WORK: "$HARNESS_TASK_ID.txt",
    PLACE: project.place,
    ROOT: project.root,
    LOCK: project.lock,
    NODE: process.execPath,
    HARNESS: `${process.execPath} ${cli}`,
  };
  const words = Object.entries(names).map(([name, value]) => `export ${name}="${value}"`);
  project.write({
    ...Object.fromEntries(files),
    "../zoo.sh": ["cat > /dev/null", ...words, `. '${project.place}'/agents/$HARNESS_TASK_ID`, ""].join("\n"),
    "../victim": "mine\n",
    "harness-tasks.json": JSON.stringify({ version: 2, tasks }),
  });
  project.configureUser({ limits: { maxTasksPerSession: 100 }, ...config });
  project.env.HARNESS_TEST_PEAK = join(project.place, "peak");
  project.env.NODE_OPTIONS = `--require=${join(import.meta.dirname, "peak-memory.cjs")}`;
  return project;
}

const runZoo = (project: TestProject, ...args: readonly string[]): Promise<Ended> =>
  project.harness("run", "--trust-all", "--agent-command", `sh ${join(project.place, "zoo.sh")}`, ...args);

const peakMb = (project: TestProject): number => Number(readFileSync(join(project.place, "peak"), "utf8")) / 1_024;

/** The last error of each, without the command line it ends with and the numbers that are chance. */
async function endsOf(project: TestProject, agents: readonly HostileAgent[]): Promise<Record<string, string>> {
  const tasks: readonly (HostileTask & { readonly id: string })[] = JSON.parse(
    (await project.must("tasks", "--json")).stdout,
  );
  const byId = new Map<string, HostileTask>(tasks.map((task) => [task.id, task]));
  return Object.fromEntries(
    agents.map(({ name }, index) => {
      const { status = "missing", lastError = null } = byId.get(idOf(index)) ?? {};
      const said = (lastError ?? "").replace(/: (sh|test) [^:]*$/, "").replace(/(used|had) \d+/, "$1 N");
      return [name, status === "completed" ? status : said];
    }),
  );
}
const expected = (agents: readonly HostileAgent[]) => Object.fromEntries(agents.map(({ name, ends }) => [name, ends]));

function outputOf(project: TestProject, index: number): string {
  const { HARNESS_STATE_HOME: states = "" } = project.env;
  const id = readFileSync(join(project.root, ".harness/id"), "utf8").trim();
  const path = join(states, id, "output", idOf(index), "1-agent-1.log");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** The plan that was laid there is a file of ours from the first run on. */
const untouched = (project: TestProject): string => project.checkout().replace("?? harness-tasks.json", "");

/** What must be so after every one of them. */
async function allIsWell(project: TestProject, before: string): Promise<void> {
  expect(untouched(project)).toBe(before);
  await expect.poll(() => project.processes()).toEqual([]);
  expect(readFileSync(join(project.place, "victim"), "utf8")).toBe("mine\n");
  expect(existsSync(join(project.place, "canary"))).toBe(false);
  const log = (await project.must("logs", "-n", "1000000")).stdout.trimEnd().split("\n");
  expect(log.filter((line) => !/^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] \[SESSION-\d+\] \P{C}+$/u.test(line))).toEqual([]);
}

test("hostile agents: whatever they print, leave behind or pretend, only their validation counts", async () => {
  const project = cage(animals);
  const before = untouched(project);
  const ended = await runZoo(project);
  expect(await endsOf(project, animals)).toEqual(expected(animals));
  expect(ended.code).toBe(11);
  const printed = animals.flatMap(({ name, prints }, index) =>
    prints === undefined ? [] : [[name, outputOf(project, index)]],
  );
  expect(printed).toEqual(animals.flatMap(({ name, prints }) => (prints === undefined ? [] : [[name, prints]])));
  await allIsWell(project, before);
  const escapes = animals.findIndex(({ name }) => name === "prints escape codes");
  const shown = (await project.must("logs", idOf(escapes), "--output")).stdout;
  expect(shown).toContain("\\x1b]0;title\\x07\\x1b[2J\\x1b]52;c;aGk=\\x07red\n");
});

test("M8: a flood, and a line without end, keep the run within 150 MB", async () => {
  const project = cage(floods);
  const before = untouched(project);
  expect([(await runZoo(project)).code, await endsOf(project, floods)]).toEqual([0, expected(floods)]);
  const peak = peakMb(project);
  recordNumbers(
    ["PR-7"],
    `output of ${process.env.HARNESS_CHAOS === "all" ? "2 GB" : "96 MB"}: peak ${Math.round(peak)} MB`,
  );
  expect(peak).toBeLessThan(150);
  await allIsWell(project, before);
});

test("PR-7, PR-8: agents that do not end are ended, and leave nothing", async () => {
  const project = cage(endless, { timeouts: { worker: 2 } });
  const before = untouched(project);
  const ended = await runZoo(project, "--lanes", String(endless.length));
  expect([ended.code, await endsOf(project, endless)]).toEqual([11, expected(endless)]);
  await allIsWell(project, before);
});

test("PR-7, PR-8: agents that want too much of the machine are ended at their limits, and leave nothing", async () => {
  const project = cage(greedy, { resources: { memoryMb: 200, processes: 200, openFiles: 512 } });
  const before = untouched(project);
  const ended = await runZoo(project);
  expect([ended.code, await endsOf(project, greedy)]).toEqual([11, expected(greedy)]);
  expect(outputOf(project, greedy.length - 1)).toBe(greedy.at(-1)?.prints);
  await allIsWell(project, before);
});

const isRoot = process.getuid?.() === 0;
test.skipIf(!isRoot)(
  "PR-18: an agent that fills the disk is stopped above the floor, and the run goes on later (needs root for a disk of its own)",
  async () => {
    const filler = {
      name: "fills the disk",
      script: `trap '' TERM; if [ -f "$PLACE/mended" ]; then echo done > "$WORK"; exit 0; fi
      while head -c 4000000 /dev/zero >> big; do :; done`,
      ends: "completed",
    };
    const project = cage([filler], { resources: { diskFloorMb: 300 } });
    const disk = join(project.place, "state");
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=700m,mode=700", "tmpfs", disk]);
    onTestFinished(() => void execFileSync("umount", ["--lazy", disk]));
    const before = untouched(project);
    const ended = await runZoo(project);
    const { bavail, bsize } = statfsSync(disk);
    expect({
      code: ended.code,
      isFull: ended.stderr.includes("ended: stopped – machine full: "),
      next: ended.stderr.includes("next: free some space"),
    }).toEqual({ code: 9, isFull: true, next: true });
    expect(bavail * bsize).toBeGreaterThan(50 * megabyte);
    await expect.poll(() => project.processes()).toEqual([]);
    // Still full: nothing is begun.
    const again = await runZoo(project);
    expect([again.code, again.stderr.includes("machine full: ")]).toEqual([9, true]);
    writeFileSync(join(project.place, "mended"), "");
    for (const big of project.sh("find", disk, "-name", "big").split("\n")) rmSync(big);
    await runZoo(project);
    expect(await endsOf(project, [filler])).toEqual(expected([filler]));
    await allIsWell(project, before);
  },
);

test("PR-7: an agent that asks for 10,000 subtasks gets no more attempts than the limits allow", async () => {
  const more = `"$NODE" -e '
    const { readFileSync, writeFileSync } = require("fs");
    const file = process.env.ROOT + "/harness-tasks.json";
    const plan = JSON.parse(readFileSync(file, "utf8"));
    const task = { title: "more", status: "pending", priority: "P0", validation: { command: "true" } };
    for (let n = 0; n < 10000; n++) plan.tasks.push({ id: "more-" + n, ...task });
    writeFileSync(file, JSON.stringify(plan));'
    [ "$HARNESS_TASK_ID" = task-001 ] && for n in 1 2 3 4; do (cd "$ROOT" && $HARNESS add more --validate true); done
    echo done > "$WORK"`;
  const project = cage([{ name: "asks", script: more, ends: "completed" }]);
  const plan = JSON.parse(readFileSync(join(project.root, "harness-tasks.json"), "utf8"));
  const session_config = { max_sessions: 1, max_tasks_per_session: 3 };
  const others = Object.fromEntries([1, 2, 3, 4].map((n) => [`../agents/${idOf(n)}`, 'echo done > "$WORK"\n']));
  project.write({ ...others, "harness-tasks.json": JSON.stringify({ ...plan, session_config }) });
  const ended = await runZoo(project);
  const { stats } = JSON.parse((await project.must("status", "--json")).stdout);
  const { total, attempts, completed } = stats;
  expect({ code: ended.code, total, attempts, completed }).toEqual({ code: 5, total: 5, attempts: 3, completed: 3 });
  await expect.poll(() => project.processes()).toEqual([]);
});

test("every animal is tried here, by the test that is named, or waits for what is named", () => {
  const root = join(import.meta.dirname, "../..");
  const missing = Object.entries(elsewhere).filter(
    ([, { file, words }]) => !readFileSync(join(root, file), "utf8").includes(words),
  );
  expect(missing).toEqual([]);
  const names = [animals, floods, endless, greedy].flat().map(({ name }) => name);
  const all = [...names, ...Object.keys(elsewhere), ...Object.keys(later)];
  expect(new Set(all).size).toBe(all.length);
  recordNumbers(
    ["PR-9"],
    `${names.length} hostile agents here, ${Object.keys(elsewhere).length} elsewhere: 0 false completions`,
  );
});
