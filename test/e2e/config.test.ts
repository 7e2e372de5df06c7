// What a run says of the configuration it finds, and what it refuses to pass over.
import { expect, test } from "vitest";
import { locateProject, openMission } from "../../src/compose.ts";
import { createTestProject, type TestProject, withoutBwrap } from "./project.ts";

const agent = ["run", "--agent-command", 'echo x > "$HARNESS_TASK_ID.txt"'];

async function createMission(project: Readonly<Record<string, unknown>> = {}): Promise<TestProject> {
  const made = createTestProject();
  made.write({ ".harness/config.json": JSON.stringify(project) });
  await made.must("init", "--yes");
  await made.must("add", "A", "--validate", "test -f task-001.txt");
  return made;
}

const configureUser = (project: TestProject, config: Readonly<Record<string, unknown>>): string =>
  project.configureUser(config);

const notes = (text: string) => text.split("\n").filter((line) => line.startsWith("note "));

test("CFG: a run names in one line what was configured and has no effect yet; --json keeps that off its output", async () => {
  const project = await createMission({ maxCostUsd: 5, timeouts: { worker: 60, validator: 60 }, lanes: 2 });
  configureUser(project, { notifications: { any: "thing" }, maxCostUsd: 4 });
  const end = await project.must(...agent, "--json");
  expect(JSON.parse(end.stdout).reason).toBe("completed");
  expect(notes(end.stderr)).toEqual([
    "note     a project may not loosen maxCostUsd: it asks for 5, 4 holds",
    "note     configured, but without effect yet: timeouts.validator, notifications",
  ]);
});

test("CFG: without such keys a run has nothing to say of them", async () => {
  const project = await createMission({ lanes: 2, views: { harnessLoop: false } });
  expect(notes((await project.must(...agent)).stderr)).toEqual([]);
});

test("CFG: limits that were configured after the mission began are said not to hold", async () => {
  const project = await createMission({ timeouts: { worker: 60 } });
  project.write({ ".harness/config.json": JSON.stringify({ timeouts: { worker: 30 }, limits: { maxSessions: 50 } }) });
  expect(notes((await project.must(...agent)).stderr)).toEqual([
    "note     limits hold as they were when the mission began, not as configured now: iterationTimeoutMs 60000",
  ]);
});

test("CFG, PR-10: a sandbox that is required and not to be had stops every run before anything is started", async () => {
  const project = await createMission();
  const file = configureUser(project, { sandbox: "required" });
  project.env.PATH = withoutBwrap(project);
  const end = await project.harness(...agent);
  expect(end).toEqual({
    code: 10,
    signal: null,
    stdout: "",
    stderr:
      `error: cannot run – ${file}: sandbox is "required", and there is none: bubblewrap is not installed\n` +
      '  next: install bubblewrap (apt-get install bubblewrap, dnf install bubblewrap …); or ask for "auto" or "off" there\n',
  });
  const located = await locateProject(project.root, project.env);
  const mission = located.ok ? await openMission(located.value, { env: project.env }) : located;
  if (!mission.ok) throw new Error(mission.failure.message);
  const ran = await mission.value.run({ lanes: 1, trust: { how: "all" } }, new AbortController().signal);
  await mission.value.close();
  expect(ran).toMatchObject({ started: false, failure: { kind: "env_setup", message: expect.stringContaining(file) } });
  expect((await project.must("logs")).stdout).not.toContain("Starting");
});

test("CFG: with sandbox off a run goes on and says that there is none, and by whose word", async () => {
  const project = await createMission();
  const file = configureUser(project, {});
  expect((await project.must(...agent)).stderr).toContain(
    `sandbox  none: the agent has all your rights on this machine (off, by ${file})\n`,
  );
});

test("CFG: parallelWorkers.max is how many lanes a run has", async () => {
  const project = await createMission({ parallelWorkers: { max: 3 } });
  expect((await project.must(...agent)).stderr).toContain("\nlanes    3\n");
  expect((await project.must(...agent, "--lanes", "2")).stderr).toContain("\nlanes    2\n");
});

test("CFG, K5: a task that is added has the configured validation and time limit, unless it says otherwise", async () => {
  const project = createTestProject();
  configureUser(project, { validation: { default: "make test", timeoutSeconds: 7 } });
  await project.must("init", "--yes");
  const added = async (...flags: readonly string[]) =>
    JSON.parse((await project.must("add", "A", "--json", ...flags)).stdout).validation;
  expect([
    await added(),
    await added("--validate", "true"),
    await added("--timeout", "9"),
    await added("--validate", "true", "--timeout", "9"),
  ]).toEqual([
    { command: "make test", timeoutMs: 7_000, quick: null },
    { command: "true", timeoutMs: 7_000, quick: null },
    { command: "make test", timeoutMs: 9_000, quick: null },
    { command: "true", timeoutMs: 9_000, quick: null },
  ]);
});

test("K5: a time limit for a validation that there is not is a usage error", async () => {
  const project = await createMission();
  expect(await project.harness("add", "B", "--timeout", "9")).toMatchObject({
    code: 1,
    stdout: "",
    stderr:
      "error: the task was not added – --timeout limits the validation, and there is none\n" +
      '  next: add --validate "command"\n',
  });
});
