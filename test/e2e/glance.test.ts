// `status` and `tasks` from the glance: the same answer as from the journal at every step, or the long way.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Glance } from "../../src/protocol/glance.ts";
import { createPipe } from "./pipes.ts";
import { cli, createTestProject, type TestProject } from "./project.ts";

const looks = [["status"], ["status", "--json"], ["tasks"], ["tasks", "--json"]] as const;

interface Look {
  readonly stdout: string;
  /** More than the first module was loaded. */
  readonly whole: boolean;
  /** Bytes read of each file. */
  readonly read: Readonly<Record<string, number>>;
}

async function look(project: TestProject, args: readonly string[]): Promise<Look> {
  const counts = join(project.place, "counts.json");
  project.env.NODE_OPTIONS = `--require ${join(import.meta.dirname, "count-files.cjs")}`;
  project.env.COUNT_FILES = counts;
  const { stdout } = await project.must(...args);
  delete project.env.NODE_OPTIONS;
  return { stdout, ...JSON.parse(readFileSync(counts, "utf8")) };
}

/** `--root` is a flag that no glance answers. */
const theLongWay = async (project: TestProject, args: readonly string[]): Promise<string> =>
  (await project.must("--root", project.root, ...args)).stdout;

/** What was printed, after it was seen to be the same both ways. */
async function sameBothWays(project: TestProject): Promise<readonly string[]> {
  const quick: string[] = [];
  for (const args of looks) {
    const { stdout, whole } = await look(project, args);
    expect([args, whole]).toEqual([args, false]);
    quick.push(stdout);
  }
  for (const [n, args] of looks.entries()) expect(await theLongWay(project, args)).toBe(quick[n]);
  return quick;
}

const homeOf = (project: TestProject): string => {
  const [id = ""] = readdirSync(join(project.place, "state"));
  return join(project.place, "state", id);
};

test("PR-22: over a mission, the glance prints at each step what the journal says", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  const shown = [await sameBothWays(project)];
  const step = async (...args: readonly string[]) => {
    await project.harness(...args);
    shown.push(await sameBothWays(project));
  };
  await step("add", "A\u001b[31m\u202e – ünïcode\nline", "--validate", "test -f a.txt");
  await step("add", "Red", "--validate", "false", "--max-attempts", "1", "--depends-on", "task-001");
  await step("add", "After", "--validate", "true", "--depends-on", "task-002");
  await step("pause");
  await step("resume");
  await step("edit", "task-001", "--title", "Another title");
  await step("run", "--agent-command", "echo a > a.txt");
  await step("edit", "task-002", "--title", "Renamed after it was logged");
  await step("retry", "task-002");
  expect(new Set(shown.map((outputs) => outputs.join())).size).toBe(shown.length);
  Glance.parse(JSON.parse(readFileSync(join(homeOf(project), "views/status.json"), "utf8")));
}, 600_000);

test("a plan longer than a page shows what wants attention, and how much more there is; JSON has all of it", async () => {
  const project = createTestProject();
  const task = (n: number) => ({ id: `t-${n}`, title: `T ${n}`, status: n === 70 ? "failed" : "pending", attempts: 3 });
  project.write({
    "harness-tasks.json": JSON.stringify({ version: 2, tasks: Array.from({ length: 80 }, (_, n) => task(n)) }),
  });
  await project.must("init", "--yes");
  const [text = "", json = "", lines = ""] = await sameBothWays(project);
  const shown = text.split("\n").filter((line) => /^\[[a-z]|^…/.test(line));
  expect(shown.length).toBe(51);
  expect([shown[0], shown[1], shown.at(-1)]).toEqual([
    "[failed] t-70: T 70 (3/3)",
    "[pending] t-0: T 0 (3/3)",
    "… and 30 more (harness tasks)",
  ]);
  expect(JSON.parse(json).tasks.length).toBe(80);
  expect(lines.split("\n").length).toBe(81);
});

test("while a run is on, and after it was killed, the glance knows whether its process lives", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "true");
  const began = createPipe(project.place, "began");
  const run = project.start(["run", "--agent-command", `echo > '${began.path}'; sleep 60`]);
  await began.heard();
  const settled = await untilGlanced(project, "in_progress");
  expect(settled).toContain("running on 1 lane");
  run.process.kill("SIGKILL");
  await run.ended;
  const { stdout, whole } = await look(project, ["status"]);
  expect([whole, stdout]).toEqual([false, expect.stringContaining(`its run is gone (pid=${run.pid})`)]);
  expect(await theLongWay(project, ["status"])).toBe(stdout);
  // Ends what the dead run left behind.
  await project.must("run", "--agent-command", "true");
});

