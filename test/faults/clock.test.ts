// The wall clock is set, by hours and years, forwards and back, between commands and under a run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { locateProject, openMission } from "../../src/compose.ts";
import type { Recorded } from "../../src/protocol/event.ts";
import { createPipe } from "../e2e/pipes.ts";
import { createTestProject, type TestProject } from "../e2e/project.ts";
import { recordNumbers } from "../numbers.ts";
import { type Offset, type SteppedClock, withSteppedClock } from "./clock-step.ts";

const offsets: readonly Offset[] = ["+1y", "-1y", "+2d", "-2d", "+1h", "-1h"];
const zones = ["Asia/Kolkata", "America/New_York", "Pacific/Chatham", "UTC"];
let steps = 0;

interface Scene {
  readonly project: TestProject;
  readonly clock: SteppedClock;
}

function createScene(options: { readonly monotonic?: boolean } = {}): Scene {
  const project = createTestProject();
  const real = withSteppedClock(project.env, { folder: project.place, ...options });
  Object.assign(project.env, real.env);
  const step = (offset: Offset): void => {
    steps += 1;
    real.step(offset);
  };
  const stepCommand = (offset: Offset): string => {
    steps += 1;
    return real.stepCommand(offset);
  };
  return { project, clock: { ...real, step, stepCommand } };
}

async function eventsOf(project: TestProject): Promise<readonly Recorded[]> {
  const located = await locateProject(project.root, project.env, project.root);
  if (!located.ok) throw new Error(located.failure.message);
  const mission = await openMission(located.value, { env: project.env });
  if (!mission.ok) throw new Error(mission.failure.message);
  const events: Recorded[] = [];
  for await (const { event } of mission.value.events(0, AbortSignal.abort())) events.push(event);
  await mission.value.close();
  return events;
}

const ofType = <T extends Recorded["type"]>(events: readonly Recorded[], type: T) =>
  events.filter((event): event is Extract<Recorded, { type: T }> => event.type === type);

/** Neither the journal nor the log ever goes back, and the log is in UTC whatever the zone. */
async function expectTimeInOrder(project: TestProject): Promise<readonly Recorded[]> {
  const events = await eventsOf(project);
  const times = events.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const lines = readFileSync(join(project.root, "harness-progress.txt"), "utf8").trimEnd().split("\n");
  const stamps = lines.map((line) => /^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\] /.exec(line)?.[1] ?? line);
  expect(stamps).toEqual(stamps.toSorted());
  expect(stamps.length).toBeGreaterThan(3);
  return events;
}

test("PR-19: the clock and the time zone are set before every command: a mission comes to its end as ever", async () => {
  const { project, clock } = createScene();
  await project.must("init", "--yes");
  for (const [at, offset] of [...offsets, ...offsets.toReversed()].entries()) {
    clock.step(offset);
    project.env.TZ = zones[at % zones.length] ?? "UTC";
    if (at === 3) await project.must("pause");
    if (at === 8) await project.must("resume");
    await project.must("add", `T ${at}`, "--validate", "true");
    if (at === 6) await project.must("status");
  }
  clock.step("-2d");
  await project.must("run", "--agent-command", "echo done > done.txt; date > when.txt");
  const events = await expectTimeInOrder(project);
  expect(ofType(events, "task.completed").length).toBe(12);
  expect(ofType(events, "attempt.failed")).toEqual([]);
  expect(project.processes()).toEqual([]);
});

test("PR-19: the clock is set under agents and validations: nothing is timed out, each task takes one attempt", async () => {
  const { project, clock } = createScene();
  await project.must("init", "--yes");
  for (const [at, offset] of offsets.entries()) {
    const back = offsets[(at + 3) % offsets.length] ?? "+0";
    await project.must("add", `T ${at}`, "--validate", `${clock.stepCommand(back)} && test -f task-00${at + 1}.txt`);
    project.write({ [`../steps/task-00${at + 1}`]: clock.stepCommand(offset) });
  }
  const agent = [
    `echo 'CHECKPOINT step=1/2 "began"'`,
    `sh '${project.place}/steps'/"$HARNESS_TASK_ID" || exit 1`,
    `echo 'CHECKPOINT step=2/2 "stepped"'`,
    'echo x > "$HARNESS_TASK_ID.txt"',
  ].join("; ");
  await project.must("run", "--lanes", "2", "--agent-command", agent);
  const events = await expectTimeInOrder(project);
  expect(ofType(events, "attempt.failed")).toEqual([]);
  expect(ofType(events, "task.completed").length).toBe(6);
  expect(ofType(events, "agent.checkpointed").length).toBe(12);
});

