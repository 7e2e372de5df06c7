// Looking at a mission: tasks, graphs, log lines, the status, and what a shell completes.
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cli, createTestProject, printed } from "./project.ts";

const execute = promisify(execFile);

async function createFinishedMission() {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f a.txt");
  await project.must("add", "Red", "--validate", "false", "--max-attempts", "1", "--depends-on", "task-001");
  await project.must("add", "After", "--validate", "true", "--depends-on", "task-001,task-002");
  expect((await project.harness("run", "--agent-command", "echo a > a.txt")).code).toBe(11);
  return project;
}

test("N1, N2: logs are the lines of harness-progress.txt, all of them or one task's", async () => {
  const project = await createFinishedMission();
  const file = readFileSync(join(project.root, "harness-progress.txt"), "utf8");
  expect((await project.must("logs")).stdout).toBe(file);
  expect((await project.must("logs", "-n", "2")).stdout.split("\n").length).toBe(3);
  const one = (await project.must("logs", "task-002", "--log", "--lines=50")).stdout.trimEnd().split("\n");
  expect(one).toEqual(file.split("\n").filter((line) => line.includes(" [task-002] ")));
  expect(await project.harness("logs", "nobody")).toMatchObject({ code: 1, stdout: "" });
});

test("N3: status counts each task once and shows the last five lines of the log", async () => {
  const project = await createFinishedMission();
  const shown = (await project.must("status")).stdout.trimEnd().split("\n");
  expect(shown.slice(2, 5)).toEqual([
    "sandbox   none",
    expect.stringMatching(/^sessions {2}1, the last ended \d{4}-/),
    "tasks     3: 1 completed, 0 in progress, 0 pending, 1 failed, 1 blocked",
  ]);
  expect(shown.filter((line) => line.startsWith("[") && !line.startsWith("[2"))).toEqual([
    "[completed] task-001: A (1/3)",
    "[failed] task-002: Red (1/1)",
    "[blocked] task-003: After (0/3)",
  ]);
  const log = (await project.must("logs", "-n5")).stdout.trimEnd().split("\n");
  expect(shown.slice(-5)).toEqual(log);
  expect(JSON.parse((await project.must("status", "--json")).stdout).log).toEqual(log);
});

test("logs --follow shows what happens as it happens, and ends well when asked to", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f a.txt");
  const follower = project.start(["logs", "--follow", "-n", "1"]);
  await printed(follower, "INIT ");
  const released = printed(follower, "LOCK released");
  const ran = await project.must("run", "--agent-command", "echo a > a.txt");
  await released;
  follower.process.kill("SIGINT");
  const end = await follower.ended;
  expect(end).toMatchObject({ code: 0, stderr: "" });
  expect(end.stdout).toMatch(/^\[[^\]]+\] \[SESSION-1\] INIT Harness initialized for project .*\n/);
  expect(end.stdout.replace(/^.*\n/, "")).toBe(ran.stdout);
});

test("a follower whose reader leaves ends by itself", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  const errors = join(project.place, "stderr");
  const follow = `{ '${process.execPath}' '${cli}' logs --follow 2> '${errors}'; echo "exit code $?" >> '${errors}'; }`;
  let over = false;
  const piped = execute("sh", ["-c", `${follow} | head -n 1`], { cwd: project.root, env: project.env }).finally(() => {
    over = true;
  });
  // Each of these is a line that nobody reads any more; the first one that cannot be written ends it.
  while (!over) {
    await project.must("pause");
    await project.must("resume");
  }
  await piped;
  expect(readFileSync(errors, "utf8")).toBe("exit code 0\n");
});

test("tasks shows the plan as lines, as data and as graphs", async () => {
  const project = await createFinishedMission();
  expect((await project.must("tasks", "--status", "failed")).stdout).toMatch(/^\[failed\] task-002: Red \(1\/1\)\n/);
  expect(JSON.parse((await project.must("tasks", "--json", "--status=blocked")).stdout)).toMatchObject([
    { id: "task-003" },
  ]);
  expect((await project.must("tasks", "--graph", "tree")).stdout.split("\n")).toEqual([
    "✓ task-001: A (1/3)",
    "├─ ✗ task-002: Red (1/1)",
    "│  └─ ⊘ task-003: After (0/3)",
    "└─ ↑ task-003",
    "",
  ]);
  expect((await project.must("tasks", "--graph=mermaid")).stdout).toMatch(/^flowchart TD\n {2}n0\["task-001: A"\]/);
  expect((await project.must("tasks", "--graph=dot")).stdout).toContain('  "task-002" -> "task-003";');
});

test("help --all shows every command, each with examples, and bash completes them", async () => {
  const project = createTestProject();
  const help = (await project.must("help", "--all")).stdout;
  const names = [...(help.split("Commands:")[1]?.matchAll(/^ {2}(\w+)/gm) ?? [])].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(15);
  for (const name of names) expect((await project.must("help", name)).stdout).toMatch(/Examples:\n {2}.*harness/);
  expect((await project.must("help", "rescue", "restore")).stdout).toContain("Usage: harness rescue");
  const script = (await project.must("completion", "bash")).stdout;
  const complete = (...words: readonly string[]): readonly string[] => {
    const array = words.map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(harness ${array}); COMP_CWORD=${words.length}; _harness; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const text = execFileSync("bash", ["-c", `${script}\n${ask}`], { encoding: "utf8" });
    return text.split("\n").filter((word) => word !== "");
  };
  expect(complete("re")).toEqual(["resume", "retry", "reset", "rescue", "renew"]);
  expect(complete("rescue", "re")).toEqual(["restore"]);
  expect(complete("tasks", "--graph", "")).toEqual(["tree", "mermaid", "dot"]);
  expect(complete("add", "x", "--pri")).toEqual(["--priority"]);
  expect(complete("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
  expect(complete("add", "--validate", "")).toEqual([]);
});

test("I1: brief shows what the agent of a task would be given now, as it was given, and how long its parts are", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f a.txt", "--description", "All \u001b[2J of it.");
  const first = await project.must("brief", "task-001");
  const given = join(project.place, "given");
  await project.harness("run", "--once", "--agent-command", `cat > '${given}'; exit 3`);
  const { parts, characters, iteration } = JSON.parse((await project.must("brief", "task-001", "--json")).stdout);
  const texts = parts.map(({ text }: { text: string }) => text);
  expect([iteration, parts.map(({ name }: { name: string }) => name)]).toEqual([
    1,
    ["role", "task", "description", "check", "last attempt"],
  ]);
  expect(texts.slice(0, -1).join("\n\n")).toBe(readFileSync(given, "utf8"));
  expect(first.stdout).toBe(`${readFileSync(given, "utf8").replace("\u001b", "\\x1b")}\n`);
  const sizes = [...first.stderr.matchAll(/^ {2}(\S.*?) +(\d+)$/gm)].map(([, name, size]) => [name, Number(size)]);
  expect(sizes).toEqual(
    parts.slice(0, -1).map((part: { name: string; characters: number }) => [part.name, part.characters]),
  );
  expect(characters).toBe(texts.join("").length);
  expect((await project.harness("brief", "task-9")).code).toBe(1);
});
