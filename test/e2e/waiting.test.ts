// A provider that serves nothing more for hours: what a person sees of it, and how the work goes on.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject } from "./project.ts";

async function createLimited() {
  const project = createTestProject();
  const script = join(project.place, "script.json");
  const end = { limited: 7_200, message: "five hours are used up" };
  writeFileSync(script, JSON.stringify({ default: [{ write: "a.txt", text: "a" }, { end }] }));
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f a.txt");
  const run = ["run", "--agent", "scripted", "--agent-script", script];
  return { project, run };
}

test("S2, E: one batch ends with 5 and says until when; status shows it; another agent goes on with the work at once", async () => {
  const { project, run } = await createLimited();
  const once = await project.harness(...run, "--once");
  const [wait] = JSON.parse((await project.must("status", "--json")).stdout).waits;
  const until = new Date(wait.until).toISOString();
  const text = `waiting until ${until} for scripted (a usage limit)`;
  expect([once.code, `${once.stdout}${once.stderr}`]).toEqual([5, expect.stringContaining(`batch is done – ${text}`)]);
  expect(wait).toEqual({
    agent: "scripted",
    kind: "usage_limit",
    message: "the agent has reached a limit of its provider: five hours are used up",
    until: expect.any(Number),
  });
  const status = (await project.must("status")).stdout;
  expect(status).toContain(`agent     ${text}: ${wait.message}`);
  expect(status).toContain("[in_progress] task-001: A (0/3) waiting on lane 0");
  expect(status).toContain(`WARN ${text} kind=usage_limit: ${wait.message}`);

  const again = await project.harness(...run, "--once");
  expect([again.code, `${again.stdout}${again.stderr}`]).toEqual([5, expect.stringContaining(text)]);
  await project.must("run", "--agent-command", "test -f a.txt");
  expect((await project.must("status")).stdout).toContain("[completed] task-001: A (1/3)");
});

test("E: Ctrl-C ends a run that waits, and nothing is charged", async () => {
  const { project, run } = await createLimited();
  await project.harness(...run, "--once");
  const waiting = project.start(run);
  // The first line of its log: from then on it has nothing to do but to wait.
  await new Promise((resolve) => waiting.process.stdout?.once("data", resolve));
  waiting.process.kill("SIGINT");
  expect((await waiting.ended).code).toBe(130);
  expect((await project.must("status")).stdout).toContain("[in_progress] task-001: A (0/3) waiting on lane 0");
});
