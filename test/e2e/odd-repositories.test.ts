// Repositories that cannot serve as they are: each is refused with what to do.
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMission, createTestProject } from "./project.ts";

const idle = ["run", "--agent-command", "true"];

test("PR-18, PR-3: objects that may not be written end the run, naming the place; the work is kept, and the next run goes on", async () => {
  const project = await createMission(["Anything", "--validate", "true"]);
  project.dropRootsRights();
  const objects = join(project.root, ".git/objects");
  const agent = 'echo x > "$HARNESS_TASK_ID.txt"';
  for (const name of [".", ...readdirSync(objects)]) chmodSync(join(objects, name), 0o555);
  const { code, stderr } = await project.harness("run", "--agent-command", agent);
  for (const name of [".", ...readdirSync(objects)]) chmodSync(join(objects, name), 0o755);
  expect([code, stderr]).toEqual([10, expect.stringMatching(/insufficient permission[^\n]*objects/)]);
  const log = readFileSync(join(project.root, "harness-progress.txt"), "utf8");
  const [, kept = ""] = /ROLLBACK \[task-001\] .* rescue=(\S+)/.exec(log) ?? [];
  const restored = join(project.place, "restored");
  await project.must("rescue", "restore", kept, "--to", restored);
  expect(readFileSync(join(restored, "task-001.txt"), "utf8")).toBe("x\n");
  await project.must("run", "--agent-command", agent);
  const { stdout } = await project.must("tasks", "--json");
  expect(JSON.parse(stdout)).toMatchObject([{ id: "task-001", status: "completed", attempts: 1 }]);
});

test("a format that this git does not know: exit 10, with what to do", async () => {
  const project = createTestProject();
  project.git("config", "core.repositoryFormatVersion", "1");
  project.git("config", "extensions.laterThanThis", "true");
  const { code, stderr } = await project.harness("init", "--yes");
  expect([code, stderr]).toEqual([10, expect.stringMatching(/laterthanthis[\s\S]*next: Use a newer git/i)]);
});

test("a partial clone that lacks files: exit 10, with the command that fetches them", async () => {
  const project = createTestProject();
  project.git("config", "uploadpack.allowFilter", "true");
  const from = `file://${project.root}`;
  project.git("clone", "--quiet", "--filter=blob:none", "--no-checkout", from, "../hollow");
  const at = ["--root", join(project.place, "hollow")];
  expect((await project.harness("init", "--yes", ...at)).code).toBe(0);
  expect((await project.harness("add", "Anything", "--validate", "true", ...at)).code).toBe(0);
  const { code, stderr } = await project.harness(...idle, ...at);
  const told = /is a partial clone[\s\S]*git fetch --refetch --no-filter origin/;
  expect([code, stderr]).toEqual([10, expect.stringMatching(told)]);
});
