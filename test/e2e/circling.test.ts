import { expect, test } from "vitest";
import { createTestProject } from "./project.ts";

test("B4: a loop whose agent changes nothing ends after three iterations with 5, says why and what to do, and keeps the work", async () => {
  const here = createTestProject();
  const agent = 'test -f half.txt || echo half > half.txt; echo "nearly"';
  const args = ["--agent-command", agent, "--validate", "test -f rest.txt", "--yes"];
  const ended = await here.harness("two words", ...args);
  const why =
    "task-001 went in circles: its files were the same at the end of 3 iterations in a row; the last: it ended without the promise TASK_COMPLETE";
  const next =
    "say it in other words or smaller steps (harness edit task-001 --description TEXT), or mend what is in its way; then: harness retry task-001";
  expect(ended.code).toBe(5);
  expect(ended.stdout).toContain(`${why}; next: ${next}`);
  expect(ended.stdout).toContain("not done two words (3 iterations)");
  const [task] = JSON.parse((await here.must("tasks", "--json")).stdout);
  expect([task.status, task.attempts, task.lastError]).toEqual(["failed", 1, `[TASK_EXEC] ${why}`]);
  expect((await here.must("logs", "task-001", "--log")).stdout).toContain(`[TASK_EXEC] ${why}; next: ${next}`);
  await here.must("retry", "task-001");
  const again = await here.must("brief", "task-001");
  expect(again.stdout).toContain("its work is in this directory, uncommitted: go on with it");
});
