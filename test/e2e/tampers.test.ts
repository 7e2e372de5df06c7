// PR-10: what an agent does to the state it works under. In a sandbox nothing of it has an effect; without one, edits of
// views and a broken chain are found, and the rest is the limit that docs/threat-model.md names.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { locateProject, verifyJournal } from "../../src/compose.ts";
import { tampers } from "../corpus/tampers.ts";
import { recordNumbers } from "../numbers.ts";
import { createTestProject, type Running, type TestProject } from "./project.ts";
import { createSandboxedProject, inSandbox, withAgent } from "./sandboxed.ts";

/** Says that it is there, waits for a word, does what it is told, waits for another. */
const patient = (deeds: string): string =>
  [
    "touch here; echo here",
    "until [ -e go ]; do sleep 0.05; done; . ./facts",
    deeds,
    "touch done",
    "until [ -e finish ]; do sleep 0.05; done",
    "rm -f here go done finish facts mine stolen new; echo a > a.txt",
  ].join("\n");

const stateOf = (project: TestProject): string => {
  const states = project.env.HARNESS_STATE_HOME ?? "";
  return join(states, readdirSync(states).find((name) => /^[0-9a-f]{32}$/.test(name)) ?? "");
};

function factsFor(project: TestProject, run: Running): Readonly<Record<string, string>> {
  const state = stateOf(project);
  const home = project.env.HOME ?? "";
  const table = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8", maxBuffer: 1 << 26 }).split("\n");
  const child = table
    .map((line) => line.trim().split(/\s+/))
    .find(([, parent, ...args]) => parent === String(run.pid) && args.includes("guardian"));
  return {
    STATE: state,
    ROOT: realpathSync(project.root),
    DATA: join(home, ".local/share/harness"),
    CONFIG: join(home, ".config/harness"),
    LOCK: project.lock,
    HARNESS: String(run.pid),
    GUARDIAN: child?.[0] ?? "0",
    WORK: join(state, "lanes/0/work"),
    NODE: process.execPath,
  };
}

/** Everything that counts, byte by byte: the project with its repository, the state home, the user's home, the lock. */
function fingerprint(project: TestProject, except: string): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  const look = (path: string): void => {
    if (path === except || path === join(project.place, "tmux")) return;
    const stats = lstatSync(path);
    const about = `${stats.mode} ${stats.nlink} ${stats.mtimeMs}`;
    if (stats.isDirectory()) {
      seen.set(path, about);
      for (const name of readdirSync(path)) look(join(path, name));
    } else if (stats.isSymbolicLink()) seen.set(path, `${about} -> ${readlinkSync(path)}`);
    // A copy of a device has no end; its mode is its program's own to change.
    else if (stats.isCharacterDevice()) return;
    else if (stats.isSocket()) seen.set(path, about);
    else seen.set(path, `${about} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`);
  };
  for (const top of [project.place, project.lock]) if (existsSync(top)) look(top);
  for (const device of ["/dev/null", "/dev/zero", "/dev/full"]) seen.set(device, String(lstatSync(device).ctimeMs));
  return seen;
}

async function settled(project: TestProject, except: string): Promise<ReadonlyMap<string, string>> {
  let last: ReadonlyMap<string, string> = new Map();
  await expect.poll(() => existsSync(join(except, "here"))).toBe(true);
  // Views are written a moment after the event they show, later where writing takes long.
  await expect
    .poll(
      () => {
        const now = fingerprint(project, except);
        const same = JSON.stringify([...now]) === JSON.stringify([...last]);
        last = now;
        return same;
      },
      { interval: 3_000, timeout: 60_000 },
    )
    .toBe(true);
  return last;
}

const isAlive = (pid: string): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZXT] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));

async function journalOf(project: TestProject): Promise<number | null> {
  const located = await locateProject(project.root, project.env);
  if (!located.ok) throw new Error(located.failure.message);
  return verifyJournal(located.value);
}

