// M7: many tasks on 1, 2, 4 and 8 lanes, against the same agents started by nothing but a loop.
//
// Once agents only – the real runtime and journal, workspaces that cost nothing – and once whole: the program itself,
// with private clones, gates and merges into one branch. Files that did not arrive are counted: one is one too many.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtInDrivers } from "../src/drivers/index.ts";
import { identifySelf } from "../src/kit/process-identity.ts";
import { createRedactor } from "../src/kit/redact.ts";
import { succeeded } from "../src/protocol/failure.ts";
import { nothingLeft } from "../src/protocol/left.ts";
import { OutputKeeping, Resources } from "../src/protocol/resources.ts";
import { Setup } from "../src/protocol/setup.ts";
import { Limits } from "../src/protocol/task.ts";
import { systemClock } from "../src/runtime/clock.ts";
import { createMemoryLock } from "../src/runtime/lock/memory-lock.ts";
import { limitsOf, roomFor } from "../src/runtime/machine.ts";
import { createMission } from "../src/runtime/mission.ts";
import { createOutputFiles } from "../src/runtime/output/output-files.ts";
import { unconfined } from "../src/runtime/unconfined.ts";
import { buildVariant } from "../src/runtime/variants.ts";
import { openSqliteStore } from "../src/stores/index.ts";
import type { Workspaces } from "../src/workspaces/workspace.ts";
import { type Measurement, type Options, quantile, type Row } from "./measure.ts";
import { cli } from "./plan.ts";

/** As long as the research's agents took; real ones take minutes, and every ratio is then nearer to 1. */
const agentSeconds = 0.5;
const agent = `sleep ${agentSeconds}; echo "$HARNESS_TASK_ID" > "$HARNESS_TASK_ID.txt"`;
/** Of the ideal: 95 % for agents alone, 60 % with git at four lanes. */
const goals = { agents: 1 / 0.95, git: 1 / 0.6 };

interface Sizes {
  readonly lanes: number;
  readonly tasks: number;
  readonly folder: string;
}
interface Measured {
  readonly ideal: number;
  readonly ours: number;
  readonly lost: number;
}

export const lanes: Measurement = {
  id: "M7",
  what: "lanes",
  async run({ quick, folder, say }: Options) {
    const fixed = Number(process.env.HARNESS_BENCH_TASKS ?? "0");
    const rounds = quick ? 1 : 2;
    const rows: Row[] = [];
    for (const count of [1, 2, 4, 8]) {
      const tasks = fixed > 0 ? fixed : count * (quick ? 4 : 12);
      const [agents, git]: [Measured[], Measured[]] = [[], []];
      for (let round = 1; round <= rounds; round++) {
        say(`M7: ${tasks} tasks on ${count} lanes, round ${round}`);
        const sizes = { lanes: count, tasks, folder: join(folder, `m7-${count}-${round}`) };
        const ideal = await agentsAlone(sizes);
        agents.push({ ideal, ours: await withoutGit(sizes), lost: 0 });
        git.push({ ideal, ...withGit(sizes) });
      }
      const size = `${tasks} tasks, ${count} lanes`;
      rows.push(rowOf("agents only", size, agents, goals.agents));
      rows.push(rowOf("with git, gates and merges", size, git, count === 4 ? goals.git : null));
    }
    return rows;
  },
};

function rowOf(work: string, size: string, measured: readonly Measured[], atMost: number | null): Row {
  const ratios = measured.map(({ ideal, ours }) => ours / ideal);
  const lost = measured.reduce((sum, each) => sum + each.lost, 0);
  const value = quantile(ratios, 0.5);
  return {
    id: "M7",
    work,
    size,
    floorMs: quantile(
      measured.map(({ ideal }) => ideal),
      0.5,
    ),
    subjectMs: quantile(
      measured.map(({ ours }) => ours),
      0.5,
    ),
    // No figure makes up for a lost file.
    value: lost > 0 ? Number.NaN : value,
    p10: Math.min(...ratios),
    p90: Math.max(...ratios),
    goal: atMost === null ? null : { atMost: Math.round(atMost * 100) / 100 },
    note: `${Math.round(100 / value)} % of the ideal${work.startsWith("agents") ? "" : `, ${lost} files lost`}`,
  };
}

/** The ideal: each lane starts the next agent when its last one has ended. */
async function agentsAlone({ lanes, tasks, folder }: Sizes): Promise<number> {
  const began = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = next++; n < tasks; n = next++) {
      const cwd = join(folder, `ideal/${n}`);
      mkdirSync(cwd, { recursive: true });
      await new Promise((resolve) => {
        const env = { PATH: process.env.PATH, HARNESS_TASK_ID: `task-${n}` };
        spawn("/bin/sh", ["-c", agent], { cwd, env, stdio: "ignore" }).once("close", resolve);
      });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return performance.now() - began;
}

