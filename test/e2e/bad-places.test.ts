// Places where nothing can work: said clearly, with the right code, and nothing harmed.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cli, createEmptyFolder, createTestProject, type Ended } from "./project.ts";

const sh = (file: string, ...args: readonly string[]): string => execFileSync(file, args, { encoding: "utf8" });
const agent = ["run", "--agent-command", 'echo x > "$HARNESS_TASK_ID.txt"'];
const told = ({ code, stderr }: Ended) => [code, stderr.split("\n")[0]];

test("not a git repository: exit 10, with what to do", async () => {
  const place = createEmptyFolder();
  expect(told(await place.harness("init", "--yes"))).toEqual([
    10,
    expect.stringMatching(/^error: .* is not in a git repository$/),
  ]);
  expect(existsSync(join(place.root, ".harness"))).toBe(false);
});

test("a repository without commits: exit 10, with what to do", async () => {
  const place = createTestProject({});
  const end = await place.harness("init", "--yes");
  expect([end.code, end.stderr]).toEqual([10, expect.stringMatching(/no commits[\s\S]*next: commit once/)]);
});

test("a current folder that was removed: exit 10, with what to do", () => {
  const place = createEmptyFolder();
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
  const options = { cwd: place.root, env: place.env, encoding: "utf8" } as const;
  const end = spawnSync("sh", ["-c", script, process.execPath, cli, "status"], options);
  expect([end.status, end.stdout, end.stderr]).toEqual([
    10,
    "",
    "error: cannot begin – the current folder was removed\n  next: cd to a folder that exists\n",
  ]);
});

test("a bare repository: exit 10, with what to do", async () => {
  const place = createEmptyFolder();
  place.git("init", "--quiet", "--bare", ".");
  expect(told(await place.harness("init", "--yes"))).toEqual([10, expect.stringMatching(/is a bare git repository$/)]);
});

test("a detached HEAD is a place like any other", async () => {
  const project = createTestProject();
  project.git("checkout", "--quiet", "--detach");
  const before = project.checkout();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f task-001.txt");
  await project.must(...agent);
  expect(project.checkout()).toBe(before);
});

test("git is missing: exit 10, and git is named", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f task-001.txt");
  const bin = mkdtempSync(join(tmpdir(), "harness-nogit-"));
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
  for (const name of ["sh", "cat", "mkfifo", "rm", "node"]) symlinkSync(sh("which", name).trim(), join(bin, name));
  project.env.PATH = bin;
  const end = await project.harness(...agent);
  expect([end.code, end.stderr]).toEqual([10, expect.stringMatching(/git[\s\S]*next: Install git/)]);
});

/** A file system of our own: only root can make one, and CI is root. */
function mount(options: string): string {
  const point = mkdtempSync(join(tmpdir(), "harness-mount-"));
  sh("mount", "-t", "tmpfs", "-o", options, "tmpfs", point);
  onTestFinished(() => {
    sh("umount", point);
    rmSync(point, { recursive: true, force: true });
  });
  return point;
}

test("PR-18: a full disk stops the run precisely, nothing is corrupt, and it goes on when there is room", async () => {
  const project = createTestProject();
  const state = mount("size=400k");
  project.env.HARNESS_STATE_HOME = join(state, "state");
  project.configureUser({ resources: { diskFloorMb: 1 } });
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f task-001.txt");
  sh("dd", "if=/dev/zero", `of=${join(state, "ballast")}`, "bs=1k", "count=250", "status=none");
  const full = await project.harness(...agent);
  expect([full.code, full.stderr]).toEqual([
    9,
    expect.stringMatching(/machine full: 0 MB are free at .* less than the 1 MB/),
  ]);
  rmSync(join(state, "ballast"));
  sh("mount", "-o", "remount,size=50m", state);
  expect((await project.harness(...agent)).code).toBe(0);
  expect(project.missionCommits(await project.branch())).toEqual(["task-001: A | task-001"]);
});

test("PR-18: a read-only project: commands say so or do their work without the views", async () => {
  const place = mount("size=20m");
  const project = createTestProject();
  sh("cp", "-a", `${project.root}/.`, place);
  project.env.HARNESS_STATE_HOME = join(project.place, "state");
  sh("mount", "-o", "remount,ro", place);
  const end = await project.harness("--root", place, "init", "--yes");
  expect([end.code, end.stderr]).toEqual([10, expect.stringMatching(/^error: [\s\S]*read-only/)]);
  sh("mount", "-o", "remount,rw", place);
  await project.must("--root", place, "init", "--yes");
  sh("mount", "-o", "remount,ro", place);
  const added = await project.harness("--root", place, "add", "A", "--validate", "true");
  expect(added).toMatchObject({ code: 0, stdout: "Added task-001: A\n" });
  expect(added.stderr).toContain("warning: harness-tasks.json could not be brought up to date: EROFS: read-only");
  sh("mount", "-o", "remount,rw", place);
  expect((await project.must("--root", place, "status")).stderr).toBe("");
  expect(JSON.parse(readFileSync(join(place, "harness-tasks.json"), "utf8")).tasks).toHaveLength(1);
});

test("PR-18: an id that cannot be read is named, and no second mission takes the place of the first", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "true");
  const id = join(project.root, ".harness/id");
  renameSync(id, `${id}.kept`);
  mkdirSync(id);
  for (const command of ["status", "init"]) {
    const end = await project.harness(command);
    expect([end.code, end.stderr]).toEqual([10, expect.stringContaining(`${id} cannot be read: EISDIR`)]);
  }
  rmdirSync(id);
  renameSync(`${id}.kept`, id);
  expect((await project.must("status", "--json")).stdout).toContain("task-001");
});

test("F1: a folder that is not there, and one that is a file, are named", async () => {
  const project = createTestProject();
  mkdirSync(join(project.root, "sub"));
  for (const root of ["no-such", "README.md"]) {
    const end = await project.harness("--root", root, "status");
    expect([end.code, end.stderr]).toEqual([1, expect.stringContaining(root)]);
  }
});