for (const offset of ["-1y", "+1y"] as const) {
  test(`PR-19: a validation that never ends is timed out by its own limit although the clock went ${offset}`, async () => {
    const { project, clock } = createScene();
    await project.must("init", "--yes");
    const endless = `${clock.stepCommand(offset)}; exec tail -f /dev/null`;
    await project.must("add", "T", "--validate", endless, "--timeout", "1", "--max-attempts", "1");
    const end = await project.harness("run", "--agent-command", "echo x > x.txt");
    expect([end.code, end.stderr]).toEqual([11, expect.any(String)]);
    const events = await expectTimeInOrder(project);
    expect(ofType(events, "attempt.failed").map(({ failure }) => failure.kind)).toEqual(["timeout"]);
    expect(project.processes()).toEqual([]);
  });

  test(`PR-19: whether a run is alive is told by who it is, not when: the clock goes ${offset} meanwhile`, async () => {
    const { project, clock } = createScene();
    await project.must("init", "--yes");
    await project.must("add", "T", "--validate", "test -f x.txt");
    const began = createPipe(project.place, "began");
    const goOn = createPipe(project.place, "go-on");
    const agent = (text: string) => ["run", "--agent-command", text];
    const first = project.start(agent(`echo x > '${began.path}'; cat '${goOn.path}'`));
    await began.heard();
    clock.step(offset);
    const second = await project.harness(...agent("echo x > x.txt"));
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining(`${first.pid}`)]);
    first.process.kill("SIGKILL");
    await first.ended;
    clock.step(offset === "-1y" ? "+2d" : "-2d");
    await project.must(...agent("echo x > x.txt"));
    const events = await expectTimeInOrder(project);
    expect(ofType(events, "run.ended").map(({ reason }) => reason)).toEqual(["lost", "completed"]);
    expect(project.processes()).toEqual([]);
  });
}

for (const offset of ["-1y", "+1y"] as const) {
  test(`L2, PR-19: a clock that goes ${offset} neither ends the lease of a worker nor keeps it for ever`, async () => {
    const { project, clock } = createScene();
    project.write({ ".harness/config.json": JSON.stringify({ concurrency: "concurrent" }) });
    await project.must("init", "--yes");
    await project.must("add", "T", "--validate", "test -f x.txt");
    const verb = async (...args: readonly string[]) => JSON.parse((await project.must(...args)).stdout);
    Object.assign(project.env, { HARNESS_WORKER_ID: "w", HARNESS_LEASE_SECONDS: "3600" });
    const held = await verb("claim");
    clock.step(offset);
    expect(await verb("claim")).toEqual({ claimed: false, error: "nothing is ready now" });
    expect(await verb("renew", "task-001")).toMatchObject({ renewed: true });
    clock.step("+0");
    Object.assign(project.env, { HARNESS_LEASE_SECONDS: "1", HARNESS_FENCE: String(held.fence) });
    await verb("renew", "task-001");
    clock.step(offset);
    // The second passes by the clock that cannot be set.
    const until = process.hrtime.bigint() + 1_100_000_000n;
    while (process.hrtime.bigint() < until) await verb("status", "--json");
    expect(await verb("claim")).toMatchObject({ claimed: true, task_id: "task-001" });
    expect(await verb("done", "task-001")).toMatchObject({ done: false, error: expect.stringMatching(/^stale: /) });
    const events = await expectTimeInOrder(project);
    expect(ofType(events, "run.ended").map(({ reason }) => reason)).toContain("lapsed");
  });
}

test("PR-19: after a sleep of two days in the middle of a task, by every clock, the task is done in the end", async () => {
  const { project, clock } = createScene({ monotonic: true });
  await project.must("init", "--yes");
  await project.must("add", "T", "--validate", "test -f x.txt");
  const agent = `[ -f '${project.place}/slept' ] || { touch '${project.place}/slept'; ${clock.stepCommand("+2d")}; }; echo x > x.txt`;
  await project.must("run", "--agent-command", agent);
  const events = await expectTimeInOrder(project);
  expect(ofType(events, "task.completed").length).toBe(1);
  expect(project.processes()).toEqual([]);
});

afterAll(() => {
  recordNumbers(
    ["PR-19"],
    `${steps} steps of the wall clock between ±1 hour and ±1 year around and under real runs: no time went back, no limit came early or never`,
  );
});
