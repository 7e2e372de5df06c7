// A run that is asked to stop: the work is kept, and the next run finishes it.
import { expect, test } from "vitest";
import { createPipe } from "./pipes.ts";
import { createTestProject } from "./project.ts";

async function createWaitingRun() {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f a.txt");
  const began = createPipe(project.place, "began");
  const never = createPipe(project.place, "never");
  const run = project.start([
    "run",
    "--agent-command",
    `echo a > a.txt; echo hi; echo x > '${began.path}'; cat '${never.path}'`,
  ]);
  await began.heard();
  return { project, run };
}

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s once: exit 130, the agent is gone, its work is kept and finished later",
  async (signal) => {
    const { project, run } = await createWaitingRun();
    run.process.kill(signal);
    const end = await run.ended;
    expect(end.code).toBe(130);
    expect(end.stderr).toContain("stopping – work is kept; again to stop at once");
    expect(project.processes()).toEqual([]);
    expect((await project.must("status")).stdout).toContain("[in_progress] task-001: A (0/3)");

    const next = await project.must("run", "--agent-command", "false");
    expect(next.stdout).toMatch(/RECOVERY \[task-001\]/);
    expect(project.missionCommits(await project.branch())).toEqual(["task-001: A | task-001"]);
  },
);

test("twice: exit 130 at once, and still nothing is lost", async () => {
  const { project, run } = await createWaitingRun();
  run.process.kill("SIGINT");
  run.process.kill("SIGTERM");
  expect((await run.ended).code).toBe(130);
  await project.must("run", "--agent-command", "false");
  expect(project.missionCommits(await project.branch())).toEqual(["task-001: A | task-001"]);
  expect(project.processes()).toEqual([]);
});

test("status after a kill -9 says that the run is gone and what to do", async () => {
  const { project, run } = await createWaitingRun();
  run.process.kill("SIGKILL");
  expect((await run.ended).signal).toBe("SIGKILL");
  expect((await project.must("status")).stdout).toContain(
    `its run is gone (pid=${run.pid}); \`harness run\` continues it`,
  );
  await project.must("run", "--agent-command", "false");
  expect(project.processes()).toEqual([]);
});
