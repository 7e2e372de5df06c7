// Steering a run from another terminal: pause, resume, stop, retry, reset, edit, and who may do so.
import { expect, test } from "vitest";
import { locateProject, openMission } from "../../src/compose.ts";
import { createPipe } from "./pipes.ts";
import { createMission, printed, type TestProject } from "./project.ts";

/** A run whose agent waits in its first task until `goOn` is told something. */
async function createWaitingRun() {
  const project = await createMission(["A", "--validate", "test -f a.txt"], ["B", "--validate", "test -f a.txt"]);
  const began = createPipe(project.place, "began");
  const goOn = createPipe(project.place, "go-on");
  const agent = `[ -f a.txt ] && { echo b > b.txt; exit; }; echo x > '${began.path}'; cat '${goOn.path}' > a.txt`;
  const run = project.start(["run", "--agent-command", agent]);
  await began.heard();
  return { project, run, began, goOn };
}

const statusOf = async (project: TestProject) => JSON.parse((await project.must("status", "--json")).stdout);

test("C2: a pause lets the task under way finish and holds the next; only resume goes on", async () => {
  const { project, run, goOn } = await createWaitingRun();
  const done = printed(run, "Completed [task-001]");
  const paused = await project.must("pause");
  expect(paused.stdout).toBe("Paused: nothing new is started after the task under way until `harness resume`\n");
  await goOn.say("a");
  await done;
  const held = await statusOf(project);
  expect([held.mission.state, held.tasks[1].status]).toEqual(["paused", "pending"]);
  expect(await project.harness("pause")).toMatchObject({ code: 1, stderr: expect.stringContaining("paused already") });
  expect((await project.must("resume")).stdout).toBe("Resumed: the run takes tasks again\n");
  expect(await run.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/WARN paused by \S+@\S+ pid \d+/) });
  expect(await project.harness("resume")).toMatchObject({ code: 1, stderr: expect.stringContaining("not paused") });
});

test("stop ends the run after the task under way, with exit code 9", async () => {
  const { project, run, goOn } = await createWaitingRun();
  const stopped = await project.must("stop");
  expect(stopped.stdout).toBe(`Stop was asked for: the run (pid=${run.pid}) ends after the tasks under way\n`);
  await goOn.say("a");
  expect((await run.ended).code).toBe(9);
  const { stats } = await statusOf(project);
  expect(stats).toMatchObject({ completed: 1, pending: 1 });
  expect(await project.harness("stop")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nothing is running"),
  });
});

test("stop --now does not wait, and the next run goes on with what was under way", async () => {
  const { project, run } = await createWaitingRun();
  await project.must("stop", "--now");
  expect((await run.ended).code).toBe(9);
  expect(project.processes()).toEqual([]);
  await project.must("run", "--agent-command", "echo a > a.txt");
  expect((await statusOf(project)).stats).toMatchObject({ total: 2, completed: 2 });
});

test("stop says so when the run's process is gone", async () => {
  const { project, run } = await createWaitingRun();
  run.process.kill("SIGKILL");
  await run.ended;
  expect((await project.must("stop")).stdout).toContain(`no process answers to pid=${run.pid} here`);
  await project.must("run", "--agent-command", "echo a > a.txt");
});

test("K6: a reset task is taken from its agent, put away and begun anew, with no attempt used", async () => {
  const { project, run, began, goOn } = await createWaitingRun();
  const reset = await project.must("reset", "task-001");
  expect(reset.stdout).toBe("Reset: task-001 ended and put away, then pending again\n");
  await began.heard();
  await goOn.say("a");
  const end = await run.ended;
  expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining("WARN [task-001] reset: pending again") });
  const { tasks } = await statusOf(project);
  expect(tasks[0]).toMatchObject({ status: "completed", attempts: 1 });
});

