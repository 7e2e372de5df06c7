// Whatever stands at the place of harness-tasks.json: a repair or one clear line, nothing lost, no hang.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { malformedTexts } from "../corpus/malformed.ts";
import { createTestProject, type TestProject } from "./project.ts";

const good =
  '{"version": 2, "tasks": [{"id": "task-001", "title": "One", "validation": {"command": "test -f one"}}]}\n';
const name = "harness-tasks.json";
const cut = good.slice(0, 40);

interface Case {
  readonly make: (file: string, project: TestProject) => unknown;
  /** 0: taken over, perhaps from the backup; otherwise the exit code of a refusal. */
  readonly code: 0 | 10;
  readonly says: string;
}
const refused = (make: Case["make"], says: string): Case => ({ make, code: 10, says });
const taken = (make: Case["make"], says = ""): Case => ({ make, code: 0, says });
/** One after the other, in an expression. */
const all = (...acts: readonly unknown[]): unknown => acts;
const sh = (command: string, cwd: string) => execFileSync("sh", ["-c", command], { cwd });

const cases: Readonly<Record<string, Case>> = {
  "a directory": refused((file) => mkdirSync(file), "is a directory, not a file"),
  "a directory with files": refused(
    (file) => mkdirSync(join(file, "a"), { recursive: true }),
    "is a directory, not a file",
  ),
  "a named pipe": refused((file) => sh(`mkfifo ${file}`, "/"), "is a named pipe, not a file"),
  "a socket": refused((file) => listen(file), "is a socket or device, not a file"),
  "a link to itself": refused((file) => symlinkSync(name, file), "ELOOP"),
  "a loop of two links": refused(
    (file, { root }) => all(symlinkSync(name, join(root, "other")), symlinkSync("other", file)),
    "ELOOP",
  ),
  "a dangling link": refused((file) => symlinkSync("nowhere", file), "is a link that leads nowhere"),
  "a link to an endless device": refused((file) => symlinkSync("/dev/zero", file), "is a device, not a file"),
  "100 GB of holes": refused(
    (file) => all(writeFileSync(file, ""), truncateSync(file, 100 * 2 ** 30)),
    "is larger than",
  ),
  "bytes that are no UTF-8": refused(
    (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x7b])),
    "is not UTF-8 text",
  ),
  "truncated, without a backup": refused((file) => writeFileSync(file, cut), "corrupted and unrecoverable"),
  "truncated, with a truncated backup": refused(
    (file) => all(writeFileSync(file, cut), writeFileSync(`${file}.bak`, cut)),
    "corrupted and unrecoverable",
  ),
  "truncated, with a backup that is a directory": refused(
    (file) => all(writeFileSync(file, cut), mkdirSync(`${file}.bak`)),
    "corrupted and unrecoverable",
  ),
  "truncated, with a good backup": taken(
    (file) => all(writeFileSync(file, cut), writeFileSync(`${file}.bak`, good)),
    "taken from harness-tasks.json.bak",
  ),
  "good, with a temporary file left behind": taken((file) =>
    all(writeFileSync(file, good), writeFileSync(`${file}.tmp`, good)),
  ),
  "good, with a temporary file that is a link out": taken((file) =>
    all(writeFileSync(file, good), symlinkSync("/etc/hostname", `${file}.tmp`)),
  ),
  "good, with a temporary file that is a directory": taken((file) =>
    all(writeFileSync(file, good), mkdirSync(`${file}.tmp`)),
  ),
  "good and read-only": taken((file) => all(writeFileSync(file, good), chmodSync(file, 0o400))),
};

test.for(Object.entries(cases))("F5, F7: %s", async ([, { make, code, says }]) => {
  const project = createTestProject();
  const file = join(project.root, name);
  await make(file, project);
  const before = look(file);
  const end = await project.harness("init", "--yes");
  expect([end.code, end.stdout + end.stderr]).toEqual([code, expect.stringContaining(says)]);
  if (code !== 0) {
    expect(end.stderr).toMatch(/^error: .*harness-tasks\.json[\s\S]*\n {2}next: /);
    expect(look(file)).toEqual(before);
    expect(existsSync(join(project.root, ".harness"))).toBe(false);
  } else {
    expect((await project.must("tasks", "--json")).stdout).toContain("task-001");
    expect(JSON.parse(readFileSync(file, "utf8")).tasks[0].title).toBe("One");
  }
});

/** What is there, without opening what must not be opened. */
function look(file: string): unknown {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  const content = stats?.isFile() && stats.size < 1_000_000 ? readFileSync(file, "utf8") : null;
  return [stats?.mode, stats?.size, stats?.ino, content];
}

function listen(path: string): Promise<void> {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  return new Promise((resolve) => server.once("listening", () => resolve()));
}

test("F7: every twentieth malformed text of the corpus, through the program: a plan, or exit 10 with one clear line", async () => {
  const some = malformedTexts.filter((_, place) => place % 20 === 0).filter(({ text }) => text().length < 100_000);
  for (const { name: what, text, expects } of some) {
    const project = createTestProject();
    const file = join(project.root, name);
    writeFileSync(file, text());
    const end = await project.harness("init", "--yes");
    const code = expects === "accept" ? 0 : 10;
    expect([what, end.code]).toEqual([what, code]);
    if (code !== 0)
      expect([what, end.stderr.split("\n")[0], readFileSync(file, "utf8")]).toEqual([
        what,
        expect.stringContaining(name),
        text(),
      ]);
  }
}, 120_000);

test("F5: with a journal, a damaged or deleted task file is rebuilt from it", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "One", "--validate", "test -f one");
  const file = join(project.root, name);
  const whole = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, "{");
  await project.must("pause");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(whole);
  renameSync(file, `${file}.gone`);
  await project.must("resume");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(whole);
});
