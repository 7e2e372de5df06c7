// A plan written by hand, taken over without a journal, and carried to its end through many kills.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { createTestProject, type TestProject } from "./project.ts";
import { createRandom } from "./random.ts";

const isWhole = process.env.HARNESS_CHAOS !== undefined;
const [count, kills] = isWhole ? [100, 50] : [40, 16];
const ids = Array.from({ length: count }, (_, index) => `task-${String(index + 1).padStart(3, "0")}`);

/** Every third task depends on the one before; the agent leaves one file per task. */
function plan(config: Record<string, unknown>, maxAttempts: number): string {
  const tasks = ids.map((id, index) => ({
    id,
    title: `Make ${id}.txt`,
    status: "pending",
    priority: ["P0", "P1", "P2"][index % 3],
    depends_on: index % 3 === 2 ? [ids[index - 1]] : [],
    attempts: 0,
    max_attempts: maxAttempts,
    started_at_commit: null,
    validation: { command: `test -f ${id}.txt`, timeout_seconds: 60 },
    on_failure: { cleanup: null },
    error_log: [],
    checkpoints: [],
    completed_at: null,
  }));
  return JSON.stringify(
    {
      version: 2,
      created: "2025-07-01T10:00:00Z",
      session_config: config,
      tasks,
      session_count: 0,
      last_session: null,
    },
    null,
    2,
  );
}

// It stays a while after it said so, and as long as it is held: a kill shall also find it at work, however busy the
// machine is.
const agent =
  'echo "making $HARNESS_TASK_ID"; echo work > "$HARNESS_TASK_ID.txt"; echo "CHECKPOINT step=1/1 \\"made\\""; while test -e "$HOME/held"; do sleep 0.1; done; sleep 0.3';
const run = ["run", "--trust-all", "--lanes", "4", "--agent-command", agent];

/** Starts a run and kills it at a random moment, early enough that all of them do not finish the plan. */
async function killOnce(project: TestProject, random: () => number): Promise<"killed" | number | null> {
  const moments = [
    ["LOCK acquired", 700],
    ["] CHECKPOINT [", 200],
    ["] Completed [", 250],
  ] as const;
  const [awaited, delayMs] = moments[Math.floor(random() * moments.length)] ?? moments[0];
  const moment = random() * delayMs;
  const held = join(project.place, "home/held");
  if (awaited === "] CHECKPOINT [") writeFileSync(held, "");
  const running = project.start(run);
  let heard = "";
  running.process.stdout?.on("data", (text: string) => {
    const isNew = !heard.includes(awaited);
    heard += text;
    if (isNew && heard.includes(awaited)) setTimeout(() => running.process.kill("SIGKILL"), moment);
  });
  const end = await running.ended;
  rmSync(held, { force: true });
  return end.signal === "SIGKILL" ? "killed" : end.code;
}

const log = (project: TestProject): string[] =>
  readFileSync(join(project.root, "harness-progress.txt"), "utf8").trimEnd().split("\n");
const grammar =
  /^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\] \[SESSION-\d+\] (INIT (Harness initialized for project \S.*|Environment health check: (PASS|FAIL))|LOCK (acquired \(pid=\d+\)|released)|Starting \[[\w-]+\] .* \(base=[0-9a-f]{7}\)|Completed \[[\w-]+\] \(commit [0-9a-f]{7}\)|CHECKPOINT \[[\w-]+\] step=\d+\/\d+ ".*"|ERROR (\[[\w-]+\] )?\[(ENV_SETUP|CONFIG|TASK_EXEC|TEST_FAIL|TIMEOUT|DEPENDENCY|SESSION_TIMEOUT)\] .*|ROLLBACK \[[\w-]+\] git reset --hard [0-9a-f]{7} rescue=\S+|RECOVERY \[[\w-]+\] action=".*" reason=".*"|STATS tasks_total=\d+ completed=\d+ failed=\d+ pending=\d+ blocked=\d+ attempts_total=\d+ checkpoints=\d+|WARN .+)$/;

