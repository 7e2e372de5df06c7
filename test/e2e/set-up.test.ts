// Set-up of slots, as people see it: once per slot and inputs, never trusted to whoever worked there.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

interface Asked {
  readonly setup: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly lanes?: number;
}

/** Counts its runs outside of every checkout, and makes a tool that every validation uses. */
const install = (project: TestProject) =>
  `echo "$PWD" >> '${project.place}/runs'; mkdir -p node_modules/.bin && echo 'test -f "$1"' > node_modules/.bin/has`;
const runsOf = (project: TestProject): readonly string[] => {
  const file = join(project.place, "runs");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};
const slots = (project: TestProject) => runsOf(project).map((path) => path.split("/").slice(-3).join("/"));

async function createMission(asked: (project: TestProject) => Asked): Promise<TestProject> {
  const project = createTestProject({ ".gitignore": "node_modules/\n.env\n", "package-lock.json": "{}\n" });
  const { setup, files = {} } = asked(project);
  project.write({ ...files, ".harness/config.json": JSON.stringify({ setup }) });
  await project.must("init", "--yes");
  return project;
}
const usual = (project: TestProject): Asked => ({
  setup: { command: install(project), inputs: ["package-lock.json"] },
});
const validate = 'sh node_modules/.bin/has "$NAME.txt"';
const add = (project: TestProject, name: string) =>
  project.must("add", name, "--validate", validate.replace("$NAME", name), "--max-attempts", "2");
const run = (project: TestProject, agent: string, ...flags: readonly string[]) =>
  project.harness("run", "--trust-all", ...flags, "--agent-command", agent);
const writesItsFile =
  'case $(cat) in *"Task task-001"*) touch a.txt ;; *"Task task-002"*) touch b.txt ;; *) touch c.txt ;; esac';

test("A1, A4: a workspace and a proof are each set up once for any number of tasks; a changed lock file does it again", async () => {
  const project = await createMission(usual);
  await add(project, "a");
  await add(project, "b");
  const [before] = [project.checkout()];
  expect((await run(project, writesItsFile)).code).toBe(0);
  expect(slots(project)).toEqual(["lanes/0/work", "lanes/0/proof"]);
  await add(project, "c");
  expect((await run(project, 'touch c.txt; echo "{ }" > package-lock.json')).code).toBe(0);
  // Only what is judged has the other lock file.
  expect(slots(project)).toEqual(["lanes/0/work", "lanes/0/proof", "lanes/0/proof"]);
  expect(project.checkout()).toBe(before);
});

test("PR-9: neither an agent nor a test can plant anything in what set-up made: the next one does not find it", async () => {
  const project = await createMission(usual);
  await add(project, "a");
  const evil = "echo exit 0 > node_modules/.bin/has; echo exit 0 > node_modules/.bin/planted";
  const planted = "sh node_modules/.bin/planted || sh node_modules/.bin/has b.txt";
  await project.must("add", "b", "--validate", `${planted} && { ${evil}; }`, "--max-attempts", "2");
  await project.must(
    "add",
    "c",
    "--validate",
    "sh node_modules/.bin/planted || sh node_modules/.bin/has d.txt",
    "--max-attempts",
    "1",
  );
  const end = await run(project, `${writesItsFile}; ${evil}`);
  expect(end.code).toBe(11);
  const { stdout } = await project.must("tasks", "--json");
  const status = JSON.parse(stdout).map((task: { id: string; status: string }) => `${task.id} ${task.status}`);
  expect(status).toEqual(["task-001 completed", "task-002 completed", "task-003 failed"]);
  // The agent spoils the workspace each time, the second validation the proof: each is made anew, never used as it is.
  expect(slots(project).filter((slot) => slot === "lanes/0/proof")).toHaveLength(2);
});

