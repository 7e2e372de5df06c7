// What cannot be done is said in one line, with what to do instead, and changes nothing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPipe } from "./pipes.ts";
import { createEmptyFolder, createMission, createTestProject } from "./project.ts";

const agentArgs = ["--agent-command", "touch agent-ran"];

test.each([
  [["rnu"], "error: unknown command 'rnu'", "(Did you mean run?)"],
  [["run", "--lanse", "2"], "error: unknown option '--lanse'", "(Did you mean --lanes?)"],
  [["run", "--lanes", "0"], "error: option '--lanes <n>' argument '0' is invalid.", "whole number from 1 to 100"],
  [["run", "--lanes", "x"], "error: option '--lanes <n>' argument 'x' is invalid.", "whole number from 1 to 100"],
  [["run", "--lanes", "-1"], "error: option '--lanes <n>' argument '-1' is invalid.", "whole number from 1 to 100"],
  [["run", "--lanes=1.5"], "error: option '--lanes <n>' argument '1.5' is invalid.", "whole number from 1 to 100"],
  [["add", "x", "--priority", "P9"], "error: option '--priority <P>' argument 'P9' is invalid.", "P0, P1, P2"],
  [["add", "x", "y"], "error: too many arguments for 'add'", "next: harness add --help"],
  [["retyr", "x"], "error: unknown command 'retyr'", "(Did you mean retry?)"],
  [["reset", "--now"], "error: unknown option '--now'", "next: harness reset --help"],
  [["tasks", "--graph=svg"], "error: option '--graph <form>' argument 'svg' is invalid.", "tree, mermaid, dot"],
  [
    ["tasks", "--graph", "dot", "--json"],
    "error: option '--graph <form>' cannot be used with option '--json'",
    "next:",
  ],
  [["run", "--trust", "a", "--trust-all"], "cannot be used with option '--trust <hash>'", "next:"],
  [["logs", "-n", "-1"], "error: option '-n, --lines <n>' argument '-1' is invalid.", "whole number from 0"],
  [["status", "--watch"], "error: cannot show the status – --watch redraws a terminal", "harness logs --follow"],
  [["completion", "tcsh"], "error: command-argument value 'tcsh' is invalid", "bash, zsh, fish"],
  [["help", "nonsense"], 'error: no help – there is no command "nonsense"', "next: harness help --all"],
  [["help", "rescue", "all"], 'error: no help – there is no command "rescue all"', "next: harness help --all"],
  [["run", "--agent", "scripted"], "error: cannot run – the agent's script is missing", "--agent-script FILE"],
])("harness %j is a usage error", async (args, error, hint) => {
  const end = await createEmptyFolder().harness(...args);
  expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(error) });
  expect(end.stderr).toContain(hint);
});

test("outside a git repository, and in one without a commit, init says so", async () => {
  const outside = await createEmptyFolder().harness("init");
  expect(outside).toMatchObject({ stdout: "", stderr: expect.stringMatching(/^error: .*not .*git repository/) });
  expect(outside.stderr).toContain("next: ");
  const empty = createTestProject({});
  const inEmpty = await empty.harness("init");
  expect(inEmpty).toMatchObject({ stdout: "", stderr: expect.stringMatching(/^error: .*commit/) });
  expect(inEmpty.stderr).toContain("next: ");
  expect([outside.code, inEmpty.code]).toEqual([10, 10]);
  expect(existsSync(join(empty.root, ".harness"))).toBe(false);
});

const needsWord = ["add", "edit", "approve", "deny", "retry"];
const needsMission = ["status", "run", "tasks", "logs", "pause", "resume", "stop", "reset", ...needsWord];

test.each(needsMission)("%s in a repository that is no project points at init", async (command) => {
  const rest = needsWord.includes(command) ? ["x"] : command === "run" ? agentArgs : [];
  const end = await createTestProject().harness(command, ...rest);
  expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("next: run: harness init") });
});

test("add refuses a dependency that does not exist, an id twice and an empty title", async () => {
  const project = await createMission();
  const unknown = await project.harness("add", "x", "--depends-on", "nobody");
  expect(unknown).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining('"nobody", which does not exist'),
  });
  await project.must("add", "x", "--id", "one", "--validate=true");
  expect(await project.harness("add", "y", "--id", "one")).toMatchObject({ code: 1, stdout: "" });
  expect(await project.harness("add", "  ")).toMatchObject({ code: 1, stdout: "" });
  const { tasks } = JSON.parse((await project.must("status", "--json")).stdout);
  expect(tasks.map(({ id }: { id: string }) => id)).toEqual(["one"]);
});

test("run without tasks has nothing to do", async () => {
  const end = await (await createMission()).harness("run", ...agentArgs);
  expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("the plan has no tasks") });
});

test("run without an agent says how to choose one", async () => {
  const end = await (await createMission()).harness("run");
  expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("no agent was chosen") });
  expect(end.stderr).toContain("next: harness run --agent-command");
});

test("A3: a task that nothing could judge stops the run before any agent is started", async () => {
  const project = await createMission();
  await project.must("add", "Judged", "--validate", "true");
  const added = await project.must("add", "Not judged");
  expect(added.stderr).toContain("task-002 has no --validate command");
  const end = await project.harness("run", "--agent-command", `touch '${join(project.place, "agent-ran")}'`);
  expect(end.code).toBe(10);
  expect(end.stdout).toMatch(/ERROR \[task-002\] \[CONFIG\] Missing validation\.command/);
  expect(existsSync(join(project.place, "agent-ran"))).toBe(false);
});

test("L1: a second run at the same time is refused with the pid of the first", async () => {
  const project = await createMission();
  const began = createPipe(project.place, "began");
  const goOn = createPipe(project.place, "go-on");
  await project.must("add", "A", "--validate", "test -f a.txt");
  const agent = `[ -f a.txt ] || { echo x > '${began.path}'; cat '${goOn.path}' > a.txt; }`;
  const first = project.start(["run", "--agent-command", agent]);
  await began.heard();
  const second = await project.harness("run", ...agentArgs);
  expect(second).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(new RegExp(`^ERROR: Another harness session is active \\(pid=${first.pid}\\)$`, "m")),
  });
  const status = await project.must("status");
  expect(status.stdout).toContain("[in_progress] task-001: A (0/3) working on lane 0");
  await project.must("add", "B, added while a run is on", "--validate", "true");
  await goOn.say("a");
  expect((await first.ended).code).toBe(0);
  expect((await project.must("status")).stdout).toContain("tasks     2: 2 completed");
});
