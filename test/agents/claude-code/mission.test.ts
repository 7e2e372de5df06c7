// Whole missions: the built program, its sandbox, and the real Claude Code with a scripted model.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "libsql";
import { expect, inject, test } from "vitest";
import { moneyText } from "../../../src/core/views/used.ts";
import { priceOf } from "../../../src/drivers/claude-code/prices.ts";
import type { Cost, Tokens } from "../../../src/protocol/account.ts";
import type { StatusView } from "../../../src/protocol/view.ts";
import { printed, type TestProject } from "../../e2e/project.ts";
import type { Usage } from "../mock-model/scenario.ts";
import { withClaudeCode } from "./user.ts";

async function asUser(scenario: string, config: object = {}) {
  const user = await withClaudeCode(scenario, undefined, config);
  await user.project.must("init", "--yes");
  return user;
}

test("B2: three tasks: files written by its own tools, checked, merged, and counted as the model counts", async () => {
  const { project, model } = await asUser("three-tasks");
  await project.must("add", "Write a", "--validate", "test -f a.txt");
  await project.must("add", "Write b", "--validate", "test -f b.txt", "--depends-on", "task-001");
  await project.must("add", "Join them", "--validate", "grep -q b c.txt", "--depends-on", "task-002");
  const { code, stdout, stderr } = await project.harness("run", "--agent", "claude-code");
  expect([code, `${stdout}${stderr}`.split("\n").find((line) => line.startsWith("agent"))]).toEqual([
    0,
    `agent    claude-code ${inject("claudeVersion")}: claude, does all it wants without asking, login api_key`,
  ]);
  const branch = project.git("for-each-ref", "--format=%(refname)", "refs/heads/harness/");
  expect(["a.txt", "b.txt", "c.txt"].map((file) => project.git("show", `${branch}:${file}`))).toEqual([
    "a",
    "b",
    "a\nb",
  ]);

  const { used, tasks } = JSON.parse((await project.must("status", "--json")).stdout) as StatusView;
  const answers = model.used;
  expect(tasks.map((task) => task.used.tokens)).toEqual(
    [answers.slice(0, 2), answers.slice(2, 4), answers.slice(4)].map(tokensIn),
  );
  expect({ ...used, usd: 0 }).toEqual({ turns: 6, tokens: tokensIn(answers), usd: 0, unknown: 0, lost: 0, open: 0 });
  const agents = tasks.map(({ agent }) => agent);
  const [agent] = agents;
  expect(agents).toEqual(Array(3).fill({ name: "claude-code", version: inject("claudeVersion"), model: agent?.model }));

  const price = priceOf(agent?.model ?? "");
  const byTable =
    answers.reduce(
      (sum, { input, output, cacheRead, cacheWrite }) =>
        sum +
        input * (price?.input ?? Number.NaN) +
        output * (price?.output ?? Number.NaN) +
        cacheRead * (price?.cacheRead ?? Number.NaN) +
        cacheWrite * (price?.cacheWrite ?? Number.NaN),
      0,
    ) / 1_000_000;
  const itsOwn = costsOf(project);
  expect(itsOwn.map(({ basis }) => basis)).toEqual(["reported", "reported", "reported"]);
  const reported = itsOwn.reduce((sum, cost) => sum + (cost.basis === "unknown" ? Number.NaN : cost.usd), 0);
  expect([used.usd - byTable, used.usd - reported].map((off) => Math.abs(off) < 0.01)).toEqual([true, true]);
  expect(used.usd).toBeCloseTo(byTable, 9);
  const transcript = (await project.must("logs", "task-001")).stdout.split("\n");
  expect(transcript).toEqual([
    "── attempt 1, iteration 1",
    `version ${agent?.version}, model ${agent?.model}, permissions bypassPermissions`,
    "▸ Write  a.txt",
    "    + a",
    expect.stringMatching(/^ {2}⎿ File created successfully/),
    "done",
    `■ ended – 2 turns, 3.1k tokens, ${moneyText(tasks[0]?.used.usd ?? 0)}`,
    `[completed] task-001: Write a (1/3) ${moneyText(tasks[0]?.used.usd ?? 0)}`,
    "",
  ]);
  const raw = (await project.must("logs", "task-001", "--raw")).stdout.trimEnd().split("\n");
  expect([JSON.parse(raw[0] ?? "").subtype, JSON.parse(raw.at(-1) ?? "").type]).toEqual(["init", "result"]);
  expect(`${stdout}${stderr}`).toMatch(/^used: \d\.\dk tokens \(\d\.\dk of them cached\), \$0\.\d+$/m);
});

test("A2: its role is among its instructions, its task is what it is asked; model and effort are the role's", async () => {
  const config = { models: { worker: { model: "claude-haiku-4-5", effort: "low" } } };
  const { project, model } = await asUser("three-tasks", config);
  await project.must("add", "Write a", "--validate", "test -f a.txt");
  const { code, stdout, stderr } = await project.harness("run", "--agent", "claude-code");
  expect([code, `${stdout}${stderr}`]).toEqual([
    0,
    expect.stringContaining(": claude, model claude-haiku-4-5, effort low, "),
  ]);
  const { instructions = "", conversation = [] } = model.heard[0] ?? {};
  const asked = conversation.map(({ text }) => text).join("\n");
  const isRole = (text: string) => text.includes("You are working on one task of a larger mission");
  const isTask = (text: string) => text.includes("# Task task-001: Write a");
  expect([instructions, asked].map((text) => [isRole(text), isTask(text)])).toEqual([
    [true, false],
    [false, true],
  ]);
  const { tasks } = JSON.parse((await project.must("status", "--json")).stdout) as StatusView;
  expect(tasks[0]?.agent?.model).toContain("haiku");
});

