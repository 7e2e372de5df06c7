// Rescue and rollback, hit at their calls on files: the work is in its slot or can be restored, and the repeat ends well.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { restore } from "../../src/git/rescue/restore.ts";
import { lookAt, plainGit, put } from "../../src/git/rescue/scene.fixture.ts";
import { listPutAway } from "../../src/git/rescue/shelf.ts";
import { createCloneWorkspaces } from "../../src/workspaces/index.ts";
import { recordNumbers } from "../numbers.ts";
import { sampleTroubles, type Trouble } from "./errors.ts";
import { fileCalls, isChange, kill, type Point, pointsIn, tell } from "./points.ts";
import { howMuch, sample } from "./sample.ts";
import { cutWrite, type Stage, shortWrites, unharmed } from "./short-writes.ts";
import { perform, requireStrace, type Traceable, type Traced, trace } from "./strace.ts";

const folder = mkdtempSync(join(tmpdir(), "harness-rescue-"));
const live = join(folder, "live");
const kept = join(folder, "kept");
const program = join(folder, "archiver.mjs");
const steadyNames = join(import.meta.dirname, "steady-names.cjs");
const home = join(live, "home");
const work = join(home, "lanes/0/work");
let before: ReadonlyMap<string, string>;
const now = String(Date.now());
const total = { killed: 0, failed: 0, cut: 0 };
const maxTries = 12;

beforeAll(async () => {
  requireStrace();
  const entry = fileURLToPath(new URL("./archiver.ts", import.meta.url));
  await build({
    entryPoints: [entry],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const checkout = join(live, "project");
  put(checkout, "one.txt");
  put(checkout, ".gitignore", "build/\n");
  plainGit(checkout, "init", "-q", "--initial-branch=main");
  plainGit(checkout, "add", "-A");
  plainGit(checkout, "commit", "-q", "-m", "start");
  const options = { repository: checkout, home, branch: "harness/mission-x", rootPrefix: "" };
  const opened = await createCloneWorkspaces(options).open({ slot: 0, task: "task-1", attempt: 1, fence: 1 });
  if (!opened.ok) throw new Error(opened.failure.message);
  put(work, "committed.txt");
  plainGit(work, "add", "-A");
  plainGit(work, "commit", "-q", "-m", "mine");
  put(work, "one.txt", "stashed\r\n");
  plainGit(work, "stash", "-q");
  put(work, "new.txt", "new\r\n");
  put(work, ".env", "secret\n");
  put(work, "build/ignored.txt", "ignored\n");
  before = lookAt(work);
  execFileSync("cp", ["-a", live, kept]);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  recordNumbers(
    ["PR-3", "PR-20"],
    `rescue and rollback hit at file calls (${howMuch}): ${total.killed} kill -9, ${total.failed} errors, ${total.cut} writes of which half is taken, none missed; 0 unrecoverable`,
  );
});

function startAnew(): void {
  rmSync(live, { recursive: true, force: true });
  execFileSync("cp", ["-a", kept, live]);
}

const command = (verb: string): readonly string[] => [process.execPath, program, join(live, "project"), home, verb];
const steady = (verb: string): Traceable => ({
  command: [process.execPath, "--require", steadyNames, ...command(verb).slice(1)],
  cwd: folder,
  env: { PATH: process.env.PATH ?? "", UV_USE_IO_URING: "0", UV_THREADPOOL_SIZE: "1", HARNESS_STEADY_NOW: now },
  folder,
});
const traced = (verb: string, inject?: { readonly point: Point; readonly inject: string }) =>
  trace(
    steady(verb),
    inject === undefined
      ? { calls: fileCalls, onlyItself: true }
      : { calls: [inject.point.name], paths: [inject.point.path], inject: inject.inject, onlyItself: true },
  );

/** Null when every byte is in the slot, as somebody's, or can be had back. */
async function lost(): Promise<string | null> {
  if (existsSync(work) && !isFree()) return same(work);
  const target = join(folder, "restored");
  const all = listPutAway(home);
  const [of] = all;
  if (of === undefined) return "neither in its slot nor put away";
  rmSync(target, { recursive: true, force: true });
  await restore(home, of, target);
  return same(target);
}

const isFree = (): boolean => {
  const record = join(home, "lanes/0/work.json");
  return existsSync(record) && JSON.parse(readFileSync(record, "utf8")).free === true;
};

/** The slot's next owner: what was in it goes for good. */
async function openNext(): Promise<string | null> {
  const options = { repository: join(live, "project"), home, branch: "harness/mission-x", rootPrefix: "" };
  const opened = await createCloneWorkspaces(options).open({ slot: 0, task: "task-2", attempt: 1, fence: 2 });
  const clean = opened.ok && readdirSync(work).sort().join() === ".git,.gitignore,one.txt";
  return clean ? null : `the next one: ${JSON.stringify(opened)} ${readdirSync(work).join()}`;
}

function same(directory: string): string | null {
  const now = lookAt(directory);
  const other = [...before].find(([path, what]) => now.get(path) !== what);
  return other === undefined && now.size === before.size ? null : `${other?.[0] ?? "something"} is another`;
}

/** Null if it never came to the point. */
async function reach(trouble: Trouble): Promise<Traced | null> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    startAnew();
    const ended = await traced("archive", trouble);
    if (ended.hits > 0) return ended;
  }
  return null;
}

