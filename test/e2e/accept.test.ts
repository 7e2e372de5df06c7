// From finished tasks to the user's own branch, with the real program.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPipe } from "./pipes.ts";
import { createMission, createTestProject, type TestProject } from "./project.ts";

const agent = ["--agent-command", 'cat > /dev/null; echo work > "$HARNESS_TASK_ID.txt"'];
const task = (title: string, ...more: readonly string[]) => [title, "--validate", "true", ...more];
const titles = (project: TestProject, ...range: string[]) =>
  project.git("log", "--first-parent", "--format=%s", ...range).split("\n");
const at = (project: TestProject, file: string) => join(project.root, file);

test("G5: init, add, run, accept – the README's way, and once more changes nothing", async () => {
  const project = await createMission(task("One"), task("Two", "--depends-on", "task-001"));
  const ran = await project.must("run", ...agent);
  expect(ran.stderr).toContain("  harness accept    to take them into your branch\n");
  expect(existsSync(at(project, "task-001.txt"))).toBe(false);
  expect((await project.must("status")).stdout).toContain(
    "next      harness accept – 2 finished tasks are not in your branch yet\n",
  );
  const { stdout } = await project.must("accept");
  const commit = project.git("rev-parse", "--short=7", "main");
  expect(stdout).toBe(
    `Accepted 2 tasks into main (fast-forward, commit ${commit}):\n  task-001: One\n  task-002: Two\n`,
  );
  expect([existsSync(at(project, "task-001.txt")), project.git("status", "--porcelain")]).toEqual([true, ""]);
  expect(titles(project, "main")).toEqual(["task-002: Two", "task-001: One", "base"]);
  const status = (await project.must("status")).stdout;
  expect(status).toContain("[completed] task-001: One (1/3) accepted\n");
  expect(status).not.toContain("next ");
  expect(readFileSync(at(project, "harness-progress.txt"), "utf8")).toMatch(
    new RegExp(`WARN accepted into main \\(commit ${commit}\\): task-001, task-002\n$`),
  );
  expect((await project.must("accept")).stdout).toBe("Already in main: task-001, task-002\n");
  expect(JSON.parse((await project.must("accept", "--json")).stdout)).toEqual({
    accepted: false,
    how: "present",
    branch: "main",
    commit: project.git("rev-parse", "main"),
    tasks: ["task-001", "task-002"],
  });
});

test("G5: a plan that is committed with the project is no change of the user's, though it is written all the time", async () => {
  const project = createTestProject();
  const plan = { id: "a", title: "A", status: "pending", priority: "P1", validation: { command: "true" } };
  project.commit({ "harness-tasks.json": JSON.stringify({ version: 2, tasks: [plan] }) });
  const ran = await project.must("run", "--trust-all", ...agent);
  expect(ran.stderr).not.toContain("not included");
  expect((await project.must("accept")).stdout).toContain("Accepted 1 task into main");
  expect([existsSync(at(project, "a.txt")), project.git("status", "--porcelain")]).toEqual([
    true,
    " M harness-tasks.json",
  ]);
  project.git("add", "harness-tasks.json");
  await project.must("add", ...task("Two"));
  await project.must("run", ...agent);
  const staged = await project.harness("accept");
  expect([staged.code, staged.stderr]).toEqual([1, expect.stringContaining("not committed: harness-tasks.json")]);
});

test("V3: each commit of the mission branch names the check that it passed", async () => {
  const project = await createMission(task("One"), [...task("Two"), "--quick", "true"]);
  await project.must("run", ...agent);
  const format = "--format=%(trailers:key=Harness-Proof,valueonly,separator=%x20)";
  expect(project.git("log", "--reverse", format, `main..${await project.branch()}`).split("\n")).toEqual([
    "task-001/1/4/gate.check",
    "task-002/1/5/gate.check",
  ]);
});

