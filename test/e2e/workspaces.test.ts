// Where agents work: the same three tasks in a private clone, in linked work trees, and in the user's own checkout.
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

// The second task fails its first attempt, after a commit and with untracked work.
const agent = `
case $(cat) in
*"Task task-001"*) echo one > one.txt ;;
*"Task task-002"*)
  if [ -e "$PLACE/failed-once" ]; then echo two > two.txt
  else touch "$PLACE/failed-once"; echo half > half.txt; git add half.txt; git commit -qm half; echo more > more.txt; fi ;;
*) pwd > "$PLACE/where"; git branch --show-current > "$PLACE/branch"; echo three > three.txt; git add -A; git commit -qm mine ;;
esac
`;

async function threeTasks(): Promise<TestProject> {
  const project = createTestProject({ "README.md": "# Project\n", ".gitignore": "cache/\n" });
  project.write({ "../agent.sh": agent });
  project.pass({ PLACE: project.place });
  await project.must("init", "--yes");
  await project.must("add", "One", "--validate", "test -f one.txt");
  await project.must("add", "Two", "--validate", "test -f two.txt", "--depends-on", "task-001");
  await project.must("add", "Three", "--validate", "test -f three.txt", "--depends-on", "task-002");
  return project;
}
const runIn = (project: TestProject, ...args: readonly string[]) =>
  project.harness("run", "--agent-command", `sh ${join(project.place, "agent.sh")}`, ...args);
const done = ["task-001: One | task-001", "task-002: Two | task-002", "task-003: Three | task-003"];

test("run --workspace worktree: each attempt has a work tree and a branch of the repository; nothing of it is left", async () => {
  const project = await threeTasks();
  const before = project.checkout();
  const end = await runIn(project, "--workspace", "worktree");
  expect([end.code, end.stderr.includes("worktree: without a sandbox")]).toEqual([0, true]);
  expect(project.missionCommits(await project.branch())).toEqual(done);
  expect(readFileSync(join(project.place, "branch"), "utf8")).toBe("harness/task-003\n");
  expect(project.git("branch", "--list", "harness/task-*")).toBe("");
  expect(project.checkout()).toBe(before);
});

test("run --workspace in-place: finished tasks are commits of the branch that is checked out, and the checkout is clean", async () => {
  const project = await threeTasks();
  const start = project.git("rev-parse", "HEAD");
  project.write({ "cache/kept.txt": "ignored\n" });
  const end = await runIn(project, "--workspace", "in-place");
  expect([end.code, end.stderr.includes("committed to main")]).toEqual([0, true]);
  expect(await project.branch()).toBe("main");
  const format = "--format=%s | %(trailers:key=Harness-Task,valueonly,separator=%x20)";
  expect(project.git("log", "--reverse", format, `${start}..main`).split("\n")).toEqual(done);
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("ls-files").split("\n")).toEqual([".gitignore", "README.md", "one.txt", "three.txt", "two.txt"]);
  expect(readFileSync(join(project.root, "cache/kept.txt"), "utf8")).toBe("ignored\n");
  expect(readFileSync(join(project.place, "where"), "utf8").trim()).toBe(project.git("rev-parse", "--show-toplevel"));
  expect(end.stderr).toContain("all finished work is in your branch");
  const head = project.git("rev-parse", "HEAD");
  expect((await project.must("status")).stdout).not.toContain("harness accept");
  const accepted = JSON.parse((await project.must("accept", "task-003", "--json")).stdout);
  expect(accepted).toMatchObject({ how: "present", branch: "main", commit: head });
  expect([project.git("rev-parse", "HEAD"), project.git("status", "--porcelain")]).toEqual([head, ""]);
});

test("A1: in place a dirty checkout is refused by the names of its files, before anything is touched", async () => {
  const project = await threeTasks();
  for (let i = 0; i < 12; i += 1) project.write({ [`dirty-${i}.txt`]: "d\n" });
  const before = project.checkout();
  const end = await runIn(project, "--workspace", "in-place");
  expect(end.code).toBe(10);
  expect(`${end.stdout}${end.stderr}`).toMatch(/changes that are not committed: dirty-0\.txt.*and 2 more/);
  expect(`${end.stdout}${end.stderr}`).toContain("--with-changes");
  expect(project.checkout()).toBe(before);
});

