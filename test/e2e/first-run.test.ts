// The first minutes on a plain git repository: a checked commit on the mission branch, and nothing else touched.
import { expect, test } from "vitest";
import { createTestProject } from "./project.ts";

const files = { "make-a.sh": "echo making\necho a > a.txt\n", "deep/er/file": "x\n" };

test.each([".", "deep/er"])("init, add and run in %s give a commit, and the checkout is untouched", async (cwd) => {
  const project = createTestProject(files);
  const before = project.checkout();
  const run = async (...args: readonly string[]) => {
    const end = await project.start(args, cwd).ended;
    expect([args[0], end.code, end.stderr]).toEqual([args[0], 0, args[0] === "run" ? end.stderr : ""]);
    return end;
  };
  await run("init", "--yes");
  const added = await run("add", "A", "--validate", "test -f a.txt");
  expect(added.stdout).toBe("Added task-001: A\n");
  const ran = await run("run", "--agent", "command", "--agent-command", "sh make-a.sh");

  const branch = await project.branch();
  expect(project.missionCommits(branch)).toEqual(["task-001: A | task-001"]);
  const trailers = project.git("log", "-1", "--format=%(trailers:only)", branch);
  expect(trailers.split("\n").filter((line) => line !== "")).toEqual([
    "Harness-Task: task-001",
    `Harness-Mission: ${branch.slice("harness/".length)}`,
    "Harness-Attempt: 1",
    expect.stringMatching(/^Harness-Fence: \d+$/),
    "Harness-Proof: task-001/1/4/gate.check",
  ]);
  expect(project.git("show", `${branch}:a.txt`)).toBe("a");
  expect(project.git("diff", "--name-only", "HEAD", branch)).toBe("a.txt");
  expect(project.checkout()).toBe(before);
  expect(project.processes()).toEqual([]);

  const lines = ran.stdout.trimEnd().split("\n");
  for (const line of lines) expect(line).toMatch(/^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] \[SESSION-1\] /);
  expect(lines.map((line) => line.replace(/^.*?SESSION-1\] /, "").split(" ")[0])).toEqual([
    "LOCK",
    "WARN",
    "Starting",
    "Completed",
    "STATS",
    "LOCK",
  ]);
  expect(ran.stderr).toContain("harness accept");
});

test("init twice changes nothing, and a file that is not committed is named before the run", async () => {
  const project = createTestProject(files);
  await project.must("init", "--yes");
  const branch = await project.branch();
  const again = await project.must("init", "--yes");
  expect(again.stdout).toContain("nothing was changed");
  expect(await project.branch()).toBe(branch);
  await project.must("add", "A", "--validate", "test -f a.txt");
  project.write({ "draft.txt": "mine\n" });
  const ran = await project.must("run", "--agent-command", "sh make-a.sh");
  expect(ran.stderr).toContain("1 uncommitted file is not included: draft.txt (commit it to include it)");
  expect(project.git("ls-tree", "--name-only", branch)).not.toContain("draft.txt");
  expect(project.sh("cat", "draft.txt")).toBe("mine");
});

test("a failed validation is tried again, and a task that keeps failing ends the run with 11", async () => {
  const project = createTestProject({ "agent.sh": "echo x >> tries.txt\n" });
  await project.must("init", "--yes");
  await project.must("add", "Never", "--validate", "echo still red; false", "--max-attempts", "2");
  await project.must("add", "After", "--validate", "true", "--depends-on", "task-001");
  const ran = await project.harness("run", "--agent-command", "sh agent.sh");
  expect(ran.code).toBe(11);
  expect(ran.stdout.match(/ERROR \[task-001\] \[TEST_FAIL\]/g)).toHaveLength(2);
  expect(ran.stderr).toMatch(/task-001 failed: \[TEST_FAIL\] .*\(2\/2\)/);
  expect(ran.stderr).toContain("task-002 blocked: [DEPENDENCY] Blocked by failed task-001 (0/3)");
});