test("G5: tasks by name; one that builds on another is not taken without it, nor one that is not finished", async () => {
  const project = await createMission(task("One"), task("Two", "--depends-on", "task-001"), task("Three"));
  const refused = async (...args: string[]) => {
    const { code, stderr } = await project.harness("accept", ...args);
    return [code, ...stderr.trimEnd().split("\n")];
  };
  expect(await refused("task-003")).toEqual([
    1,
    "error: nothing was accepted – task-003 is pending: only finished work can be accepted",
  ]);
  await project.must("run", ...agent);
  expect(await refused("task-002")).toEqual([
    1,
    "error: nothing was accepted – task-002 builds on task-001, which your branch does not have yet",
    "  next: harness accept task-001 task-002",
  ]);
  expect(await refused("task-9")).toEqual([
    1,
    'error: nothing was accepted – there is no task "task-9"',
    "  next: harness tasks shows them all",
  ]);
  expect((await project.must("accept", "task-003")).stdout).toContain("Accepted 1 task into main (pick,");
  expect([existsSync(at(project, "task-003.txt")), existsSync(at(project, "task-001.txt"))]).toEqual([true, false]);
  expect((await project.must("accept", "--squash")).stdout).toContain("Accepted 2 tasks into main (squash,");
  expect(titles(project, "main").slice(0, 1)).toEqual([expect.stringMatching(/^Accept 2 tasks of mission-project-/)]);
});

test("PR-3: a checkout with changes is held with their names and nothing is lost; agents may not accept", async () => {
  const project = await createMission(task("One"));
  await project.must("run", ...agent);
  project.write({ "README.md": "edited\n", "task-001.txt": "mine\n" });
  const before = project.checkout();
  const held = await project.harness("accept");
  expect([held.code, held.stderr]).toEqual([
    1,
    `error: nothing was accepted – main stays as it is: its checkout ${project.root} has changes that are not committed: README.md\n  next: commit or stash them, then: harness accept (or, on main: git merge ${await project.branch()})\n`,
  ]);
  expect([project.checkout(), readFileSync(at(project, "task-001.txt"), "utf8")]).toEqual([before, "mine\n"]);
  project.env.HARNESS_LANE = "0";
  expect((await project.harness("accept")).stderr).toContain("this is for the user to say");
});

test("G5: --pr shows what would be pushed, pushes only with consent, and that branch alone", async () => {
  const project = await createMission(task("One"));
  await project.must("run", ...agent);
  const branch = await project.branch();
  expect((await project.must("accept", "--pr")).stdout).toContain("this repository has no remote to choose");
  project.sh("git", "init", "--quiet", "--bare", join(project.place, "remote.git"));
  project.git("remote", "add", "origin", join(project.place, "remote.git"));
  const asked = await project.must("accept", "--pr");
  const command = `git push --no-follow-tags --recurse-submodules=no -- origin refs/heads/${branch}:refs/heads/${branch}`;
  expect(asked.stdout).toContain(`command   ${command}\n`);
  expect(asked.stdout).toContain("task-001: One");
  expect(asked.stderr).toContain("nothing was pushed");
  const refs = () => project.sh("git", "-C", join(project.place, "remote.git"), "for-each-ref", "--format=%(refname)");
  expect(refs()).toBe("");
  await project.must("accept", "--pr", "--yes");
  expect(refs()).toBe(`refs/heads/${branch}`);
  expect((await project.harness("accept", "--pr", "task-001")).code).toBe(1);
});

test("G5: integration current moves the user's branch after each task, and is held with one notice while it is dirty", async () => {
  const project = await createMission(task("One"), task("Two"), task("Three"));
  await project.must("run", "--once", "--integration", "current", ...agent).catch(() => undefined);
  expect([titles(project, "main")[0], existsSync(at(project, "task-001.txt"))]).toEqual(["task-001: One", true]);
  project.write({ "README.md": "edited\n" });
  await project.must("run", "--integration", "current", ...agent);
  expect([titles(project, "main")[0], existsSync(at(project, "task-002.txt"))]).toEqual(["task-001: One", false]);
  const log = readFileSync(at(project, "harness-progress.txt"), "utf8");
  expect(log.match(/WARN finished work waits: main stays as it is: .*README\.md\n/g)).toHaveLength(1);
  project.git("checkout", "--quiet", "README.md");
  expect((await project.must("accept")).stdout).toContain("Accepted 2 tasks into main (fast-forward,");
});