/** A run's views follow its journal: asks until they do. */
async function untilGlanced(project: TestProject, text: string): Promise<string> {
  for (;;) {
    const { stdout, whole } = await look(project, ["status"]);
    if (!whole && stdout.includes(text)) return stdout;
  }
}

test("PR-22: a glance that lags behind the journal is never shown", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "true");
  const views = join(homeOf(project), "views");
  const old = join(project.place, "old");
  cpSync(views, old, { recursive: true, preserveTimestamps: true });
  await project.must("add", "B", "--validate", "true");
  rmSync(views, { recursive: true });
  cpSync(old, views, { recursive: true, preserveTimestamps: true });
  for (const args of looks) {
    const { stdout, whole } = await look(project, args);
    expect([whole, stdout]).toEqual([true, expect.stringContaining("task-002")]);
    rmSync(views, { recursive: true });
    cpSync(old, views, { recursive: true, preserveTimestamps: true });
  }
});

const troubles: Readonly<Record<string, (project: TestProject, home: string) => void>> = {
  "a transaction that a crash left half-way": (_, home) =>
    writeFileSync(join(home, "journal.db-journal"), "half of it"),
  "no glance": (_, home) => rmSync(join(home, "views"), { recursive: true }),
  "a cut-off glance": (_, home) => writeFileSync(join(home, "views/status.json"), '{"format":1,"he'),
  "a glance of another boot": (_, home) => rewrite(home, (glance) => ({ ...glance, boot: "another" })),
  "a glance of another format": (_, home) => rewrite(home, (glance) => ({ ...glance, format: 0 })),
  "a glance of another history": (_, home) =>
    rewrite(home, ({ head, ...glance }) => ({ ...glance, head: { ...head, hash: "0".repeat(64) } })),
  "an edited task file": ({ root }) => writeFileSync(join(root, "harness-tasks.json"), "{}"),
  "a task file written again": ({ root }) => utimesSync(join(root, "harness-tasks.json"), 1, 1),
  "a deleted task file": ({ root }) => rmSync(join(root, "harness-tasks.json")),
  "a shortened log": ({ root }) => writeFileSync(join(root, "harness-progress.txt"), ""),
  "a deleted marker": ({ root }) => rmSync(join(root, ".harness-active")),
  "a new configuration": ({ root }) => writeFileSync(join(root, ".harness/config.json"), "{}"),
  "a configuration of the user": ({ env }) => {
    mkdirSync(join(env.HOME ?? "", ".config/harness"), { recursive: true });
    writeFileSync(join(env.HOME ?? "", ".config/harness/config.json"), "{}");
  },
};

function rewrite(home: string, change: (glance: Glance) => unknown): void {
  const path = join(home, "views/status.json");
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")) as Glance)));
}

test("with anything odd the journal is asked, and the next look is quick again", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "true");
  const expected = (await look(project, ["tasks", "--json"])).stdout;
  for (const [what, cause] of Object.entries(troubles)) {
    cause(project, homeOf(project));
    const [first, second] = [await look(project, ["tasks", "--json"]), await look(project, ["tasks", "--json"])];
    expect([what, first.whole, first.stdout, second.whole, second.stdout]).toEqual([
      what,
      true,
      expected,
      false,
      expected,
    ]);
  }
  expect(existsSync(join(project.root, ".harness-active"))).toBe(true);
}, 600_000);

test("M2: the first module is small: everything else is loaded only when it is needed", () => {
  expect(statSync(cli).size).toBeLessThan(30_000);
});

test("M2: what status reads does not grow with the plan: neither the journal nor the task file is gone through", async () => {
  const readAt = async (size: number) => {
    const project = createTestProject();
    const task = (n: number) => ({ id: `t-${n}`, title: `T ${n}`, status: "pending" });
    const tasks = Array.from({ length: size }, (_, n) => task(n));
    project.write({ "harness-tasks.json": JSON.stringify({ version: 2, tasks }) });
    await project.must("init", "--yes");
    const { whole, read } = await look(project, ["status"]);
    const home = homeOf(project);
    expect([whole, read[join(project.root, "harness-tasks.json")]]).toEqual([false, undefined]);
    return { journal: read[join(home, "journal.db")] ?? 0, view: read[join(home, "views/status.json")] ?? 0 };
  };
  const [small, large] = [await readAt(100), await readAt(3_000)];
  // Two looks at the header, the schema, and one page per level of the tree of events.
  const page = 4_096;
  expect(small.journal).toBeLessThanOrEqual(200 + 3 * page);
  expect(large.journal).toBeLessThanOrEqual(200 + 4 * page);
  expect(large.view - small.view).toBeLessThan(500);
});
