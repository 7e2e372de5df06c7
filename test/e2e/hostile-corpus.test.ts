// The whole corpus of hostile strings as titles and checkpoint texts of a real project.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostileStrings } from "../corpus/hostile-strings.ts";
import { recordGit } from "../git/recorded-git.ts";
import { createTestProject, type TestProject } from "./project.ts";

const isTitle = (text: string): boolean =>
  text.trim() !== "" && text.trim().length <= 500 && !/\p{Surrogate}/u.test(text);
const titles = hostileStrings.filter(isTitle);
const idOf = (place: number): string => `task-${String(place + 1).padStart(3, "0")}`;

function adopt(project: TestProject, chosen: readonly string[]): void {
  const tasks = chosen.map((title, place) => ({
    id: idOf(place),
    title,
    validation: { command: `test -f ${idOf(place)}.txt` },
  }));
  project.write({ "harness-tasks.json": JSON.stringify({ version: 2, tasks }) });
}
/** Printable, and one line per record. */
const isPlain = (text: string): boolean =>
  [...text].every((character) => character === "\n" || !/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(character));

test("PR-16, PR-17, F7: 300 and more hostile titles are adopted, listed, drawn and logged as plain text", async () => {
  expect(titles.length).toBeGreaterThanOrEqual(300);
  const project = createTestProject();
  adopt(project, titles);
  const shown = [
    await project.must("init", "--yes"),
    await project.must("tasks"),
    await project.must("status"),
    await project.must("tasks", "--graph", "tree"),
    await project.must("tasks", "--graph", "mermaid"),
    await project.must("tasks", "--graph", "dot"),
  ].map(({ stdout }) => stdout);
  expect(shown.map(isPlain)).toEqual(shown.map(() => true));
  expect(shown[1]?.split("\n").filter((line) => line.startsWith("[pending] ")).length).toBe(titles.length);
  const file = JSON.parse(readFileSync(join(project.root, "harness-tasks.json"), "utf8"));
  expect(file.tasks.map(({ title }: { title: string }) => title)).toEqual(titles.map((title) => title.trim()));
  expect(project.git("status", "--porcelain")).toBe("");
});

test("PR-16, PR-17: tasks with hostile titles are run for real: no canary, no forged line, no forged trailer", async () => {
  const some = titles.filter((_, place) => place % 12 === 0);
  const project = createTestProject();
  const recorded = recordGit(project.place);
  project.env.PATH = `${recorded.path}:${project.env.PATH}`;
  adopt(project, some);
  await project.must(
    "run",
    "--trust-all",
    "--lanes",
    "4",
    "--agent-command",
    'cat > brief; rm brief; echo x > "$HARNESS_TASK_ID.txt"',
  );
  // Our own paths and short words can hold a title by chance: "--git-dir=/tmp" is one of them.
  const told = recorded.calls().flatMap((args) => args.filter((arg) => !/^--(git-dir|work-tree)=/.test(arg)));
  expect(told.length).toBeGreaterThan(1_000);
  const long = some.map((title) => title.trim()).filter((title) => title.length > 5);
  expect(long.filter((title) => told.some((arg) => arg.includes(title)))).toEqual([]);
  const log = readFileSync(join(project.root, "harness-progress.txt"), "utf8");
  expect(isPlain(log)).toBe(true);
  expect(log.split("\n").filter((line) => / Completed \[/.test(line.slice(0, 60))).length).toBe(some.length);
  const branch = await project.branch();
  const trailers = project.git("log", "--format=%(trailers:key=Harness-Task,valueonly)", `HEAD..${branch}`);
  expect(
    trailers
      .split("\n")
      .filter((line) => line !== "")
      .sort(),
  ).toEqual(some.map((_, place) => idOf(place)));
  expect(project.git("ls-tree", "--name-only", branch).split("\n").sort()).toEqual(
    ["README.md", ...some.map((_, place) => `${idOf(place)}.txt`)].sort(),
  );
}, 600_000);

test("PR-17, A2: hostile checkpoint texts stay one line each and are told as they were", async () => {
  const texts = hostileStrings
    .filter((text) => !/[\n\r\p{Surrogate}]/u.test(text) && text.length <= 1_000)
    .filter((_, place) => place % 3 === 0);
  const project = createTestProject();
  project.commit({ "say.txt": texts.map((text) => `CHECKPOINT step=1/1 "${text}"\n`).join("") });
  await project.must("init", "--yes");
  await project.must("add", "Talk", "--validate", "true");
  await project.must("run", "--agent-command", "cat say.txt");
  const lines = readFileSync(join(project.root, "harness-progress.txt"), "utf8").trimEnd().split("\n");
  expect(lines.every(isPlain)).toBe(true);
  const marks = lines.filter((line) => /\] CHECKPOINT \[task-001\] step=1\/1 ".*"$/.test(line));
  expect(marks.length).toBe(texts.length);
}, 600_000);

test("PR-16: hostile words to every verb that takes some reach no git as an argument, and leave no canary", async () => {
  const project = createTestProject();
  const recorded = recordGit(project.place);
  project.env.PATH = `${recorded.path}:${project.env.PATH}`;
  await project.must("init", "--yes");
  await project.must("add", "Fine", "--validate", "test -f a.txt");
  await project.must("run", "--agent-command", "touch a.txt");
  const before = project.checkout();
  const words = hostileStrings.filter((text) => text.trim().length > 5 && !text.includes("\0") && text.length < 200);
  const verbs = ["accept", "open", "logs", "retry", "reset", "approve", "deny", "claim", "renew", "validate"]
    .map((verb) => [verb])
    .concat([
      ["trust", "accept"],
      ["trust", "revoke"],
      ["rescue", "show"],
      ["rescue", "restore"],
      ["rescue", "drop"],
      ["edit", "task-001", "--title"],
      ["done", "task-001", "--message"],
      ["fail", "task-001", "--message"],
    ]);
  const used = verbs.map((_, place) => words[(place * 37) % words.length] ?? "");
  const asked = recorded.calls().length;
  for (const [place, verb] of verbs.entries()) await project.harness(...verb, used[place] ?? "");
  const told = recorded.calls().slice(asked).flat();
  expect(used.filter((word) => told.some((arg) => arg.includes(word.trim())))).toEqual([]);
  expect(project.checkout()).toBe(before);
}, 600_000);
