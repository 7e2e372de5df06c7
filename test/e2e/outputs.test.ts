// Declared outputs, by the built program: from the flag to the brief, the gate, the log and the views (rule G1).
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

const agentOf = (here: TestProject, script: string): readonly string[] => {
  writeFileSync(join(here.place, "home/agent.sh"), script);
  return ["--agent-command", `sh ${here.place}/home/agent.sh`];
};
const taskOf = async (here: TestProject) => JSON.parse((await here.must("tasks", "--json")).stdout)[0];

test("G1: a promise without its outputs is an iteration, the next brief names them, and with them the work is merged", async () => {
  const here = createTestProject({ "readme.md": "x\n", ".gitignore": "ignored.md\n" });
  const agent = agentOf(
    here,
    `cat > "$HOME/brief-$(ls "$HOME" | grep -c brief)"
case $(ls "$HOME" | grep -c brief) in
  1) echo hello > ignored.md; echo '{"a":' > data.json;;
  2) echo '{"a": 1}' > data.json; echo "# Report" > report.md;;
esac
echo TASK_COMPLETE`,
  );
  const outputs = ["--output", "report.md", "--output", "*.json"];
  const ended = await here.harness("loop", "write it", ...agent, ...outputs, "--validate", "true", "--yes");
  expect([ended.code, ended.stderr]).toEqual([0, expect.any(String)]);
  expect(ended.stdout).toContain("outputs  report.md, *.json");
  const wrong =
    "declared outputs are missing or malformed: report.md does not exist; data.json is no JSON (line 2, column 1: the text ends too early in a: a value should follow)";
  const log = (await here.must("logs")).stdout;
  expect(log).toContain(`WARN [task-001] iteration 1 was not the last: [TEST_FAIL] ${wrong}`);
  const second = here.sh("cat", join(here.place, "home/brief-1"));
  expect(second).toContain(`## Why it is not done\n\n${wrong}`);
  expect(second).toContain("    report.md\n    *.json\n\nThen by:\n\n    true");
  expect(here.git("ls-tree", "--name-only", await here.branch())).toBe(".gitignore\ndata.json\nreadme.md\nreport.md");
  expect(await taskOf(here)).toMatchObject({ status: "completed", outputs: ["report.md", "*.json"] });
});

test("G1: of an ordinary task a missing output fails the attempt, and what judges later is not even asked", async () => {
  const here = createTestProject({ "readme.md": "x\n" });
  await here.must("init", "--yes");
  await here.must("add", "write it", "--output", "report.md", "--max-attempts", "1", "--validate", "touch $HOME/asked");
  const ended = await here.harness("run", ...agentOf(here, "echo x > other.md"));
  expect([ended.code, existsSync(join(here.place, "home/asked"))]).toEqual([11, false]);
  expect((await taskOf(here)).lastError).toBe(
    "[TEST_FAIL] declared outputs are missing or malformed: report.md does not exist",
  );
});

test("G1, F6: outputs are changed by edit, and by hand only after a yes", async () => {
  const here = createTestProject({ "readme.md": "x\n" });
  await here.must("init", "--yes");
  await here.must("add", "write it", "--output", "a.md", "--validate", "true");
  await here.must("edit", "task-001", "--output", "b.md", "--output", "c/*.md");
  const plan = () => JSON.parse(readFileSync(join(here.root, "harness-tasks.json"), "utf8"));
  expect(plan().tasks[0].output_artifacts).toEqual(["b.md", "c/*.md"]);
  const edited = plan();
  delete edited.tasks[0].output_artifacts;
  here.write({ "harness-tasks.json": JSON.stringify(edited) });
  await here.must("status");
  const asked = JSON.parse((await here.must("status", "--json")).stdout).waitingFor;
  expect(asked).toMatchObject([{ task: "task-001", question: expect.stringContaining('"outputs":["b.md","c/*.md"]') }]);
  expect((await taskOf(here)).outputs).toEqual(["b.md", "c/*.md"]);
  await here.must("approve", asked[0].name);
  expect((await taskOf(here)).outputs).toEqual([]);
  const refused = await here.harness("add", "no", "--output", "../x", "--validate", "true");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("inside the project")]);
});