test("B2, V1: what an agent used that was killed with its supervisor is unknown, and never nothing", async () => {
  const { project } = await asUser("killed");
  await project.must("add", "Write a", "--validate", "test -f a.txt");
  const used = async () => JSON.parse((await project.must("status", "--json")).stdout).used;
  const nothing = { turns: 0, tokens: { input: 0, cached: 0, output: 0 }, usd: 0 };
  const run = project.start(["run", "--agent", "claude-code"]);
  const follower = project.start(["logs", "--follow", "task-001"]);
  await printed(follower, "▸ Bash  tail");
  run.process.kill("SIGKILL");
  await run.ended;
  expect(await used()).toEqual({ ...nothing, unknown: 0, lost: 0, open: 1 });
  const { code, stdout, stderr } = await project.harness("run", "--agent", "claude-code");
  expect([code, await used()]).toEqual([0, { ...nothing, unknown: 1, lost: 1, open: 0 }]);
  expect(`${stdout}${stderr}`).toContain("\nused: unknown: 1 iteration did not tell\n");
  const followed = await follower.ended;
  expect([followed.code, followed.stdout.trimEnd().split("\n").at(-1)]).toEqual([
    0,
    "[completed] task-001: Write a (1/3)",
  ]);
});

test.for([
  ["bypassPermissions", "in a sandbox, where there is one", {}],
  ["acceptEdits", "in a sandbox, where there is one", {}],
  ["dontAsk", "without a sandbox", { sandbox: "off" }],
] as const)(
  "MCP1: it calls the tools of its attempt without asking, with permissions %s, %s",
  async ([permissionMode, , config]) => {
    const agent = { use: "claude-code", options: { permissionMode, args: ["--allowedTools", "Write"] } };
    const { project } = await asUser("tools", { agent, ...config });
    await project.must("add", "Write a", "--validate", "test -f a.txt");
    const { code, stdout } = await project.harness("run");
    expect([code, stdout.match(/(?<=\[SESSION-1\] )(?:WARN|CHECKPOINT) \[task-001\].*/g)]).toEqual([
      0,
      ["WARN [task-001] note: the parser is slow", 'CHECKPOINT [task-001] step=1/2 "half done"'],
    ]);
  },
);

/** Programs in the place of Claude Code. */
function standIn(project: TestProject, script: string): void {
  const file = join(project.place, "home/bin/claude");
  mkdirSync(dirname(file));
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  project.env.PATH = `${dirname(file)}:${project.env.PATH}`;
}
const isRoot = process.getuid?.() === 0;
const obstacles: readonly Obstacle[] = [
  {
    name: "no login",
    code: 8,
    why: "Claude Code is not logged in",
    prepare: ({ env }) => {
      env.ANTHROPIC_API_KEY = "";
    },
  },
  {
    name: "a version too old",
    code: 10,
    why: "Claude Code 1.0.128 is too old",
    prepare: (project) => standIn(project, "echo '1.0.128 (Claude Code)'"),
  },
  {
    name: "no program",
    code: 10,
    why: "Claude Code is not there: no program claude",
    prepare: ({ env }) => {
      env.PATH = (env.PATH ?? "").replace(`${dirname(inject("claude"))}:`, "");
    },
  },
  ...(isRoot
    ? [
        {
          name: "root without a sandbox",
          code: 10,
          why: "does not bypass permissions as root outside of a sandbox",
          prepare: (project: TestProject) => project.configureUser({ sandbox: "off" }),
        },
      ]
    : []),
];
interface Obstacle {
  readonly name: string;
  readonly code: number;
  readonly why: string;
  readonly prepare: (project: TestProject) => void;
}

test.for(obstacles)("E: $name is one clear line before anything starts", async ({ prepare, code, why }) => {
  const { project, model } = await asUser("works");
  await project.must("add", "Write a", "--validate", "test -f a.txt");
  const log = () => readFileSync(join(project.root, "harness-progress.txt"), "utf8");
  const before = log();
  prepare(project);
  const run = await project.harness("run", "--agent", "claude-code");
  expect([run.code, run.stdout, run.stderr.split("\n").filter((line) => line.startsWith("error:"))]).toEqual([
    code,
    "",
    [expect.stringContaining(why)],
  ]);
  expect([log(), model.asked()]).toEqual([before, 0]);
});

const tokensIn = (answers: readonly Usage[]): Tokens => ({
  input: answers.reduce((sum, { input, cacheWrite }) => sum + input + cacheWrite, 0),
  cached: answers.reduce((sum, { cacheRead }) => sum + cacheRead, 0),
  output: answers.reduce((sum, { output }) => sum + output, 0),
});

/** What the journal says that each iteration cost. */
function costsOf(project: TestProject): readonly Cost[] {
  const states = join(project.place, "state");
  const [state = ""] = readdirSync(states).filter((name) => existsSync(join(states, name, "journal.db")));
  const journal = new Database(join(states, state, "journal.db"), { readonly: true });
  try {
    const rows = journal.prepare("SELECT body FROM events WHERE type = 'iteration.ended' ORDER BY position").all();
    return rows.map((row) => JSON.parse((row as { body: string }).body).end.account.cost);
  } finally {
    journal.close();
  }
}