test("K6, K2: retry gives a failed task one more attempt, and reset all of them; what they blocked is free", async () => {
  const project = await createMission(
    ["Red", "--validate", "test -f mended", "--max-attempts", "1"],
    ["After", "--validate", "true", "--depends-on", "task-001"],
  );
  const run = () => project.harness("run", "--agent-command", "echo x >> tries.txt");
  expect((await run()).code).toBe(11);
  const retried = await project.must("retry", "task-001");
  expect(retried.stdout).toBe("task-001 may be tried once more (1/2 attempts used); no longer blocked: task-002\n");
  const again = await run();
  expect([again.code, again.stdout.match(/ERROR \[task-001\] \[TEST_FAIL\]/g)?.length]).toEqual([11, 1]);
  const reset = await project.must("reset");
  expect(reset.stdout).toBe("Reset: task-001 pending again, no attempt used; no longer blocked: task-002\n");
  expect((await statusOf(project)).tasks).toMatchObject([
    { status: "pending", attempts: 0, maxAttempts: 2 },
    { status: "pending", attempts: 0 },
  ]);
  expect((await project.must("reset", "--yes")).stdout).toContain("Nothing to reset");
  expect(await project.harness("retry", "task-002")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("not failed"),
  });
});

test("edit changes what is named and nothing else, and an empty text takes away", async () => {
  const project = await createMission(
    ["A", "--validate", "true"],
    ["B", "--validate=test -f b", "--timeout=9", "--quick=true", "--cleanup=rm -f x", "--depends-on=task-001"],
  );
  const changed = await project.must("edit", "task-002", "--title=New", "--timeout", "12", "--depends-on", "");
  expect(changed.stdout).toBe("Changed task-002: title, dependencies, validation\n");
  const after = await project.must("edit", "task-002", "--quick", "", "--cleanup=", "--priority=P0", "--json");
  expect(JSON.parse(after.stdout)).toMatchObject({
    title: "New",
    priority: "P0",
    dependsOn: [],
    validation: { command: "test -f b", timeoutMs: 12_000, quick: null },
    cleanup: null,
  });
  expect(await project.harness("edit", "task-002")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nothing to change"),
  });
  const circle = await project.harness("edit", "task-001", "--depends-on", "task-001");
  expect(circle).toMatchObject({ code: 1, stderr: expect.stringContaining("Circular dependency") });
  expect(await project.harness("edit", "nobody", "--title", "x")).toMatchObject({ code: 1, stdout: "" });
});

test("approve and deny answer the questions that wait, and name them when the name is wrong", async () => {
  const project = await createMission(["A", "--validate", "true"], ["B", "--validate", "true"]);
  const located = await locateProject(project.root, project.env);
  const mission = located.ok ? await openMission(located.value, { env: project.env }) : located;
  if (!mission.ok) throw new Error(mission.failure.message);
  for (const [name, task] of [
    ["deploy", "task-001"],
    ["delete", "task-002"],
  ] as const) {
    await mission.value.submit({ type: "approval.ask", name, task, question: "really?" });
  }
  await mission.value.close();
  expect((await project.must("status")).stdout).toContain("waiting for a person – deploy: really?");
  const wrong = await project.harness("approve", "depoly");
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("next: waiting: deploy, delete") });
  expect((await project.must("approve", "deploy")).stdout).toBe("Approved deploy: really?\n");
  const denied = await project.must("deny", "delete", "--note", "never");
  expect(denied.stdout).toBe("Denied delete: really? – task-002 is given up\n");
  expect((await statusOf(project)).tasks[1]).toMatchObject({
    status: "failed",
    lastError: expect.stringContaining("never"),
  });
});

test.each([
  ["approve", "x"],
  ["deny", "x"],
  ["resume"],
  ["retry", "task-001"],
  ["reset"],
  ["edit", "task-001", "--title", "Mine"],
])("C2: an agent may not %s", async (...args) => {
  const project = await createMission(["A", "--validate", "true"]);
  await project.must("pause");
  const before = await statusOf(project);
  project.env.HARNESS_LANE = "0";
  const end = await project.harness(...args);
  expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("this is for the user to say") });
  expect(await statusOf(project)).toEqual(before);
});

test("C2: an agent may ask for more care", async () => {
  const { project, run } = await createWaitingRun();
  project.env.HARNESS_LANE = "0";
  expect((await project.harness("pause")).code).toBe(0);
  expect((await project.harness("stop", "--now")).code).toBe(0);
  expect((await run.ended).code).toBe(9);
});
