// Work of failed attempts: listed, shown, restored and dropped, as a person does it.
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMission, createTestProject, type TestProject } from "./project.ts";
import { harnessCommand, openTerminal } from "./tmux.ts";

/** A task that fails twice: each attempt leaves a commit, a stash, an ignored file and a secret. */
async function createFailedMission(): Promise<TestProject> {
  const project = await createMission(["A", "--validate", "false", "--max-attempts", "2"]);
  project.commit({ ".gitignore": "build/\n" });
  const agent = [
    "echo one > one.txt && git add one.txt && git commit -q -m mine",
    "echo stashed > one.txt && git stash -q",
    "printf 'a\\r\\n' > work.txt && chmod 750 work.txt && echo K=1 > .env && mkdir build empty && echo o > build/o",
  ].join("; ");
  expect((await project.harness("run", "--agent-command", agent)).code).toBe(11);
  return project;
}

test("A6, PR-3: the work of a failed attempt is listed, shown, and restored as it was", async () => {
  const project = await createFailedMission();
  const before = project.checkout();
  const log = readFileSync(join(project.root, "harness-progress.txt"), "utf8");
  expect(
    log.match(/ROLLBACK \[task-001\] git reset --hard [0-9a-f]{7} rescue=\S+/g)?.map((line) => line.split("=")[1]),
  ).toEqual(["task-001/1", "task-001/2"]);
  const rows = JSON.parse((await project.must("rescue", "list", "--json")).stdout);
  expect(rows.map(({ name, kind, why }: Record<string, string>) => [name, kind, why])).toEqual([
    ["task-001/2", "rescue", "the attempt ended without a merge"],
    ["task-001/1", "rescue", "the attempt ended without a merge"],
  ]);
  expect((await project.must("rescue", "list")).stdout).toMatch(
    /^task-001\/2 {2}\S+Z {2}\d+ entries, [\d.]+ k?B {2}the attempt/,
  );
  const { stdout } = await project.must("rescue", "show", "task-001/2");
  expect(stdout.split("\n").filter((line) => /^ {2}[AMD?] /.test(line))).toEqual([
    "  A .env (4 B, in the vault)",
    "  ? build/o (2 B, in the vault)",
    "  A one.txt",
    "  A work.txt",
  ]);
  expect(stdout).toContain("next: harness rescue restore task-001/2");
  const restored = await project.must("rescue", "restore", "task-001/2");
  const target = join(project.root, "rescued-task-001-2");
  expect(restored.stdout).toBe(`Restored task-001/2 to ${target}\n`);
  expect(readFileSync(join(target, "work.txt"), "latin1")).toBe("a\r\n");
  expect([statSync(join(target, "work.txt")).mode & 0o777, readdirSync(join(target, "empty"))]).toEqual([0o750, []]);
  const inside = (...args: readonly string[]) => project.git("-C", target, ...args);
  expect([inside("log", "--format=%s", "-1"), inside("stash", "list").split("\n").length]).toEqual(["mine", 1]);
  expect(inside("status", "--porcelain", "--ignored").split("\n")).toEqual(["?? .env", "?? work.txt", "!! build/"]);
  expect(inside("fsck", "--no-dangling")).toBe("");
  rmSync(target, { recursive: true });
  expect(project.checkout()).toBe(before);
});

test("A6: unknown names, taken directories and agents are refused with what to do next", async () => {
  const project = await createFailedMission();
  const said = async (...args: readonly string[]) => {
    const { code, stderr } = await project.harness("rescue", ...args);
    return [code, ...stderr.trim().split("\n")];
  };
  expect(await said("show", "task-01/2")).toEqual([
    1,
    'error: cannot show it – nothing was put away as "task-01/2"; did you mean "task-001/2"?',
    "  next: harness rescue list shows them all",
  ]);
  expect(await said("restore")).toEqual([
    1,
    "error: nothing was restored – no name was given",
    "  next: harness rescue list, then: harness rescue restore NAME",
  ]);
  writeFileSync(join(project.root, "taken"), "mine\n");
  expect(await said("restore", "task-001/1", "--to", "taken")).toEqual([
    1,
    `error: nothing was restored – ${join(project.root, "taken")} is there already`,
    "  next: Name another directory with --to, or move that one away.",
  ]);
  expect(await said("drop", "task-001/1")).toEqual([
    1,
    "error: nothing was dropped – nobody was asked",
    "  next: say it with --yes",
  ]);
  project.env.HARNESS_LANE = "0";
  expect((await said("drop", "task-001/1", "--yes"))[1]).toContain("an agent asked for it");
});