test("T: a project's file cannot make the user's branch move without being trusted; the user's own file can", async () => {
  const project = await createMission(task("One"));
  project.write({ ".harness/config.json": JSON.stringify({ branchIsolation: { enabled: true, baseBranch: "main" } }) });
  const refused = await project.harness("run", ...agent);
  expect([refused.code, refused.stderr]).toEqual([
    8,
    expect.stringContaining("integration of .harness/config.json: each finished task moves main"),
  ]);
  const [, hash = ""] = /--trust ([0-9a-f]+)/.exec(refused.stderr) ?? [];
  await project.must("run", "--trust", hash, ...agent);
  expect(titles(project, "main")[0]).toBe("task-001: One");
  const other = await createMission(task("One"));
  other.configureUser({ integration: "current" });
  await other.must("run", ...agent);
  expect(titles(other, "main")[0]).toBe("task-001: One");
});

test("G5: what the user commits during a run comes into the mission branch, judged, and tasks build on it", async () => {
  const project = createTestProject();
  const [begun, go] = [createPipe(project.place, "begun"), createPipe(project.place, "go")];
  project.commit({
    "agent.sh": `
case $(cat) in
*"Task task-001"*) echo begun > '${begun.path}'; cat '${go.path}'; echo 1 > one.txt ;;
*) cat mine.txt > two.txt ;;
esac
`,
  });
  await project.must("init", "--yes");
  project.write({ ".harness/config.json": JSON.stringify({ validation: { default: "test ! -f broken.txt" } }) });
  await project.must("add", "One", "--validate", "true");
  await project.must("add", "Two", "--validate", "grep -q mine two.txt", "--depends-on", "task-001");
  const running = project.start(["run", "--trust-all", "--agent-command", "sh agent.sh"]);
  readFileSync(begun.path);
  project.commit({ "mine.txt": "mine\n" });
  project.sh("sh", "-c", `echo go > '${go.path}'`);
  expect((await running.ended).code).toBe(0);
  const branch = await project.branch();
  expect(titles(project, branch)).toEqual(["task-002: Two", "Catch up with main", "task-001: One", "base", "base"]);
  expect(titles(project, "main")).toEqual(["base", "base", "base"]);
  expect((await project.must("accept")).stdout).toContain("Accepted 2 tasks into main (fast-forward,");

  project.commit({ "broken.txt": "!\n" });
  await project.must("add", "Three", "--validate", "true");
  await project.must("run", "--trust-all", "--agent-command", "echo 3 > three.txt");
  await project.must("add", "Four", "--validate", "true");
  await project.must("run", "--trust-all", "--agent-command", "echo 4 > four.txt");
  expect(titles(project, branch).slice(0, 3)).toEqual(["task-004: Four", "task-003: Three", "task-002: Two"]);
  const log = readFileSync(at(project, "harness-progress.txt"), "utf8");
  expect(log.match(/WARN your branch at [0-9a-f]{7} was not merged into the mission branch: .*/g)).toHaveLength(1);
});

test("open: prints where a task is worked on, says where its failed work is, warns of an agent there, and knows what was meant", async () => {
  const project = await createMission(["Bad", "--validate", "false", "--max-attempts", "1"], task("Good"));
  const pending = await project.harness("open", "task-001");
  expect([pending.code, pending.stderr]).toEqual([
    1,
    "error: nothing was opened – task-001 is pending and has no workspace\n  next: harness run works on it\n",
  ]);
  await project.harness("run", ...agent);
  expect((await project.harness("open", "task-001")).stderr).toBe(
    "error: nothing was opened – task-001 is failed; what attempt 1 left was rescued as task-001/1\n  next: harness rescue restore task-001/1 --to DIR\n",
  );
  expect((await project.harness("open", "task-01")).stderr).toContain("  next: did you mean task-001?\n");
  expect((await project.harness("open", "task-002")).stderr).toMatch(
    / {2}next: see its work with: git show [0-9a-f]{7}\n/,
  );
  await project.must("add", "Held", "--validate", "true");
  const { workspace } = JSON.parse((await project.must("claim")).stdout);
  const busy = await project.must("open", "task-003");
  expect([busy.stdout, busy.stderr]).toEqual([
    `${workspace}\n`,
    "warning: an agent works there just now; what you change becomes part of its work\n",
  ]);
});
