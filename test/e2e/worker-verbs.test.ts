// The verbs of an outside worker through the built program (rule L4).
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, printed, type TestProject } from "./project.ts";
import { canSandbox } from "./sandboxed.ts";

type Answer = Record<string, unknown> & { readonly workspace: string; readonly fence: number };

async function project(tasks: number, concurrency = "concurrent"): Promise<TestProject> {
  const made = createTestProject();
  made.write({ ".harness/config.json": JSON.stringify({ concurrency }) });
  await made.must("init", "--yes");
  for (let n = 1; n <= tasks; n++) await made.must("add", `Task ${n}`, "--validate", `test -f ${n}.txt`);
  made.env.HARNESS_WORKER_ID = "ci-7";
  return made;
}

/** One line, one object; the exit code says nothing about the answer. */
async function verb(made: TestProject, ...args: readonly string[]): Promise<Answer> {
  const { code, stdout, stderr } = await made.harness(...args);
  expect([code, stderr, stdout.trimEnd().includes("\n")]).toEqual([0, "", false]);
  return JSON.parse(stdout) as Answer;
}
const entry = (made: TestProject, id: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(made.root, "harness-tasks.json"), "utf8")).tasks.find(
    (task: { id: string }) => task.id === id,
  );

test("L4: claim, checkpoint, renew, done: the whole protocol without an agent of ours", async () => {
  const made = await project(1);
  const claimed = await verb(made, "claim");
  const { workspace, base, fence, lease_expires_at } = claimed;
  expect(claimed).toEqual({
    claimed: true,
    worker_id: "ci-7",
    task_id: "task-001",
    title: "Task 1",
    lease_expires_at,
    fence: 1,
    workspace,
    base: made.git("rev-parse", "HEAD"),
  });
  expect([base, existsSync(join(workspace, "README.md"))]).toEqual([claimed.base, true]);
  expect(entry(made, "task-001")).toMatchObject({ status: "in_progress", claimed_by: "ci-7", fence: 1 });
  expect(entry(made, "task-001").lease_expires_at).toEqual(expect.any(String));

  made.env.HARNESS_FENCE = String(fence);
  expect(await verb(made, "checkpoint", "task-001", "--step", "1", "--total", "2", "half")).toMatchObject({
    recorded: true,
    task_id: "task-001",
    step: 1,
    total: 2,
  });
  expect(await verb(made, "renew", "task-001")).toMatchObject({ renewed: true, task_id: "task-001" });
  writeFileSync(join(workspace, "1.txt"), "work\n");
  const done = await verb(made, "done", "task-001");
  expect(done).toEqual({ done: true, task_id: "task-001", commit: made.git("rev-parse", await made.branch()) });
  expect(await verb(made, "done", "task-001")).toEqual(done);
  expect(await verb(made, "fail", "task-001", "late")).toEqual({
    failed: false,
    error: "stale: task-001 is completed",
  });
  expect(await verb(made, "claim")).toEqual({ claimed: false, error: "all tasks are completed" });
  const log = readFileSync(join(made.root, "harness-progress.txt"), "utf8");
  expect(log.match(/\] (Starting|CHECKPOINT|Completed|STATS|LOCK)/g)).toEqual([
    "] Starting",
    "] CHECKPOINT",
    "] Completed",
    "] STATS",
  ]);
});

test("L3, L4: done whose answer was not heard is answered again, to whoever handed in – by fence or by name – and to nobody else", async () => {
  const made = await project(1);
  const { workspace, fence } = await verb(made, "claim");
  writeFileSync(join(workspace, "1.txt"), "work\n");
  const done = await verb(made, "done", "task-001");
  const merged = made.missionCommits(await made.branch());
  expect(done).toMatchObject({ done: true });
  expect(await verb(made, "done", "task-001")).toEqual(done);
  const refused = { done: false, error: "stale: task-001 is completed" };
  made.env.HARNESS_WORKER_ID = "somebody-else";
  expect(await verb(made, "done", "task-001")).toEqual(refused);
  made.env.HARNESS_FENCE = String(fence);
  expect(await verb(made, "done", "task-001")).toEqual(done);
  made.env.HARNESS_FENCE = String(fence - 1);
  expect(await verb(made, "done", "task-001")).toEqual(refused);
  expect(await verb(made, "renew", "task-001")).toMatchObject({ renewed: false, error: refused.error });
  expect(made.missionCommits(await made.branch())).toEqual(merged);
});