test("A1: what an agent did to node_modules is gone in its next attempt, and the archive does not hold it", async () => {
  const project = await createMission(usual);
  await add(project, "a");
  const agent = `
if test -f node_modules/.bin/mine; then echo seen >> '${project.place}/seen'; touch a.txt; fi
if test -f '${project.place}/tried'; then touch a.txt; fi
touch node_modules/.bin/mine '${project.place}/tried'; echo half > half.txt`;
  expect((await run(project, agent)).code).toBe(0);
  expect(existsSync(join(project.place, "seen"))).toBe(false);
  expect(slots(project)).toEqual(["lanes/0/work", "lanes/0/proof"]);
  const archives = project.sh("find", join(project.place, "state"), "-path", "*archive*", "-name", "half.txt");
  expect(archives.split("\n")).toHaveLength(1);
  expect(project.sh("find", join(project.place, "state"), "-path", "*archive*", "-name", "node_modules")).toBe("");
});

test("E: a set-up that fails stops the run as ENV_SETUP with its output; mended, the next run goes on", async () => {
  const project = await createMission(() => ({
    setup: { command: "echo no such registry >&2; exit 7", inputs: ["package-lock.json"] },
  }));
  await add(project, "a");
  const end = await run(project, "touch a.txt");
  expect(end.code).toBe(10);
  expect(end.stdout + end.stderr).toContain("[ENV_SETUP] the set-up exited with 7: echo no such registry");
  expect(end.stderr).toContain("  | no such registry\n");
  expect(end.stderr).toContain("next: mend the cause, or change setup in .harness/config.json, then: harness run");
  expect(project.git("rev-list", "--count", `HEAD..${await project.branch()}`)).toBe("0");
  const task = JSON.parse((await project.must("tasks", "--json")).stdout)[0];
  expect(task).toMatchObject({ status: "pending", attempts: 0 });
  project.write({ ".harness/config.json": JSON.stringify({ setup: usual(project).setup }) });
  expect((await run(project, "touch a.txt")).code).toBe(0);
  const after = JSON.parse((await project.must("tasks", "--json")).stdout)[0];
  expect(after).toMatchObject({ status: "completed", attempts: 1 });
});

test("E: a set-up that takes too long is ended with all it started", async () => {
  const project = await createMission(() => ({ setup: { command: "sleep 600 & sleep 600", timeoutSeconds: 1 } }));
  await add(project, "a");
  const end = await run(project, "touch a.txt");
  expect(end.code).toBe(10);
  expect(end.stdout + end.stderr).toContain("the set-up took longer than 1 s");
  expect(project.processes()).toEqual([]);
});

test("A1: .env is shared with workspace and proof, and is in no candidate, no archive and not in the repository", async () => {
  const project = await createMission((made) => ({
    ...usual(made),
    setup: { ...usual(made).setup, share: [".env"], env: { MODE: "test" } },
    files: { ".env": "TOKEN=tok-4711\n" },
  }));
  await project.must("add", "a", "--validate", 'grep -q tok-4711 .env && test "$MODE" = test && test -f a.txt');
  expect(
    (await run(project, 'grep -q tok-4711 .env && test "$MODE" = test && git add -f .env && touch a.txt')).code,
  ).toBe(0);
  const branch = await project.branch();
  expect(project.git("ls-tree", "-r", "--name-only", branch).split("\n")).toEqual([
    ".gitignore",
    "a.txt",
    "package-lock.json",
  ]);
  const objects = project.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split("\n");
  const held = objects.map((id) => project.git("cat-file", "-p", id)).filter((text) => text.includes("TOKEN=tok-4711"));
  expect(held).toEqual([]);
  expect(readFileSync(join(project.root, ".env"), "utf8")).toBe("TOKEN=tok-4711\n");
});

test("A1: a shared path that leads out of the checkout is refused, and nothing of it is read", async () => {
  const project = await createMission((made) => {
    mkdirSync(join(made.place, "outside"));
    writeFileSync(join(made.place, "outside/key"), "secret\n");
    made.sh("ln", "-s", join(made.place, "outside"), "node_modules");
    return { setup: { share: ["node_modules/key"] } };
  });
  await add(project, "a");
  const end = await run(project, "touch a.txt");
  expect([end.code, end.stdout + end.stderr]).toEqual([
    10,
    expect.stringContaining("setup.share: node_modules/key is a link, or lies behind one"),
  ]);
});