async function sweep(
  troubles: readonly Trouble[],
  onHit: (ended: Traced) => void,
  meet: (trouble: Trouble) => Promise<Traced | null> = reach,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const trouble of troubles) {
    const ended = await meet(trouble);
    if (ended === null) {
      faults.push(`${trouble.what} at ${tell(trouble.point, live)}: not reached`);
      continue;
    }
    onHit(ended);
    const found = [await lost(), ended.hung ? "hung" : null];
    const again = execFileSync(process.execPath, command("archive").slice(1), { encoding: "utf8" });
    const { ok, value } = JSON.parse(again);
    found.push(ok && /^task-1\/1(-\d)?$/.test(value.archive) ? null : `the repeat: ${again}`, await openNext());
    rmSync(work, { recursive: true });
    found.push(await lost());
    faults.push(
      ...found.flatMap((fault) =>
        fault === null ? [] : [`${trouble.what} at ${tell(trouble.point, live)}: ${fault}`],
      ),
    );
  }
  return faults;
}

async function pointsOf(): Promise<readonly Point[]> {
  startAnew();
  const rehearsal = await traced("archive");
  expect(rehearsal.stdout).toBe('{"ok":true,"value":{"archive":"task-1/1"}}\n');
  return pointsIn(rehearsal.calls, live).filter(isChange);
}

test("A6, PR-3, PR-20: rescue and rollback killed at any call that changes a file lose nothing, and the repeat ends well", async () => {
  const points = await pointsOf();
  const chosen = sample(points, { few: 12, many: 1 });
  const faults = await sweep(chosen.map(kill), () => {
    total.killed += 1;
  });
  expect(faults).toEqual([]);
  expect(total.killed).toBeGreaterThan(3);
});

test("A6, PR-18: a full or failing disk costs no byte: the directory itself is kept, or the step is refused", async () => {
  const chosen = sampleTroubles(await pointsOf(), { few: 90, many: 3 });
  const faults = await sweep(chosen, () => {
    total.failed += 1;
  });
  expect(faults).toEqual([]);
  expect(total.failed).toBeGreaterThan(3);
});

test("A6, PR-3, PR-18: a rescue of whose writes the system takes only half loses nothing, and nobody is told", async () => {
  const log = join(folder, "writes");
  const whilePreloaded = async (env: Readonly<Record<string, string>>): Promise<Traced> => {
    const { env: usual, ...rest } = steady("archive");
    return { ...(await perform({ ...rest, env: { ...usual, ...env } })), calls: [], hits: 0 };
  };
  const stage: Stage = { restore: startAnew, perform: whilePreloaded, log };
  const told: string[] = [];
  const onHit = (ended: Traced) => {
    total.cut += 1;
    told.push(...unharmed(ended), ...(JSON.parse(ended.stdout).ok ? [] : [ended.stdout]));
  };
  const chosen = await shortWrites(stage, { few: 12, many: 1 });
  const faults = await sweep(chosen, onHit, (trouble) => cutWrite(stage, trouble));
  expect([...faults, ...told]).toEqual([]);
  expect(total.cut).toBeGreaterThan(3);
});

test.each([
  ["a file that cannot be read", "new.txt", "read", "error=EIO"],
  ["a file that may not be opened", "build/ignored.txt", "openat", "error=EACCES"],
  ["a directory that cannot be listed", "build", "openat", "error=EACCES"],
])("A6: %s is named, nothing is rescued, and the place stays as it is", async (_, file, name, inject) => {
  startAnew();
  const path = join(work, file);
  const ended = await traced("rescue", { point: { name, path, nth: 1, line: "" }, inject });
  const { ok, failure } = JSON.parse(ended.stdout);
  expect([ok, failure.message]).toEqual([false, expect.stringContaining(`${file}`)]);
  expect(failure.message).toContain("cannot be rescued");
  expect([listPutAway(home), same(work)]).toEqual([[], null]);
});

test("A6: a vault that cannot be written is named, and the place stays as it is", async () => {
  startAnew();

  put(home, "vault", "in the way\n");
  const ended = await traced("rescue");
  expect(JSON.parse(ended.stdout)).toMatchObject({ ok: false, failure: { message: expect.stringContaining("vault") } });
  expect(same(work)).toBe(null);
});

test("A6, PR-3: everything of a rescue, and each directory that names it, is on the disk before the workspace goes", async () => {
  startAnew();
  const { calls } = await traced("archive");
  // The slot's record says from then on that anybody may have it.
  const gone = calls.findIndex(({ name, path }) => name === "rename" && path.startsWith(`${work}.json.`));
  expect(gone).toBeGreaterThan(0);
  const short = (path: string): string => path.slice(home.length + 1).replace(/[0-9a-f]{40,}|steady-\d+|(abab)+/g, "*");
  const synced = new Set(calls.slice(0, gone).flatMap(({ name, path }) => (name === "fsync" ? [short(path)] : [])));
  const needed = [
    "rescue.git/objects/pack/pack-*.pack",
    "rescue.git/objects/pack/pack-*.idx",
    "rescue.git/objects/pack",
    "rescue.git/shallow.*.tmp",
    "rescue.git",
    "rescue.git/refs",
    "rescue.git/refs/harness",
    "rescue.git/refs/harness/rescue",
    "rescue.git/refs/harness/rescue/task-1/1.*.tmp",
    "rescue.git/refs/harness/rescue/task-1",
    "tmp/*/vault/bytes",
    "tmp/*/vault/manifest.json.*.tmp",
    "tmp/*/vault/rescue.json.*.tmp",
    "tmp/*/vault",
    "vault",
    "vault/task-1",
    "",
  ];
  expect(needed.filter((path) => !synced.has(path))).toEqual([]);
});