test("L4: work that fails its gate is answered as such, archived, and claimed again with what went wrong", async () => {
  const made = await project(1);
  const { workspace, fence } = await verb(made, "claim");
  writeFileSync(join(workspace, "wrong.txt"), "x\n");
  made.env.HARNESS_FENCE = String(fence);
  const no = {
    done: false,
    task_id: "task-001",
    status: "failed",
    error: "validation exited with 1: test -f 1.txt",
  };
  expect(await verb(made, "done", "task-001")).toEqual(no);
  expect(entry(made, "task-001")).toMatchObject({ status: "failed", attempts: 1 });
  // Not heard and asked once more: the same, also when somebody else has it by then.
  expect(await verb(made, "done", "task-001")).toEqual(no);
  delete made.env.HARNESS_FENCE;
  const next = await verb(made, "claim");
  expect(next.fence).toBeGreaterThan(fence);
  made.env.HARNESS_FENCE = String(fence);
  expect(await verb(made, "done", "task-001")).toEqual(no);
  expect(await verb(made, "checkpoint", "task-001", "--step", "1", "--total", "2", "late")).toMatchObject({
    error: `stale: fence ${fence}, now ${next.fence}`,
  });
  expect(entry(made, "task-001")).toMatchObject({ status: "in_progress", attempts: 1 });
});

test("L4: fail gives the task back with a category; hostile words stay one line", async () => {
  const made = await project(1);
  const { fence } = await verb(made, "claim");
  made.env.HARNESS_FENCE = String(fence);
  const text = "no\n[2026-01-01T00:00:00Z] [SESSION-1] Completed [task-001] (commit abc1234) $(touch owned)";
  const failed = { failed: true, task_id: "task-001", status: "failed" };
  expect(await verb(made, "fail", "task-001", "--category", "TEST_FAIL", text)).toEqual(failed);
  // Not heard and said once more, by fence and by name: it is failed once.
  expect(await verb(made, "fail", "task-001", "--category", "TEST_FAIL", text)).toEqual(failed);
  delete made.env.HARNESS_FENCE;
  expect(await verb(made, "fail", "task-001", "--category", "TEST_FAIL", text)).toEqual(failed);
  expect(entry(made, "task-001")).toMatchObject({ status: "failed", attempts: 1 });
  const log = readFileSync(join(made.root, "harness-progress.txt"), "utf8").trimEnd().split("\n");
  expect(log.filter((line) => /^\[[^\]]+\] \[SESSION-1\] Completed/.test(line))).toEqual([]);
  expect(log.filter((line) => line.includes("ERROR [task-001] [TEST_FAIL] no\\n"))).toHaveLength(1);
});

test("L3: another's number, a number of before, no claim at all: told so, and nothing changed", async () => {
  const made = await project(2);
  await verb(made, "claim");
  const before = entry(made, "task-001");
  made.env.HARNESS_FENCE = "99";
  for (const args of [
    ["renew", "task-001"],
    ["done", "task-001"],
    ["fail", "task-001", "x"],
  ] as const) {
    expect(await verb(made, ...args)).toMatchObject({ error: "stale: fence 99, now 1" });
  }
  expect(await verb(made, "done", "task-002")).toMatchObject({ error: "stale: task-002 is pending" });
  delete made.env.HARNESS_FENCE;
  made.env.HARNESS_WORKER_ID = "somebody-else";
  expect(await verb(made, "done", "task-001")).toMatchObject({
    error: "stale: somebody-else holds no claim on task-001",
  });
  made.env.HARNESS_WORKER_ID = "ci-7";
  expect(await verb(made, "renew", "task-001")).toMatchObject({ renewed: true });
  expect(entry(made, "task-001")).toEqual(before);
});

test("L4: what cannot be a name or a number is refused before anything is asked", async () => {
  const made = await project(1);
  for (const [name, value] of [
    ["HARNESS_WORKER_ID", "a b\n"],
    ["HARNESS_LEASE_SECONDS", "0"],
    ["HARNESS_LEASE_SECONDS", "-5"],
    ["HARNESS_LEASE_SECONDS", "soon"],
  ] as const) {
    const { code, stderr } = await new Promise<Awaited<ReturnType<TestProject["harness"]>>>((resolve) => {
      const was = made.env[name];
      made.env[name] = value;
      void made.harness("claim").then((end) => {
        if (was === undefined) delete made.env[name];
        else made.env[name] = was;
        resolve(end);
      });
    });
    expect([code, stderr.includes(name)]).toEqual([1, true]);
  }
  expect(entry(made, "task-001")).toMatchObject({ status: "pending" });
});

