// O1: what a task's programs printed can be looked at, while they run and afterwards.
import { closeSync, existsSync, openSync, readdirSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMission, printed, type TestProject } from "./project.ts";

/** Lines with the folder of this test's state taken out. */
const shown = (text: string, project: TestProject): readonly string[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(`── ${project.env.HARNESS_STATE_HOME}/`, "── ").replace(/[0-9a-f]{32}/, "ID"));

const agent = `cat > /dev/null; echo one; printf '\\033[2J\\ttwo\\n'; until [ -f "$0" ]; do sleep 0.05; done; printf three; touch a.txt`;

test("O1: logs TASK --output shows what was printed, harmless, by the last attempt, and follows it", async () => {
  const project = await createMission(["A", "--validate", "echo checked; test -f a.txt"]);
  const go = join(project.place, "go");
  writeFileSync(join(project.place, "agent.sh"), agent.replace("$0", go));
  const nothing = await project.must("logs", "task-001", "--output");
  expect([nothing.stdout, nothing.stderr]).toEqual(["", "nothing was printed yet\n"]);
  const run = project.start(["run", "--agent-command", `sh ${join(project.place, "agent.sh")}`]);
  const follower = project.start(["logs", "task-001", "--output", "--follow"]);
  let seen = "";
  follower.process.stdout?.on("data", (piece: string) => {
    seen += piece;
  });
  await expect.poll(() => seen).toContain("two");
  expect(existsSync(go)).toBe(false);
  writeFileSync(go, "");
  expect((await run.ended).code).toBe(0);
  await expect.poll(() => seen).toContain("checked");
  follower.process.kill("SIGINT");
  const followed = await follower.ended;
  const agents = ["── ID/output/task-001/1-agent-1.log", "one", "\\x1b[2J\ttwo"];
  const check = ["── ID/output/task-001/1-validation.log", "checked"];
  expect([followed.code, shown(followed.stdout, project)]).toEqual([0, [...agents, ...check]]);
  const all = await project.must("logs", "task-001", "--output");
  expect(shown(all.stdout, project)).toEqual([...agents, "three", ...check]);
  const last = await project.must("logs", "task-001", "--output", "-n", "1");
  expect(last.stdout).toBe("checked\n");
});

test("O1: --output is about one task", async () => {
  const project = await createMission(["A", "--validate", "true"]);
  const end = await project.harness("logs", "--output");
  expect([end.code, end.stderr]).toEqual([1, expect.stringContaining("next: harness logs TASK --output")]);
});

test("O1: logs -f TASK goes on from attempt to attempt, and ends with the task", async () => {
  const project = await createMission(["A", "--validate", "test -f b.txt || { echo missing; false; }"]);
  const [once, go, script] = ["once", "go", "agent.sh"].map((name) => join(project.place, name));
  const second = "echo second; touch b.txt";
  const first = `touch ${once}; echo first; until [ -f ${go} ]; do sleep 0.05; done`;
  writeFileSync(script ?? "", `cat > /dev/null; if [ -f ${once} ]; then ${second}; else ${first}; fi`);
  const run = project.start(["run", "--agent-command", `sh ${script}`]);
  const follower = project.start(["logs", "-f", "task-001"]);
  await printed(follower, "first");
  writeFileSync(go ?? "", "");
  expect((await run.ended).code).toBe(0);
  const { code, stdout } = await follower.ended;
  const attempts = [
    ["── attempt 1, iteration 1", "first", "── attempt 1, validation", "missing"],
    ["── attempt 2, iteration 1", "second", "[completed] task-001: A (2/3)", ""],
  ];
  expect([code, stdout.split("\n")]).toEqual([0, attempts.flat()]);

  const shownOf = async (...args: string[]) => (await project.must("logs", "task-001", ...args)).stdout.split("\n");
  expect([await shownOf(), await shownOf("--attempt", "1", "-n", "2"), await shownOf("--raw")]).toEqual([
    attempts[1],
    ["── attempt 1, validation", "missing", "[completed] task-001: A (2/3)", ""],
    ["second", ""],
  ]);
  const none = await project.must("logs", "task-001", "--attempt", "7");
  expect([none.stdout, none.stderr]).toEqual(["", "nothing was printed yet\n"]);
});

test("O1: a transcript of 100 MB is read in little memory", async () => {
  const project = await createMission(["A", "--validate", "true"]);
  expect((await project.harness("run", "--agent-command", "echo a > a.txt; echo words")).code).toBe(0);
  const states = join(project.place, "state");
  const [state = ""] = readdirSync(states).filter((name) => existsSync(join(states, name, "output")));
  const file = openSync(join(states, state, "output/task-001/9-agent-1.claude-code.log"), "w");
  const line = (text: string) =>
    `${JSON.stringify({ type: "assistant", message: { id: "m", content: [{ type: "text", text }] } })}\n`;
  for (let n = 0; n < 1_000; n += 1) writeSync(file, line("x".repeat(50_000)));
  writeSync(file, '{"type":"assistant","x":"');
  for (let n = 0; n < 1_000; n += 1) writeSync(file, "y".repeat(50_000));
  writeSync(file, `"}\n${line("the last words")}`);
  closeSync(file);
  project.env.NODE_OPTIONS = "--max-old-space-size=64";
  const last = await project.must("logs", "task-001", "-n", "1");
  expect(last.stdout.split("\n")).toEqual(["the last words", "[completed] task-001: A (1/3)", ""]);
});
