// Many tasks on several lanes into one branch: each is there, once, as it was judged (rules G5, V3).
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Recorded } from "../../src/protocol/event.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { recordNumbers } from "../numbers.ts";
import { createTestProject, type TestProject } from "./project.ts";

const lanes = 4;
const tasks = process.env.HARNESS_CHAOS === undefined ? 60 : 240;
const idOf = (n: number): string => `task-${String(n).padStart(3, "0")}`;
const ids = Array.from({ length: tasks }, (_, n) => idOf(n + 1));

async function journalOf(project: TestProject): Promise<readonly Recorded[]> {
  const [home = ""] = readdirSync(join(project.place, "state"));
  const store = await openSqliteStore({ path: join(project.place, "state", home, "journal.db") });
  try {
    return (await store.read(0, 1_000_000)).map((event) => decodeEvent(event));
  } finally {
    await store.close();
  }
}

test(`G5, V3, PR-5, PR-9: ${tasks} tasks on ${lanes} lanes are ${tasks} files and ${tasks} commits, each judged as it was merged`, async () => {
  const project = createTestProject();
  const plan = ids.map((id) => ({
    id,
    title: `Write ${id}`,
    status: "pending",
    priority: "P1",
    depends_on: [],
    validation: { command: `test "$(cat ${id}.txt)" = ${id}`, timeout_seconds: 60 },
  }));
  project.write({ "harness-tasks.json": JSON.stringify({ version: 2, session_config: {}, tasks: plan }) });
  await project.must("init", "--yes");
  const agent = 'cat > /dev/null; echo "$HARNESS_TASK_ID" > "$HARNESS_TASK_ID.txt"';
  const end = await project.harness("run", "--trust-all", "--lanes", String(lanes), "--agent-command", agent);
  expect([end.code, end.stderr]).toEqual([0, expect.any(String)]);

  const branch = await project.branch();
  const files = project.git("ls-tree", "-r", "--name-only", branch).split("\n");
  expect(files).toEqual(["README.md", ...ids.map((id) => `${id}.txt`)]);
  const format = "--format=%H %P %(trailers:key=Harness-Task,valueonly,separator=%x2C)";
  const commits = project
    .git("log", "--first-parent", "--reverse", format, `HEAD..${branch}`)
    .split("\n")
    .map((line) => line.split(" "));
  expect(commits.map(([, , task]) => task).sort()).toEqual(ids);
  // A line of single commits, each on the one before: no base moved under anybody.
  const before = [project.git("rev-parse", "HEAD"), ...commits.map(([commit]) => commit)].slice(0, -1);
  expect(commits.map(([, parent]) => parent)).toEqual(before);

  const events = await journalOf(project);
  const passed = new Set(
    events.flatMap((event) => (event.type === "gate.judged" && event.verdict.verdict === "pass" ? [event.commit] : [])),
  );
  const completed = events.flatMap((event) => (event.type === "task.completed" ? [event.commit] : []));
  expect(new Set(completed)).toEqual(new Set(commits.map(([commit]) => commit)));
  expect(completed.filter((commit) => !passed.has(commit))).toEqual([]);
  const judged = events.filter(({ type }) => type === "gate.judged").length;
  expect(judged).toBeLessThanOrEqual(2 * tasks + lanes);
  expect(events.filter(({ type }) => type === "attempt.failed")).toEqual([]);
  recordNumbers(
    ["PR-5"],
    `${tasks} tasks on ${lanes} lanes, ${commits.length} commits, 0 files lost, ${judged} judgements`,
  );
}, 900_000);