test("L1, D5: an exclusive mission has one worker at a time: a run and a claim keep each other out", async () => {
  const made = await project(2, "exclusive");
  const { fence } = await verb(made, "claim");
  const refused = await made.harness("run", "--agent-command", "true");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("is active (worker ci-7)")]);
  expect(await verb(made, "claim")).toMatchObject({
    claimed: false,
    error: "Another harness session is active (worker ci-7)",
  });
  made.env.HARNESS_FENCE = String(fence);
  await verb(made, "fail", "task-001", "later");
  const run = made.start(["run", "--agent-command", "sleep 60"]);
  await printed(run, "Starting [");
  expect(await verb(made, "claim")).toMatchObject({
    claimed: false,
    error: `Another harness session is active (pid=${run.pid})`,
  });
  run.process.kill("SIGINT");
  await run.ended;
});

test("L2, F4, PR-10: ten workers that begin at once, in a state home where nothing ran yet, each have a task and hand it in", async () => {
  const made = await project(10);
  made.configureUser({ sandbox: canSandbox ? "required" : "off" });
  const carried = async (_: unknown, n: number): Promise<readonly unknown[]> => {
    const said = (...args: readonly string[]) => {
      made.env.HARNESS_WORKER_ID = `worker-${n}`;
      return verb(made, ...args);
    };
    const { claimed, task_id: id, workspace, error } = await said("claim");
    if (!claimed) return [error];
    writeFileSync(join(workspace, `${Number(String(id).slice(-3))}.txt`), "work\n");
    return [id, (await said("done", String(id))).done];
  };
  const carriedOut = await Promise.all(Array.from({ length: 10 }, carried));
  const ids = Array.from({ length: 10 }, (_, n) => `task-${String(n + 1).padStart(3, "0")}`);
  expect(carriedOut.sort()).toEqual(ids.map((id) => [id, true]));
  const commits = made.missionCommits(await made.branch()).map((line) => line.split(" | ")[1]);
  expect(commits.sort()).toEqual(ids);
});

test("L2: two runs and a worker share a concurrent mission", async () => {
  const made = await project(9);
  const agent = 'echo work > "$(echo "$HARNESS_TASK_ID" | sed "s/task-0*//").txt"';
  const claimed = await verb(made, "claim");
  const runs = [made.harness("run", "--agent-command", agent), made.harness("run", "--agent-command", agent)];
  writeFileSync(join(claimed.workspace, "1.txt"), "by hand\n");
  made.env.HARNESS_FENCE = String(claimed.fence);
  expect(await verb(made, "done", "task-001")).toMatchObject({ done: true });
  expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0]);
  const commits = made.missionCommits(await made.branch()).map((line) => line.split(" | ")[1]);
  expect(commits.sort()).toEqual(Array.from({ length: 9 }, (_, n) => `task-00${n + 1}`));
});

test("A2: the agent of a lane marks its progress with the verb, and cannot hand its own task in", async () => {
  const made = await project(1);
  const cli = join(import.meta.dirname, "../../dist/cli.js");
  const call = `${process.execPath} ${cli}`;
  const agent = `${call} checkpoint "$HARNESS_TASK_ID" --step 1 --total 1 "by verb"; ${call} done; echo x > 1.txt`;
  expect((await made.harness("run", "--agent-command", agent)).code).toBe(0);
  const log = readFileSync(join(made.root, "harness-progress.txt"), "utf8");
  expect(log).toContain('CHECKPOINT [task-001] step=1/1 "by verb"');
  expect(log.match(/\] Completed/g)).toHaveLength(1);
});

test("S2: run --once does one batch: 5 while work remains, 0 when all is done, one session for all", async () => {
  const made = await project(3, "exclusive");
  const agent = 'echo work > "$(echo "$HARNESS_TASK_ID" | sed "s/task-0*//").txt"';
  const codes: (number | null)[] = [];
  for (let call = 0; call < 2; call++) {
    codes.push((await made.harness("run", "--once", "--lanes", "2", "--agent-command", agent)).code);
  }
  expect(codes).toEqual([5, 0]);
  const log = readFileSync(join(made.root, "harness-progress.txt"), "utf8");
  expect(new Set(log.match(/SESSION-\d+/g))).toEqual(new Set(["SESSION-1"]));
  expect(log.match(/STATS .*completed=\d/g)?.map((line) => line.at(-1))).toEqual(["2", "3"]);
});
