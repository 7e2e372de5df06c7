// Two tasks change the same file at once: the later one is repaired, or a person decides (rule G5).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPipe } from "./pipes.ts";
import { createTestProject, type TestProject } from "./project.ts";

/** Both agents have begun before either ends; `repair` is what one does that is told of a conflict. */
async function colliding(repair: string): Promise<TestProject> {
  const project = createTestProject();
  const there = createPipe(project.place, "there");
  const back = createPipe(project.place, "back");
  project.commit({
    "agent.sh": `
brief=$(cat)
case $brief in *"in conflict with what others merged"*) ${repair}; exit ;; esac
case $brief in
*"Task task-001"*) word=one; test -f shared.txt || { echo > '${there.path}'; read x < '${back.path}'; } ;;
*) word=two; test -f shared.txt || { read x < '${there.path}'; echo > '${back.path}'; } ;;
esac
echo $word >> shared.txt
`,
  });
  await project.must("init", "--yes");
  await project.must("add", "One", "--validate", "grep -q one shared.txt");
  await project.must("add", "Two", "--validate", "grep -q two shared.txt");
  return project;
}
const run = (project: TestProject) => project.harness("run", "--lanes", "2", "--agent-command", "sh agent.sh");
const merged = async (project: TestProject): Promise<readonly string[]> =>
  project
    .git("show", `${await project.branch()}:shared.txt`)
    .split("\n")
    .sort();
const log = (project: TestProject): string => readFileSync(join(project.root, "harness-progress.txt"), "utf8");
const status = async (project: TestProject) => JSON.parse((await project.must("status", "--json")).stdout);

test("G5: an agent repairs the conflict, both sides come in, and no attempt is charged for it", async () => {
  const project = await colliding("printf 'one\\ntwo\\n' > shared.txt");
  const before = project.checkout();
  const end = await run(project);
  expect([end.code, await merged(project), project.checkout()]).toEqual([0, ["one", "two"], before]);
  expect(log(project)).toMatch(/WARN \[task-00\d\] in conflict with task-00\d over shared\.txt: to be repaired/);
  const { tasks } = await status(project);
  expect(tasks.map(({ attempts }: { attempts: number }) => attempts)).toEqual([1, 1]);
  expect(project.missionCommits(await project.branch())).toHaveLength(2);
});

test("G5: markers that were left are not believed away: exit 8 and a question; approved, it starts on the new head", async () => {
  const project = await colliding("git add -A; git commit -qm 'all conflicts are resolved'");
  expect((await run(project)).code).toBe(8);
  const { waitingFor } = await status(project);
  const [{ name, question, task }] = waitingFor;
  expect([waitingFor.length, name]).toEqual([1, `conflict-${task}`]);
  expect(question).toContain("shared.txt");
  const other = task === "task-001" ? "task-002: Two" : "task-001: One";
  expect(question).toContain(other);
  expect((await merged(project)).join()).not.toContain("<<<<<<<");
  // What it had done is kept, and can be looked at.
  const kept = project.git("for-each-ref", "--format=%(objectname)", `refs/harness/kept/${task}/`);
  expect(project.git("show", `${kept}:shared.txt`)).toBe(task === "task-001" ? "one" : "two");
  await project.must("approve", name);
  expect([(await run(project)).code, await merged(project)]).toEqual([0, ["one", "two"]]);
});

test("G5: denied, the task has failed for good", async () => {
  const project = await colliding("true");
  expect((await run(project)).code).toBe(8);
  const { waitingFor } = await status(project);
  await project.must("deny", waitingFor[0].name, "--note", "not worth it");
  expect((await run(project)).code).toBe(11);
  const { stats } = await status(project);
  expect(stats).toMatchObject({ completed: 1, failed: 1 });
});

test("G5, L4: an outside worker is told of the conflict, keeps its claim, and hands in what it repaired", async () => {
  const project = createTestProject();
  project.write({ ".harness/config.json": JSON.stringify({ concurrency: "concurrent" }) });
  await project.must("init", "--yes");
  for (const word of ["one", "two"]) await project.must("add", word, "--validate", `grep -q ${word} shared.txt`);
  const verb = async (worker: string, ...args: readonly string[]) => {
    project.env.HARNESS_WORKER_ID = worker;
    return JSON.parse((await project.must(...args)).stdout);
  };
  const [first, second] = [await verb("a", "claim"), await verb("b", "claim")];
  writeFileSync(join(first.workspace, "shared.txt"), "one\n");
  writeFileSync(join(second.workspace, "shared.txt"), "two\n");
  expect(await verb("a", "done", "task-001")).toMatchObject({ done: true });
  const refused = await verb("b", "done", "task-002");
  expect(refused).toEqual({
    done: false,
    task_id: "task-002",
    status: "in_progress",
    error: "task-002 is in conflict with task-001 over shared.txt",
    next: expect.stringContaining(`go into ${second.workspace} again`),
    evidence: expect.stringContaining("task-001: one"),
  });
  expect(readFileSync(join(second.workspace, "shared.txt"), "utf8")).toMatch(
    /^<<<<<<< .*\none\n=======\ntwo\n>>>>>>> /,
  );
  writeFileSync(join(second.workspace, "shared.txt"), "one\ntwo\n");
  expect(await verb("b", "done", "task-002")).toMatchObject({ done: true, task_id: "task-002" });
  expect(await merged(project)).toEqual(["one", "two"]);
});

test("G5: in place a conflict with a commit of the user's asks a person at once; nothing is lost, and approved it starts on that commit", async () => {
  const project = createTestProject();
  project.commit({ "shared.txt": "base\n" });
  const [judging, go] = [createPipe(project.place, "judging"), createPipe(project.place, "go")];
  const once = join(project.place, "once");
  const wait = `test -e '${once}' || { touch '${once}'; echo > '${judging.path}'; read x < '${go.path}'; }`;
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", `${wait}; grep -q agent shared.txt`);
  const agent = ["--agent-command", "echo agent >> shared.txt; echo new > new.txt"];
  const running = project.start(["run", "--workspace", "in-place", ...agent]);
  // The work is handed in, and its validation has begun.
  await judging.heard();
  const work = readFileSync(join(project.root, "shared.txt"), "utf8");
  project.write({ "shared.txt": "the user's\n" });
  project.git("commit", "--quiet", "--message", "mine", "--", "shared.txt");
  const theirs = project.git("rev-parse", "HEAD");
  project.write({ "shared.txt": work });
  await go.say("go");
  expect((await running.ended).code).toBe(8);
  const { waitingFor } = await status(project);
  expect(waitingFor.map(({ name }: { name: string }) => name)).toEqual(["conflict-task-001"]);
  expect([project.git("rev-parse", "HEAD"), project.git("status", "--porcelain")]).toEqual([theirs, ""]);
  const restored = join(project.place, "restored");
  await project.must("rescue", "restore", "task-001/1", "--to", restored);
  expect(["shared.txt", "new.txt"].map((file) => readFileSync(join(restored, file), "utf8"))).toEqual([work, "new\n"]);
  await project.must("approve", "conflict-task-001");
  expect((await project.harness("run", ...agent)).code).toBe(0);
  expect(project.git("show", "main:shared.txt")).toBe("the user's\nagent");
  expect([project.git("rev-parse", "main~1"), project.git("status", "--porcelain")]).toEqual([theirs, ""]);
});
