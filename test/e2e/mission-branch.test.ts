// The user does something to the mission branch between two runs: finished tasks never go missing without a word.
import { expect, test, vi } from "vitest";
import { createMission } from "./project.ts";

// A dozen commands, on a loaded machine.
vi.setConfig({ testTimeout: 180_000 });

const agent = ["run", "--agent-command", 'touch "$HARNESS_TASK_ID.txt"'];
const task = (number: number) => [`T${number}`, "--validate", `test -f task-00${number}.txt`];

test("PR-3: a mission branch that is deleted comes back with all that was merged; one moved back is refused until the user says", async () => {
  const project = await createMission(task(1), task(2));
  await project.must(...agent);
  const branch = await project.branch();
  const [first, second] = [project.git("rev-parse", `${branch}~1`), project.git("rev-parse", branch)];

  project.git("branch", "-D", branch);
  const noPush = await project.harness("accept", "--pr");
  expect([noPush.code, noPush.stderr]).toEqual([
    1,
    `error: nothing was accepted – there is no branch ${branch} to push\n  next: harness run makes it, and brings it back with all that was merged if somebody deleted it\n`,
  ]);
  await project.must("add", ...task(3));
  await project.must(...agent);
  expect(project.missionCommits(branch)).toEqual(
    ["T1", "T2", "T3"].map((title, i) => `task-00${i + 1}: ${title} | task-00${i + 1}`),
  );

  const third = project.git("rev-parse", branch);
  project.git("branch", "-f", branch, first);
  const before = project.checkout();
  await project.must("add", ...task(4));
  const refused = await project.harness(...agent);
  expect(refused.code).toBe(10);
  const lost = `task-002 (${second.slice(0, 7)}), task-003 (${third.slice(0, 7)})`;
  expect(refused.stderr).toContain(`the mission branch ${branch} was moved and lacks what was merged into it: ${lost}`);
  expect([project.git("rev-parse", branch), project.checkout()]).toEqual([first, before]);
  const [, command = ""] = /next: Bring it back: (git [^–]*) –/.exec(refused.stderr) ?? [];
  project.sh("sh", "-c", command);
  await project.must(...agent);
  expect(project.missionCommits(branch)).toHaveLength(4);
});