inSandbox(`PR-10: of ${tampers.length} tampers none has any effect in the sandbox`, async () => {
  expect(tampers.length).toBeGreaterThanOrEqual(40);
  const project = createSandboxedProject();
  // Each in a shell of its own: whatever it does to itself, the next one is tried.
  const deeds = tampers
    .map(({ line }, at) => `(set -e; ${line}) > /dev/null 2>&1 && echo ${at} >> done-by-it; true`)
    .join("\n");
  const args = await withAgent(
    project,
    `${patient(deeds)}; mv done-by-it done.txt 2> /dev/null; true`,
    "test -f a.txt",
  );
  const run = project.start(args);
  await expect
    .poll(
      () =>
        existsSync(join(project.root, "harness-progress.txt")) &&
        readFileSync(join(project.root, "harness-progress.txt"), "utf8"),
    )
    .toContain("Starting");
  const facts = factsFor(project, run);
  const work = facts.WORK ?? "";
  await expect.poll(() => existsSync(work)).toBe(true);
  writeFileSync(
    join(work, "facts"),
    Object.entries(facts)
      .map(([name, value]) => `export ${name}='${value}'\n`)
      .join(""),
  );
  const before = await settled(project, work);
  writeFileSync(join(work, "go"), "");
  await expect.poll(() => existsSync(join(work, "done"))).toBe(true);
  const after = fingerprint(project, work);
  const changed = [...after].filter(([path, what]) => before.get(path) !== what).map(([path]) => path);
  const gone = [...before.keys()].filter((path) => !after.has(path));
  expect({ changed, gone }).toEqual({ changed: [], gone: [] });
  expect([isAlive(facts.HARNESS ?? ""), isAlive(facts.GUARDIAN ?? "")]).toEqual([true, true]);
  expect(existsSync(join(work, "stolen")) ? readFileSync(join(work, "stolen"), "utf8") : "").toBe("");
  const did = existsSync(join(work, "done-by-it"))
    ? readFileSync(join(work, "done-by-it"), "utf8").trim().split("\n")
    : [];
  writeFileSync(join(work, "finish"), "");
  const end = await run.ended;
  expect([end.code, await journalOf(project)]).toEqual([0, null]);
  expect(JSON.parse((await project.must("status", "--json")).stdout)).toMatchObject({
    sandbox: "bubblewrap",
    stats: { completed: 1 },
  });
  // What seemed to work was done to empty places of its own, that went with it.
  expect(did.map((at) => tampers[Number(at)]?.name).filter((name) => noSeeming.includes(name ?? ""))).toEqual([]);
  const seeming = did.map((at) => tampers[Number(at)]?.name ?? at);
  console.log(`seemed to work, without effect: ${seeming.join("; ")}`);
  recordNumbers(
    ["PR-10"],
    `${tampers.length} tampers of an agent in the sandbox: ${tampers.length - did.length} refused, ${did.length} without effect, 0 with`,
  );
});

/** Nothing of a sandbox's own is there in their place: these must be refused. */
const noSeeming = [
  "change a setting of the kernel",
  "read a key",
  "edit the user's files",
  "stop the harness (SIGSTOP)",
];

/** Of the same list, what is found without a sandbox. */
const foundViews = ["edit the task file", "truncate the log", "delete the marker", "edit the hook view"];

test("PR-10: without a sandbox edits of views are found: followed as requests or put right, and never believed", async () => {
  const project = createTestProject();
  const lines = tampers.filter(({ name }) => foundViews.includes(name));
  expect(lines.map(({ name }) => name)).toEqual(foundViews);
  const deeds = [
    'sed -i \'s/"status": "in_progress"/"status": "completed"/\' "$ROOT/harness-tasks.json"',
    ...lines.map(({ line }) => line),
  ].join("\n");
  const args = await withAgent(project, `ROOT='${project.root}'\n${deeds}\nexit 1`, "false");
  const end = await project.harness(...args, "--once");
  expect(end.stderr).toContain("sandbox  none: the agent has all your rights");
  const view = JSON.parse((await project.must("status", "--json")).stdout);
  expect(view.stats).toMatchObject({ total: 1, completed: 0 });
  const file = JSON.parse(readFileSync(join(project.root, "harness-tasks.json"), "utf8"));
  expect(file.tasks[0].status).not.toBe("completed");
  const log = readFileSync(join(project.root, "harness-progress.txt"), "utf8");
  expect(log).toContain("WARN harness-progress.txt was shortened by somebody else");
  expect(log).toContain("edit of harness-tasks.json not followed: status");
  expect(readFileSync(join(project.root, ".harness/hook.json"), "utf8")).not.toBe("{}\n");
});

test("PR-10, PR-17: without a sandbox a changed event of the journal is found, at its position", async () => {
  const project = createTestProject();
  const args = await withAgent(project, "echo a > a.txt", "test -f a.txt");
  await project.must(...args);
  expect(await journalOf(project)).toBe(null);
  const journal = join(stateOf(project), "journal.db");
  const bytes = readFileSync(journal);
  let found = 0;
  for (let at = bytes.indexOf('"title":"A"'); at > 0; at = bytes.indexOf('"title":"A"', at + 1)) {
    bytes.write('"title":"B"', at);
    found += 1;
  }
  expect(found).toBeGreaterThan(0);
  writeFileSync(journal, bytes);
  const position = await journalOf(project);
  expect(position).toEqual(expect.any(Number));
  await project.harness("add", "B", "--validate", "true");
  const next = await project.harness(...args);
  expect([next.code, next.stderr]).toEqual([
    10,
    expect.stringMatching(new RegExp(`journal\\.db was changed by somebody else: event ${position} does not fit`)),
  ]);
  recordNumbers(
    ["PR-10"],
    `without a sandbox: ${foundViews.length + 1} edits of views and a changed event found; the other ${tampers.length - foundViews.length} tampers are the documented limit`,
  );
});