test("A1: two lanes have ports of their own, each the same for agent and validation", async () => {
  const project = await createMission(() => ({ setup: { ports: ["PORT", "DB_PORT"] } }));
  const agent = 'echo "$PORT $DB_PORT" > "$HARNESS_TASK_ID.txt"; echo "$HARNESS_LANE $PORT $DB_PORT" >> \'LOG\'';
  for (const id of ["task-001", "task-002", "task-003", "task-004"])
    await project.must("add", id, "--validate", `test "$PORT $DB_PORT" = "$(cat ${id}.txt)"`);
  const log = join(project.place, "log");
  expect((await run(project, agent.replace("LOG", log), "--lanes", "2")).code).toBe(0);
  const lines = [...new Set(readFileSync(log, "utf8").trim().split("\n"))].sort();
  const ports = lines.flatMap((line) => line.split(" ").slice(1));
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["0", "1"]);
  expect(new Set(ports).size).toBe(4);
  expect(ports.every((port) => Number(port) >= 20_000 && Number(port) < 30_000)).toBe(true);
});

test("T: a set-up that came with the project is not run before somebody accepted it; one changed character asks again", async () => {
  const project = await createMission(usual);
  await add(project, "a");
  const refused = await project.harness("run", "--agent-command", "touch a.txt");
  expect([refused.code, runsOf(project)]).toEqual([8, []]);
  expect(refused.stderr).toContain("setup of .harness/config.json");
  const hash = /--trust ([0-9a-f]+)/.exec(refused.stderr)?.[1] ?? "";
  project.write({ ".harness/config.json": JSON.stringify({ setup: { ...usual(project).setup, env: { A: "b" } } }) });
  expect((await project.harness("run", "--trust", hash, "--agent-command", "touch a.txt")).code).toBe(8);
  expect(runsOf(project)).toEqual([]);
});

test("A1, V1: killed in the middle of a set-up, the next run sets up again, from a clean slot", async () => {
  const project = await createMission((made) => ({
    setup: {
      command:
        `test ! -e node_modules/half || exit 9; ${install(made)}; mkdir -p node_modules/half; ` +
        `if mkdir '${made.place}/once' 2>/dev/null; then echo waiting; sleep 600; fi`,
      inputs: ["package-lock.json"],
    },
  }));
  await add(project, "a");
  const running = project.start(["run", "--trust-all", "--agent-command", "touch a.txt"]);
  while (!existsSync(join(project.place, "once"))) await new Promise((resolve) => setImmediate(resolve));
  running.process.kill("SIGKILL");
  await running.ended;
  expect((await run(project, "touch a.txt")).code).toBe(0);
  expect(slots(project)).toEqual(["lanes/0/work", "lanes/0/work", "lanes/0/proof"]);
  expect(project.processes()).toEqual([]);
  expect(project.sh("find", join(project.place, "state"), "-path", "*archive*", "-name", "node_modules")).toBe("");
});

test("A1, L4: an outside worker is told its variables and ports, finds its workspace set up, and is judged with the same", async () => {
  const project = await createMission((made) => ({
    ...usual(made),
    setup: { ...usual(made).setup, env: { MODE: "test" }, ports: ["PORT"] },
  }));
  project.env.HARNESS_WORKER_ID = "w";
  await project.must("add", "a", "--validate", 'test "$PORT $MODE" = "$(cat a.txt)" && sh node_modules/.bin/has a.txt');
  const claim = JSON.parse((await project.must("claim", "--trust-all")).stdout);
  expect(claim.env).toEqual({ MODE: "test", PORT: expect.stringMatching(/^2\d{4}$/) });
  expect(existsSync(join(claim.workspace, "node_modules/.bin/has"))).toBe(true);
  writeFileSync(join(claim.workspace, "a.txt"), `${claim.env.PORT} test\n`);
  const done = await project.harness("done", claim.task_id);
  expect([done.code, slots(project)]).toEqual([0, ["lanes/0/work", "lanes/0/proof"]]);
});
