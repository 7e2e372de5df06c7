// Phases of a loop by the built program: killed in the middle, trusted, and the example mission (rule I8).
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

const promise = [{ say: "TASK_COMPLETE" }, { end: "finished" }];
const phases = [
  { name: "research", prefix: "Find out. No code yet.", gate: { outputs: ["notes.md"] } },
  { name: "write", prefix: "Write it.", gate: { outputs: ["report.md"] } },
  { name: "verify", prefix: "Look at it as a stranger.", gate: { outputs: ["seen.json"] } },
];
const example = join(import.meta.dirname, "../../examples/research-mission");

function scripted(here: TestProject, steps: readonly object[]): readonly string[] {
  const file = join(here.place, "agent.json");
  writeFileSync(file, JSON.stringify({ default: steps }));
  return ["--agent", "scripted", "--agent-script", file];
}
const logOf = (here: TestProject): readonly string[] =>
  readFileSync(join(here.root, "harness-progress.txt"), "utf8")
    .split("\n")
    .flatMap((line) => /(?<=\] )(?:WARN \[|RECOVERY|Completed).*/.exec(line)?.[0] ?? [])
    .map((line) => line.replace(/commit [0-9a-f]{7}/, "commit …"));

test("I8, V1: killed with kill -9 in its second phase, a loop goes on in that phase, and counts on", async () => {
  const here = createTestProject({ "readme.md": "x\n" });
  here.write({ ".harness/config.json": JSON.stringify({ phases }) });
  const agent = scripted(here, [
    { write: "notes.md", text: "found\n" },
    ...promise,
    { write: "report.md", text: "half\n" },
    { crash: true },
    { end: "unfinished" },
    { append: "report.md", text: "all\n" },
    ...promise,
    { write: "seen.json", text: "{}" },
    ...promise,
  ]);
  const started = here.start(["loop", "report on it", "--validate", "grep -q all report.md", "--yes", ...agent]);
  expect((await started.ended).signal).toBe("SIGKILL");
  const tasks = async () => JSON.parse((await here.must("tasks", "--json")).stdout);
  expect((await tasks())[0].loopPhase).toEqual({ name: "write", number: 2, of: 3 });
  expect((await here.must("status")).stdout).toContain("phase 2 of 3: write working on lane 0");
  const brief = (await here.must("brief", "task-001")).stdout;
  expect(brief).toContain(
    "# Phase 2 of 3: write\n\nWrite it.\n\nThe phases of this task: research (passed), write (now), verify.",
  );
  // What is configured now does not change what was started.
  here.write({ ".harness/config.json": "{}" });
  expect((await here.harness("run", ...agent)).code).toBe(0);
  expect(logOf(here)).toEqual([
    "WARN [task-001] phase 1 of 3 passed: research (commit …)",
    'RECOVERY [task-001] action="start the next iteration" reason="a loop goes on with what its agent left, until the promise is kept"',
    "WARN [task-001] phase 2 of 3 passed: write (commit …)",
    "Completed [task-001] (commit …)",
  ]);
  const branch = await here.branch();
  expect([here.git("show", `${branch}:report.md`), (await tasks())[0]]).toEqual([
    "half\nall",
    expect.objectContaining({ status: "completed", loopPhase: null, attempts: 1 }),
  ]);
  expect(here.missionCommits(branch)).toEqual(["task-001: report on it | task-001"]);
});

test("I8, T: a gate's command in the project's file runs only once it was accepted; --phases chooses", async () => {
  const here = createTestProject({ "readme.md": "x\n" });
  const gate = { command: 'touch "$HOME/ran"; test -f notes.md' };
  here.write({ ".harness/config.json": JSON.stringify({ phases: [{ ...phases[0], gate }, phases[1]] }) });
  const agent = scripted(here, [
    { write: "notes.md", text: "found\n" },
    { write: "report.md", text: "r\n" },
    ...promise,
  ]);
  const loop = ["loop", "report on it", "--validate", "true", "--yes", ...agent];
  const refused = await here.harness(...loop);
  expect([refused.code, refused.stderr]).toEqual([8, expect.stringContaining("harness trust accept")]);
  const waiting = await here.harness("trust");
  expect([waiting.code, waiting.stdout]).toEqual([8, expect.stringContaining("$ phases of .harness/config.json: [")]);
  const unknown = await here.harness(...loop, "--phases", "research,rest");
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    'error: nothing was started – there is no phase "rest"\n  next: --phases off, standard, product, or some of: research,write\n',
  ]);
  const hash = /hash {2}(\w+)/.exec(waiting.stdout)?.[1] ?? "";
  await here.must("trust", "accept", hash);
  const ended = await here.must(...loop, "--phases", "research");
  expect(ended.stdout).toContain("phases   research");
  expect(here.sh("ls", here.env.HOME ?? "")).toContain("ran");
  expect(logOf(here)).toEqual(["Completed [task-001] (commit …)"]);
});

