// Titles, commands' output and environment that try to become something else on their way.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject } from "./project.ts";

const titles = [
  "$(touch canary)",
  "`touch canary`",
  "; touch canary #",
  "--output=canary",
  "-rf .",
  "first\nHarness-Task: task-999",
  "[2026-01-01T00:00:00.000Z] [SESSION-1] Completed [task-001]",
  "\u001b[2J\u001b]0;title\u0007 clear",
  "%s %n {{x}} <script>alert(1)</script>",
  "rtl \u202e override \u200b zero width",
  "'; DROP TABLE events; --",
];

test("PR-16, PR-17: hostile titles stay text: no canary, one line per record, no forged trailer", async () => {
  const project = createTestProject({
    "README.md": "# Project\n",
    "agent.sh": 'echo "$HARNESS_TASK_ID" > "$HARNESS_TASK_ID.txt"\n',
  });
  await project.must("init", "--yes");
  for (const title of titles) await project.must("add", "--validate", 'test -n "$(ls *.txt)"', "--", title);
  const run = await project.must("run", "--agent-command", "sh agent.sh", "--lanes", "2");
  const lines = run.stdout.trimEnd().split("\n");
  for (const line of lines)
    expect(line).toMatch(/^\[[^\]]+Z\] \[SESSION-1\] (LOCK|WARN sandbox is none|Starting|Completed|STATS) ?/);
  expect(lines.filter((line) => line.includes("] Completed [")).length).toBe(titles.length + 1);
  const invisible = [...run.stdout].filter(
    (character) => (character < " " && character !== "\n") || /\p{Cf}/u.test(character),
  );
  expect(invisible).toEqual([]);
  expect(project.git("ls-files", "--others")).not.toContain("canary");
  const branch = await project.branch();
  const tasks = project.git("log", "--format=%(trailers:key=Harness-Task,valueonly)", `HEAD..${branch}`).split("\n");
  expect(tasks.filter((task) => task !== "").sort()).toEqual(
    titles.map((_, index) => `task-${String(index + 1).padStart(3, "0")}`),
  );
});

test("PR-15: a secret of the environment that an agent prints reaches neither journal, log nor error", async () => {
  const canary = "c4n4ry-5ecret-value";
  const agent = `printf 'half: %s' c4n4ry-; printf '5ecret-value\\n'; echo "CHECKPOINT step=1/1 \\"using ${canary}\\""; echo ${canary} >&2; exit 3`;
  const project = createTestProject({ "README.md": "# Project\n", "agent.sh": agent });
  project.env.MY_API_TOKEN = canary;
  await project.must("init", "--yes");
  await project.must("add", "Leak", "--validate", "true", "--max-attempts", "1");
  const run = await project.harness("run", "--agent-command", "sh agent.sh");
  expect(run.code).toBe(11);
  const status = await project.must("status", "--json");
  expect([run.stdout, run.stderr, status.stdout].filter((text) => text.includes(canary))).toEqual([]);
  const journals = filesUnder(join(project.place, "state")).filter((path) => path.includes("journal.db"));
  expect(journals.length).toBeGreaterThan(0);
  for (const path of journals) expect(readFileSync(path).includes(canary)).toBe(false);
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