test("A1: with --with-changes they are the start, and part of the first task's commit", async () => {
  const project = await threeTasks();
  project.write({ "mine.txt": "mine\n" });
  const end = await runIn(project, "--workspace", "in-place", "--with-changes");
  expect(end.code).toBe(0);
  expect(project.git("log", "--format=%s", "--", "mine.txt")).toBe("task-001: One");
  expect(project.git("status", "--porcelain")).toBe("");
});

test("A1: in place there is one lane", async () => {
  const project = await threeTasks();
  const end = await runIn(project, "--workspace", "in-place", "--lanes", "2");
  expect([end.code, end.stderr.includes("in place there is one lane")]).toEqual([10, true]);
});

test("A1: a mission with finished tasks does not go to another branch; it stays where it is without a flag", async () => {
  const project = await threeTasks();
  await runIn(project, "--workspace", "in-place", "--once");
  const away = await runIn(project, "--workspace", "clone");
  expect(away.code).not.toBe(0);
  expect(away.stderr).toContain("finished tasks of this mission are on main");
  expect((await runIn(project)).code).toBe(0);
  expect(project.git("log", "--format=%s", "-1")).toBe("task-003: Three");
});

test("CFG: a project cannot choose that agents work in the user's checkout", async () => {
  const project = await threeTasks();
  mkdirSync(join(project.root, ".harness"), { recursive: true });
  writeFileSync(join(project.root, ".harness/config.json"), '{"workspace":"in-place"}');
  const end = await runIn(project);
  expect([end.code, end.stderr.includes("workspace is for the user to set")]).toEqual([10, true]);
});

test("branchIsolation.useWorktrees shows each clone by a link while it is worked on", async () => {
  const project = await threeTasks();
  writeFileSync(join(project.root, ".harness/config.json"), '{"branchIsolation":{"useWorktrees":true}}');
  const link = join(project.root, ".harness/worktrees/task-003");
  project.write({ "../agent.sh": `${agent}\nif [ -L '${link}' ]; then readlink '${link}' > "$PLACE/link"; fi\n` });
  expect((await runIn(project)).code).toBe(0);
  const target = readFileSync(join(project.place, "link"), "utf8").trim();
  expect(target).toBe(readFileSync(join(project.place, "where"), "utf8").trim());
  expect([existsSync(link), lstatSync(join(project.root, ".harness/worktrees")).isDirectory()]).toEqual([false, true]);
  expect(() => readlinkSync(link)).toThrow();
});

test("L4: claim --here in a checkout that is not fit says what to do about it", async () => {
  const project = await threeTasks();
  project.write({ "README.md": "changed\n" });
  const top = project.git("rev-parse", "--show-toplevel");
  expect(JSON.parse((await project.must("claim", "--here")).stdout)).toEqual({
    claimed: false,
    error: `the checkout ${top} has changes that are not committed: README.md`,
    next: "Commit or stash them, or add --with-changes: they become part of the task's work then.",
  });
});

test("L4: claim --here: an outside worker works in the checkout; done commits to its branch, fail gives it back", async () => {
  const project = await threeTasks();
  project.env.HARNESS_WORKER_ID = "me";
  const ask = async (...args: readonly string[]) => JSON.parse((await project.must(...args)).stdout);
  const first = await ask("claim", "--here");
  expect([first.claimed, first.workspace]).toEqual([true, project.git("rev-parse", "--show-toplevel")]);
  project.write({ "one.txt": "1\n" });
  expect(await ask("done", "task-001")).toMatchObject({ done: true, task_id: "task-001" });
  expect([project.git("log", "--format=%s", "-1"), project.git("status", "--porcelain")]).toEqual([
    "task-001: One",
    "",
  ]);
  await ask("claim", "--here");
  project.write({ "half.txt": "half\n", "README.md": "spoilt\n" });
  expect(await ask("fail", "task-002", "--category", "TASK_EXEC", "no idea")).toMatchObject({ failed: true });
  expect([existsSync(join(project.root, "half.txt")), project.git("status", "--porcelain")]).toEqual([false, ""]);
});