test("CFG, I8: what is wrong inside a list of phases is named where it stands", async () => {
  const here = createTestProject({ "readme.md": "x\n" });
  const wrong = [phases[0], { name: "write", prefix: "Write it.", gate: { outputs: ["../x"] } }];
  here.write({ ".harness/config.json": JSON.stringify({ phases: wrong }) });
  const ended = await here.harness("init", "--yes");
  expect([ended.code, ended.stderr]).toEqual([10, expect.stringContaining("phases[1].gate.outputs[0] must be a path")]);
});

test("I8: the example mission: research, write and verify over five contexts, with handoffs", async () => {
  const here = createTestProject({});
  cpSync(join(example, "project"), here.root, { recursive: true });
  here.commit({});
  here.env.MISSION = example;
  const agent = ["--agent", "scripted", "--agent-script", join(example, "agent.json"), "--agent-env", "MISSION"];
  const ended = await here.must("loop", "--file", "question.md", "--validate", "sh check.sh", "--yes", ...agent);
  expect(ended.stdout).toContain("phases   research → write → verify");
  expect(ended.stdout).toContain("(5 iterations)");
  expect(logOf(here)).toEqual([
    "WARN [task-001] handed off: All three sources are read; their numbers are in notes/costs.md.",
    "WARN [task-001] phase 1 of 3 passed: research (commit …)",
    "WARN [task-001] handed off: The heat pump is in report.md.",
    "WARN [task-001] phase 2 of 3 passed: write (commit …)",
    "WARN [task-001] iteration 4 was not the last: [TEST_FAIL] declared outputs are missing or malformed: verification.json does not exist",
    "Completed [task-001] (commit …)",
  ]);
});

test("I8: a loop through the phases of a product: architecture, interface, engineering, and use", async () => {
  const here = createTestProject({ "readme.md": "x\n" });
  const agent = scripted(
    here,
    ["notes/architecture.md", "notes/interface.md", "app.txt", "notes/qa.md"].flatMap((file) => [
      { write: file, text: "words\n" },
      ...promise,
    ]),
  );
  const args = ["build it", "--validate", "test -f app.txt", "--phases", "product", "--yes"];
  const ended = await here.must("loop", ...args, ...agent);
  expect(ended.stdout).toContain("phases   architecture → uiux → engineering → qa");
  expect(logOf(here)).toEqual([
    "WARN [task-001] phase 1 of 4 passed: architecture (commit …)",
    "WARN [task-001] phase 2 of 4 passed: uiux (commit …)",
    "WARN [task-001] phase 3 of 4 passed: engineering (commit …)",
    "Completed [task-001] (commit …)",
  ]);
});

test("I8: with a barrier no task of a phase begins before all of the phases before it are done, also for outside workers", async () => {
  const here = createTestProject({ "readme.md": "x\n" });
  here.write({ ".harness/config.json": JSON.stringify({ barrier: true, concurrency: "concurrent" }) });
  await here.must("init", "--yes");
  for (const phase of ["qa", "engineering", "architecture"])
    await here.must("add", `the ${phase}`, "--phase", phase, "--validate", "true");
  const verb = async (...args: readonly string[]) => JSON.parse((await here.must(...args)).stdout);
  here.env.HARNESS_WORKER_ID = "w";
  const claimed = await verb("claim");
  expect(claimed.task_id).toBe("arch-001");
  expect(await verb("claim")).toMatchObject({ claimed: false });
  expect((await here.must("tasks")).stdout).toContain("[pending] qa-001: the qa (0/3) waits for phase architecture");
  writeFileSync(join(claimed.workspace, "a.txt"), "a\n");
  here.env.HARNESS_FENCE = String(claimed.fence);
  expect(await verb("done", "arch-001")).toMatchObject({ done: true });
  await here.must("run", "--lanes", "3", "--agent-command", "cat > /dev/null; echo x >> work.txt");
  expect(logOf(here).filter((line) => line.startsWith("Completed"))).toEqual([
    "Completed [arch-001] (commit …)",
    "Completed [eng-001] (commit …)",
    "Completed [qa-001] (commit …)",
  ]);
});
