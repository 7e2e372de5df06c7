import { expect, test } from "vitest";
import { createTestProject } from "./project.ts";

const agent = ["--agent-command", "cat > /dev/null; echo x >> work.txt"];
const status = async (project: ReturnType<typeof createTestProject>) =>
  JSON.parse((await project.must("status", "--json")).stdout);

test("B1, B3: limits.maxRounds ends the run with 5, and the next one before it uses a session; no word begins it anew", async () => {
  const project = createTestProject();
  project.configureUser({ limits: { maxRounds: 2 } });
  await project.must("init", "--yes");
  for (const title of ["A", "B", "C"]) await project.must("add", title, "--validate", "true");
  const told = "the mission has had its 2 rounds (limits.maxRounds)";
  for (const _ of [1, 2]) {
    const ended = await project.harness("run", ...agent);
    expect([ended.code, `${ended.stdout}${ended.stderr}`.includes(told)]).toEqual([5, true]);
  }
  const { tasks, sessions, roundsOver } = await status(project);
  expect(tasks.map(({ status }: { status: string }) => status)).toEqual(["completed", "completed", "pending"]);
  expect([sessions, roundsOver]).toEqual([1, told]);
  const resumed = await project.harness("resume");
  expect([resumed.code, resumed.stderr]).toEqual([
    1,
    "error: the mission was not resumed – the mission is not paused\n",
  ]);
});
