// Outside workers drain a plan with nothing but the verbs, while one of them is killed and one sleeps past its lease.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { cli, createTestProject, type TestProject } from "../e2e/project.ts";
import { recordNumbers } from "../numbers.ts";

const tasks = process.env.HARNESS_CHAOS === undefined ? 40 : 1_000;
const leaseSeconds = 20;
const ids = Array.from({ length: tasks }, (_, index) => `task-${String(index + 1).padStart(4, "0")}`);

const plan = JSON.stringify({
  version: 2,
  session_config: { concurrency_mode: "concurrent", max_sessions: 1_000, max_tasks_per_session: 20 },
  tasks: ids.map((id, index) => ({
    id,
    title: `Make ${id}.txt`,
    status: "pending",
    depends_on: index % 5 === 4 ? [ids[index - 1]] : [],
    max_attempts: 10,
    validation: { command: `test -f ${id}.txt` },
  })),
});

interface Answer {
  readonly claimed?: boolean;
  readonly done?: boolean;
  readonly task_id?: string;
  readonly fence?: number;
  readonly error?: string;
}

class Worker {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly answers: Answer[] = [];
  readonly ended: Promise<unknown>;
  #waiting: (() => void)[] = [];

  constructor(project: TestProject, name: string, mode: "go" | "hold") {
    const env = { ...project.env, HARNESS_WORKER_ID: name, HARNESS_LEASE_SECONDS: String(leaseSeconds) };
    const script = join(import.meta.dirname, "outside-worker.mjs");
    this.child = spawn(process.execPath, [script, cli, project.root, mode], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void this.child.kill("SIGKILL"));
    this.ended = new Promise((resolve) => this.child.once("close", resolve));
    let rest = "";
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      this.answers.push(...lines.map((line) => JSON.parse(line) as Answer));
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  async says(what: (answer: Answer) => boolean): Promise<Answer> {
    for (;;) {
      const said = this.answers.find(what);
      if (said !== undefined) return said;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

test(
  "L2, L3, L4, PR-4: four outside workers drain a plan; one killed and one asleep past its lease lose and double nothing",
  async () => {
    const project = createTestProject();
    project.write({ "harness-tasks.json": plan });
    const [steady, other, victim, sleeper] = [
      new Worker(project, "steady", "go"),
      new Worker(project, "other", "go"),
      new Worker(project, "victim", "hold"),
      new Worker(project, "sleeper", "hold"),
    ];
    const [lost, slept] = await Promise.all([victim.says(isClaim), sleeper.says(isClaim)]);
    victim.child.kill("SIGKILL");
    sleeper.child.kill("SIGSTOP");
    // The others go on until somebody else has brought the sleeper's task to its end.
    await Promise.race([
      steady.says((answer) => answer.done === true && answer.task_id === slept.task_id),
      other.says((answer) => answer.done === true && answer.task_id === slept.task_id),
      Promise.all([steady.ended, other.ended]),
    ]);
    sleeper.child.stdin.write("go on\n");
    sleeper.child.kill("SIGCONT");
    const late = await sleeper.says((answer) => answer.done !== undefined && answer.claimed === undefined);
    expect([late.done, late.error?.startsWith("stale: ")]).toEqual([false, true]);
    await Promise.all([steady.ended, other.ended, sleeper.ended]);

    const { tasks: shown, stats } = JSON.parse((await project.must("status", "--json")).stdout) as Status;
    expect(shown.filter(({ status }) => status !== "completed")).toEqual([]);
    expect([stats.completed, stats.total]).toEqual([tasks, tasks]);
    const merged = project.missionCommits(await project.branch()).map((commit) => commit.split(" | ")[1]);
    expect(merged.sort()).toEqual([...ids].sort());
    // Everybody who was told "done" was the only one told so for that task.
    const told = [steady, other, sleeper].flatMap(({ answers }) =>
      answers.flatMap(({ done, task_id }) => (done === true ? [task_id ?? ""] : [])),
    );
    expect(new Set(told).size).toBe(told.length);
    expect([lost.task_id === slept.task_id, told.length >= tasks - 2]).toEqual([false, true]);
    recordNumbers(
      ["PR-4"],
      `${tasks} tasks drained by four outside workers, one killed, one asleep past its lease: each completed once, the sleeper refused`,
    );
  },
  tasks * 3_000 + 240_000,
);

const isClaim = ({ claimed }: Answer): boolean => claimed === true;

interface Status {
  readonly tasks: readonly { readonly status: string }[];
  readonly stats: { readonly completed: number; readonly total: number };
}