test("A6: drop asks in a terminal; what expired goes only when asked, and never the newest of an open task", async () => {
  const project = await createFailedMission();
  const terminal = openTerminal(project, harnessCommand("rescue drop task-001/2"));
  await terminal.shows("Drop task-001/2 for good? (y/n) [n]:");
  terminal.enter("n");
  await terminal.shows("Nothing was dropped");
  expect((await project.must("rescue", "drop", "--expired", "--yes")).stdout).toBe("Nothing has expired.\n");
  // As if both were made long ago.
  const vault = readdirSync(project.env.HARNESS_STATE_HOME ?? "")
    .map((id) => join(project.env.HARNESS_STATE_HOME ?? "", id, "vault/task-001"))
    .find((path) => existsSync(path));
  for (const attempt of ["1", "2"]) {
    const file = join(vault ?? "", attempt, "rescue.json");
    chmodSync(file, 0o600);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), at: Number(attempt) }));
  }
  expect((await project.must("rescue", "drop", "--expired", "--yes")).stdout).toBe("Dropped task-001/1\n");
  expect((await project.must("rescue", "drop", "task-001/2", "--yes")).stdout).toBe("Dropped task-001/2\n");
  expect((await project.must("rescue", "list")).stdout).toBe("Nothing was set aside.\n");
});

test("A6: a work tree that was kept whole is restored as one of its own, also in a repository that was moved; dropped, git knows no more of it", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f b.txt", "--max-attempts", "2");
  const agent = "echo a > a.txt && git add a.txt && git commit -qm mine && echo s > staged.txt && git add staged.txt";
  expect((await project.harness("run", "--workspace", "worktree", "--agent-command", agent)).code).toBe(11);
  const opened = await project.must("open", "task-001");
  const archive = opened.stdout.trim();
  expect(readFileSync(join(archive, "a.txt"), "utf8")).toBe("a\n");

  const restored = join(project.place, "restored");
  await project.must("rescue", "restore", "task-001/2", "--to", restored);
  const [here, there] = [restored, archive].map((at) => () => project.git("-C", at, "status", "--porcelain"));
  expect([here?.(), there?.()]).toEqual(["A  staged.txt", "A  staged.txt"]);
  project.git("-C", restored, "commit", "--quiet", "--message", "went on");
  expect([here?.(), there?.()]).toEqual(["", "A  staged.txt"]);

  const listed = () =>
    [...project.git("worktree", "list", "--porcelain").matchAll(/^worktree (.*)$/gm)].map(([, at]) => at);
  expect(listed()).toHaveLength(4);
  project.git("worktree", "lock", "--reason", "wait", archive);
  const refused = await project.harness("rescue", "drop", "task-001/2", "--yes");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `error: nothing was dropped – task-001/2 is a git work tree that somebody locked: wait\n  next: git worktree unlock ${archive}\n`,
  ]);
  project.git("worktree", "unlock", archive);
  await project.must("rescue", "drop", "task-001/2", "--yes");
  expect(listed().sort()).toEqual([realpathSync(project.root), restored, archive.replace(/2-1$/, "1-1")].sort());
  expect([here?.(), readdirSync(join(project.root, ".git/worktrees")).length]).toEqual(["", 2]);

  renameSync(project.root, join(project.place, "elsewhere"));
  symlinkSync("elsewhere", project.root);
  const again = join(project.place, "again");
  await project.must("rescue", "restore", "task-001/1", "--to", again);
  expect(project.git("-C", again, "log", "--format=%s", "-1")).toBe("mine");
});