test("T: an adopted plan's commands do not run before they were accepted: exit 8, nothing ran, nothing changed", async () => {
  const project = createTestProject();
  project.write({ "harness-tasks.json": plan({}, 3) });
  const end = await project.harness("run", "--agent-command", "touch ran");
  expect(end.code).toBe(8);
  expect(end.stderr).toContain("test -f task-001.txt");
  expect(project.git("for-each-ref", "refs/heads/harness", "refs/harness")).toBe("");
});

test(`F6, V1, N1, PR-1, PR-5: a hand-written plan of ${count} tasks is adopted and comes to its end through ${kills} kills`, async () => {
  const project = createTestProject();
  project.write({ "harness-tasks.json": plan({ max_sessions: 1_000, max_tasks_per_session: 20 }, 50) });
  // Our own files are taken out of git's sight; everything else must stay as it is.
  const before = project.checkout().replace("?? harness-tasks.json", "");
  const { seed, random } = createRandom();
  const ends: (string | number | null)[] = [];
  for (let kill = 1; kill <= kills; kill++) ends.push(await killOnce(project, random));
  expect([seed, ends.filter((end) => end !== "killed")]).toEqual([seed, []]);
  const last = await project.must(...run);
  expect(last.code).toBe(0);

  const file = JSON.parse(readFileSync(join(project.root, "harness-tasks.json"), "utf8"));
  expect(file.tasks.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`)).toEqual(
    ids.map((id) => `${id} completed`),
  );
  const branch = await project.branch();
  expect([...project.missionCommits(branch)].map((line) => line.split(" | ")[1]).sort()).toEqual(ids);
  expect(project.checkout()).toBe(before);

  const lines = log(project);
  expect(lines.filter((line) => !grammar.test(line))).toEqual([]);
  const about = (type: string, id: string) => lines.filter((line) => line.includes(`] ${type} [${id}]`)).length;
  expect(ids.map((id) => about("Completed", id))).toEqual(ids.map(() => 1));
  // Each charged failure has its line; the attempt that completed is counted too.
  const attempts = file.tasks.map(({ attempts: made }: { attempts: number }) => made);
  expect(attempts).toEqual(ids.map((id) => about("ERROR", id) + 1));
  const recoveries = lines.filter((line) => line.includes("] RECOVERY ["));
  expect(recoveries.length).toBeGreaterThan(kills / 5);
  recordNumbers(
    ["PR-1", "PR-5"],
    `a plan of ${count} tasks through ${kills} kill -9 of a real run with ${recoveries.length} recoveries: each completed once, 0 lost (seed ${seed})`,
  );
}, 1_200_000);

test("S2: with the default limits the 51st session stops at once with STATS and exit 5", async () => {
  const project = createTestProject();
  project.write({ "harness-tasks.json": plan({}, 50) });
  // Killed as soon as its session is counted, fifty times.
  for (let session = 1; session <= 50; session++) {
    const running = project.start(run);
    await new Promise<void>((resolve) => {
      running.process.stdout?.on("data", (text: string) => {
        if (text.includes("LOCK acquired")) resolve();
      });
      running.ended.then(
        () => resolve(),
        () => resolve(),
      );
    });
    running.process.kill("SIGKILL");
    await running.ended;
  }
  const end = await project.harness(...run);
  expect(end.code).toBe(5);
  const [stats] = log(project).slice(-2);
  expect(stats).toContain(`[SESSION-51] STATS tasks_total=${count} `);
}, 600_000);

test("N1: the five filters of the seed work on a real run's log", async () => {
  const project = createTestProject();
  const tasks = [
    { id: "task-001", title: "Good", validation: { command: "test -f good" } },
    { id: "task-002", title: "Bad", max_attempts: 1, validation: { command: "false" } },
  ];
  project.write({ "harness-tasks.json": JSON.stringify({ version: 2, tasks }) });
  await project.harness("run", "--trust-all", "--agent-command", 'touch good; echo "CHECKPOINT step=1/2 \\"half\\""');
  const grep = (...args: readonly string[]) => project.sh("grep", ...args, "harness-progress.txt").split("\n").length;
  expect([grep("ERROR"), grep("-c", "TEST_FAIL"), grep("SESSION-1") > 5, grep("STATS"), grep("CHECKPOINT")]).toEqual([
    1,
    1,
    true,
    1,
    2,
  ]);
});
