// The owner of the repository goes on working in it while a mission runs. Agents and validations report where they are
// through a pipe and wait there until the user has done something: every stage is met, without a clock.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everyFile } from "../../src/workspaces/clone/whole-checkout.fixture.ts";
import { createPipe } from "./pipes.ts";
import { createTestProject, type TestProject } from "./project.ts";

const tasks = Array.from({ length: 10 }, (_, place) => `task-${String(place + 1).padStart(3, "0")}`);

/** Ours to write, and what the user's own collection of garbage makes of references that are ours. */
const ours =
  /^(harness-tasks\.json.*|harness-progress\.txt.*|\.harness.*|\.git\/(objects|refs\/harness|refs\/heads\/harness|packed-refs.*|harness-ref\..*))$/;

async function everythingOf(project: TestProject): Promise<unknown> {
  const refs = project.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)").split("\n");
  return {
    files: await everyFile(project.root, ours),
    refs: refs.filter((line) => !/^refs\/(heads\/)?harness\//.test(line)),
    stash: project.git("stash", "list"),
  };
}

/** What a day of work does to a repository, one act per stage. */
const dayOf = (project: TestProject): readonly (() => unknown)[] => {
  const { git } = { git: project.git.bind(project) };
  const edit = (file: string, text: string): void => project.write({ [file]: `${text}\n` });
  return [
    () => edit("README.md", "half an edit"),
    () => git("commit", "--quiet", "--all", "--message", "mine"),
    () => {
      edit("README.md", "for later");
      git("stash", "--quiet");
    },
    () => git("switch", "--quiet", "--create", "feature"),
    () => {
      edit("feature.txt", "feature");
      git("add", "feature.txt");
    },
    () => git("commit", "--quiet", "--message", "feature"),
    () => git("switch", "--quiet", "main"),
    () => git("stash", "pop", "--quiet"),
    () => git("gc", "--quiet", "--prune=now"),
    () => git("commit", "--quiet", "--all", "--message", "later"),
    () => git("pull", "--quiet", "--no-rebase", "--no-edit", "../other", "main"),
    () => git("rebase", "--quiet", "main", "feature"),
    () => git("worktree", "add", "--quiet", "../tree", "main"),
    () => {
      rmSync(join(project.place, "tree"), { recursive: true });
      git("worktree", "prune");
    },
    () => git("reflog", "expire", "--expire=now", "--all"),
    () => rmSync(join(project.root, ".git/logs"), { recursive: true, force: true }),
    () => git("gc", "--quiet", "--prune=now"),
    () => git("pack-refs", "--all", "--prune"),
    () => git("commit", "--quiet", "--amend", "--message", "better said"),
    () => git("reset", "--quiet", "--hard", "HEAD~1"),
  ];
};

/** A git on the search path that, once, lets the user's repository be tidied up right after it took objects in. */
function tidyAfter(project: TestProject, verb: string): void {
  const bin = join(project.place, "bin");
  mkdirSync(bin);
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh
"${real}" "$@" || exit
case " $* " in *" ${verb} "*) mkdir "${bin}/once" 2> /dev/null && "${real}" -C "${project.root}" gc --quiet --prune=now;; esac
exit 0
`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  project.env.PATH = `${bin}:${project.env.PATH}`;
}

test.each([
  ["unpack-objects", "echo work > a.txt"],
  ["index-pack", "for n in $(seq 40); do echo $n > f$n.txt; done; echo work > a.txt"],
])(
  "PR-3: the user collects garbage the moment that work came in by %s, before anything names it",
  async (verb, agent) => {
    const project = createTestProject();
    await project.must("init", "--yes");
    await project.must("add", "A", "--validate", "test -f a.txt");
    tidyAfter(project, verb);
    await project.must("run", "--agent-command", agent);
    expect(existsSync(join(project.place, "bin/once"))).toBe(true);
    expect(JSON.parse((await project.must("status", "--json")).stdout).tasks).toMatchObject([
      { status: "completed", attempts: 1 },
    ]);
    expect(project.git("fsck", "--no-dangling")).toBe("");
  },
);

const report = (stages: string, kind: string, task: string): string =>
  `echo ${kind} ${task} > '${stages}/reached'; read go < '${stages}/${kind}-${task}'`;

async function* linesOf(pipe: FileHandle): AsyncGenerator<string> {
  let text = "";
  while (true) {
    const { bytesRead, buffer } = await pipe.read(Buffer.alloc(4096), 0, 4096, null);
    text += buffer.toString("utf8", 0, bytesRead);
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}

test("PR-3, PR-20: whatever the user does in the repository at each stage of a mission, nothing of his changes and all tasks are done", async () => {
  const project = createTestProject();
  const stages = join(project.place, "stages");
  mkdirSync(stages);
  const pipes = tasks.flatMap((task) => [`agent-${task}`, `gate-${task}`]);
  for (const name of ["reached", ...pipes]) createPipe(stages, name);
  project.git("clone", "--quiet", ".", "../other");
  execFileSync("git", ["-c", "user.name=o", "-c", "user.email=o", "commit", "--allow-empty", "-q", "-m", "theirs"], {
    cwd: join(project.place, "other"),
    env: project.env,
  });
  await project.must("init", "--yes");
  for (const task of tasks)
    await project.must("add", `Make ${task}`, "--validate", `${report(stages, "gate", task)}; test -f ${task}.txt`);

  const agent = `${report(stages, "agent", "$HARNESS_TASK_ID")}; echo x > "$HARNESS_TASK_ID.txt"`;
  const reached = await open(join(stages, "reached"), "r+");
  const run = project.start(["run", "--lanes", "2", "--agent-command", agent.replaceAll("'", '"')]);
  const day = [...dayOf(project)];
  const acts = day.length;
  let ended = false;
  void run.ended.finally(() => {
    ended = true;
    // Wakes up the reader of the pipe.
    void writeFile(join(stages, "reached"), "end\n");
  });
  let before = await everythingOf(project);
  for await (const stage of linesOf(reached)) {
    if (ended) break;
    expect(await everythingOf(project)).toEqual(before);
    day.shift()?.();
    before = await everythingOf(project);
    await writeFile(join(stages, stage.replace(" ", "-")), "go\n");
  }
  await reached.close();
  const { code, stderr } = await run.ended;
  expect(code, stderr).toBe(0);
  expect(await everythingOf(project)).toEqual(before);
  expect({ acts, left: day.length }).toEqual({ acts: 20, left: 0 });
  const branch = await project.branch();
  const done = project.git("log", "--format=%(trailers:key=Harness-Task,valueonly,separator=%x20)", branch).split("\n");
  expect(done.filter((line) => line !== "").sort()).toEqual(tasks);
  expect(project.git("fsck", "--no-dangling")).toBe("");
}, 600_000);

test("PR-3: a project that is moved between two runs goes on at its new place", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "First", "--validate", "test -f task-001.txt");
  const work = ["run", "--agent-command", 'echo x > "$HARNESS_TASK_ID.txt"; git log -1 --format=%s > log.txt'];
  await project.must(...work);
  const moved = join(project.place, "moved");
  execFileSync("mv", [project.root, moved]);
  const at = ["--root", moved];
  const ran = async (...args: readonly string[]) => project.start(args, "..").ended;
  expect((await ran("add", "Second", "--validate", "test -f task-002.txt", ...at)).code).toBe(0);
  const { code, stderr } = await ran(...work, ...at);
  expect(code, stderr).toBe(0);
  const log = readFileSync(join(moved, "harness-progress.txt"), "utf8");
  expect(log.split("\n").filter((line) => line.includes(" Completed [")).length).toBe(2);
}, 600_000);
