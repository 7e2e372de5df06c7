// Two lanes work at the same time.
import { expect, test } from "vitest";
import { createPipe } from "./pipes.ts";
import { createTestProject } from "./project.ts";

test("two tasks are worked on at once: each agent waits for the other", async () => {
  const project = createTestProject();
  const there = createPipe(project.place, "there");
  const back = createPipe(project.place, "back");
  // A pipe lets neither side pass alone: one agent at a time would wait for ever.
  project.commit({
    "agent.sh": `
case $(cat) in
*"Task task-001"*) echo one > '${there.path}'; cat '${back.path}' > one.txt ;;
*) cat '${there.path}' > two.txt; echo two > '${back.path}' ;;
esac
`,
  });
  await project.must("init", "--yes");
  await project.must("add", "One", "--validate", 'test "$(cat one.txt)" = two');
  await project.must("add", "Two", "--validate", 'test "$(cat two.txt)" = one');
  await project.must("run", "--lanes", "2", "--agent-command", "sh agent.sh");
  const commits = project.missionCommits(await project.branch());
  expect([...commits].sort()).toEqual(["task-001: One | task-001", "task-002: Two | task-002"]);
});