async function withoutGit({ lanes, tasks, folder }: Sizes): Promise<number> {
  const store = await openSqliteStore({ path: join(folder, "journal.db") });
  let ids = 0;
  const mission = await createMission({
    integration: { mode: "branch", baseBranch: null, validation: null },
    lock: createMemoryLock(),
    views: () => ({ publish: async () => undefined, flush: async () => undefined, close: async () => undefined }),
    signals: { watch: () => ({ close: () => undefined }), clear: async () => undefined },
    project: { root: folder, facts: async () => ({ initScript: false, hash: null, what: [] }) },
    store,
    clock: systemClock,
    workspaces: nowhere(folder),
    notifier: { send: async () => undefined },
    driver: () => buildVariant("agent", builtInDrivers, { use: "command", options: { command: agent } }),
    gate: () => succeeded({ check: async () => ({ verdict: "pass", evidence: "" }) }),
    agent: "command",
    random: () => 0,
    processes: { self: identifySelf, isAlive: async () => false, endGroup: async () => undefined },
    confinement: unconfined,
    setup: Setup.parse({}),
    lanePorts: async () => succeeded({}),
    limits: limitsOf(Resources.parse({})),
    room: roomFor(folder, Resources.parse({})),
    output: createOutputFiles({
      home: folder,
      keeping: OutputKeeping.parse({}),
      redactor: createRedactor({ values: [] }),
      onTrouble: () => undefined,
    }),
    withheld: () => [],
    environment: (effect) => ({
      PATH: process.env.PATH ?? "",
      HARNESS_TASK_ID: effect.kind === "session.prepare" ? "" : effect.task,
    }),
    newId: () => `id-${ids++}`,
    redactor: createRedactor({ values: [] }),
  });
  const limits = Limits.parse({ maxTasksPerSession: tasks });
  await mission.submit({ type: "mission.create", mission: "m", branch: "harness/m", root: folder, limits });
  for (let n = 0; n < tasks; n++)
    await mission.submit({ type: "task.add", task: { title: `${n}`, validation: { command: "x", timeoutMs: 1_000 } } });
  const began = performance.now();
  const end = await mission.run({ lanes }, new AbortController().signal);
  const took = performance.now() - began;
  if (!end.started || end.reason !== "completed") throw new Error(`M7: ${JSON.stringify(end)}`);
  await store.close();
  return took;
}

/** Directories and ids, and nothing behind them. */
function nowhere(folder: string): Workspaces {
  let commits = 0;
  const id = (): string => `${++commits}`.padStart(40, "0");
  return {
    head: async () => succeeded(id()),
    async open({ slot }) {
      const path = join(folder, `lane-${slot}`);
      mkdirSync(path, { recursive: true });
      return succeeded({ merged: false, path, base: id() });
    },
    inspect: async () => succeeded({ uncommitted: true, commits: false, tree: "" }),
    collect: async () => succeeded(nothingLeft),
    commit: async () => succeeded({ commit: id(), parent: id() }),
    rebase: async () => {
      throw new Error("nothing is in conflict here");
    },
    prepare: async () => succeeded({ made: false }),
    proof: async ({ slot }) => succeeded({ path: join(folder, `lane-${slot}`), made: [] }),
    merge: async ({ candidate }) => succeeded({ merged: true, commit: candidate.commit }),
    archive: async ({ path }) => succeeded({ archive: path }),
    close: async () => succeeded(null),
    trial: async () => succeeded({ end: "current" }),
    catchUp: async () => succeeded(true),
    accept: async () => {
      throw new Error("there is no branch to bring work into");
    },
    drop: async () => {
      throw new Error("there is no branch to bring work into");
    },
  };
}

function withGit({ lanes, tasks, folder }: Sizes): { readonly ours: number; readonly lost: number } {
  const root = join(folder, "project");
  mkdirSync(root, { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    HARNESS_STATE_HOME: join(folder, "state"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
  const at = { cwd: root, env, encoding: "utf8", maxBuffer: 2 ** 28 } as const;
  const git = (...args: readonly string[]): string => execFileSync("git", args, at);
  git("init", "--quiet");
  git("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "commit", "-q", "--allow-empty", "-m", "base");
  const ids = Array.from({ length: tasks }, (_, n) => `task-${n}`);
  const plan = ids.map((id) => ({
    id,
    title: id,
    status: "pending",
    priority: "P1",
    depends_on: [],
    validation: { command: `test -f ${id}.txt`, timeout_seconds: 60 },
  }));
  const text = JSON.stringify({ version: 2, session_config: { max_tasks_per_session: tasks }, tasks: plan });
  writeFileSync(join(root, "harness-tasks.json"), text);
  execFileSync(process.execPath, [cli, "init", "--yes"], at);
  const args = [
    cli,
    "run",
    "--trust-all",
    "--sandbox",
    "off",
    "--lanes",
    `${lanes}`,
    "--agent-command",
    `cat > /dev/null; ${agent}`,
  ];
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, at);
  const ours = performance.now() - began;
  if (status !== 0) throw new Error(`M7: harness run → ${status}\n${stderr}`);
  const branch = git("for-each-ref", "--format=%(refname)", "refs/heads/harness/").trim();
  const there = new Set(git("ls-tree", "-r", "--name-only", branch).split("\n"));
  return { ours, lost: ids.filter((id) => !there.has(`${id}.txt`)).length };
}
