// Accepting, hit at its calls on files – ours, and those of the git that writes the user's checkout: nothing of the
// user's is lost, and saying it again brings the work in, once.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram } from "../../src/kit/find-program.ts";
import { recordNumbers } from "../numbers.ts";
import { sampleTroubles, type Trouble } from "./errors.ts";
import { GitWatch, reachGit, tellGit } from "./git-points.ts";
import { type Operation, runArgs } from "./operations.ts";
import { isChange, kill, type Point } from "./points.ts";
import { callsOfOthers, hitEach, newTally, reach, type Tally, tellFaults, tellTally } from "./reach.ts";
import { conduct, type Rehearsal, rehearse } from "./rehearsal.ts";
import { howMuch, type Steps, sample } from "./sample.ts";
import type { Scene } from "./scene.ts";
import { cutWrite, shortWrites, stageOf, unharmed } from "./short-writes.ts";
import { requireStrace, type Traced } from "./strace.ts";
import { brokenViews, eventsOf, journalFaults, mend, processesIn, projectOf, viewFaults } from "./truth.ts";

const tally = { killed: newTally(), gitKilled: newTally(), errors: newTally(), looks: newTally(), cut: newTally() };
beforeAll(requireStrace);
afterAll(() => {
  recordNumbers(
    ["PR-3", "PR-5"],
    `accept (${howMuch}): kill -9 at file calls of ours ${tellTally(tally.killed)}, of git ${tellTally(tally.gitKilled)}; merged once or not at all, 0 bytes lost, each finished by saying it again`,
  );
  recordNumbers(
    ["PR-3", "PR-5", "PR-18"],
    `accept (${howMuch}): errors at file calls that change something ${tellTally(tally.errors)}, at others ${tellTally(tally.looks)}, writes of which half is taken ${tellTally(tally.cut)}; merged once or not at all, 0 bytes lost, 0 hung, each finished by saying it again`,
  );
});

const before = {
  "README.md": "# Project\n",
  "gone.txt": "g\n",
  "mine.txt": "mine\n",
  "long.txt": "old line\n".repeat(3_000),
};
const after = {
  "README.md": "# Project\nmore\n",
  "mine.txt": "mine\n",
  "long.txt": "new line\n".repeat(5_000),
  "sub/new.txt": "n\n",
};
/** Never part of any commit. */
const loose = { "notes.txt": "precious\n" };

const agent = [
  "cat > /dev/null",
  "echo more >> README.md",
  "git rm -q gone.txt",
  "mkdir sub",
  "echo n > sub/new.txt",
  "yes 'new line' | head -n 5000 > long.txt",
].join("; ");

async function finished(scene: Scene): Promise<void> {
  for (const [file, text] of Object.entries(before)) scene.write(file, text);
  rmSync(join(scene.root, "mine.txt"));
  scene.git("add", ".");
  scene.git("commit", "--quiet", "--message", "files");
  await scene.must("init", "--yes");
  await scene.must("add", "A", "--validate", "test -f sub/new.txt");
  await scene.must("run", "--agent-command", agent, ...runArgs.slice(3));
  scene.write("mine.txt", before["mine.txt"]);
  scene.git("add", "mine.txt");
  scene.git("commit", "--quiet", "--message", "beside");
  for (const [file, text] of Object.entries(loose)) scene.write(file, text);
}
const operation: Operation = { name: "accept", args: ["accept"], prepare: finished };

const read = ({ root }: Scene, file: string): string | null =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : null;

/** Each file is as it was, as it will be, or the beginning of that: every byte that is missing is in a commit. */
function bytesLost(scene: Scene): readonly string[] {
  const [old, young] = [before, after] as readonly Readonly<Record<string, string>>[];
  return [...new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(loose)])].filter((file) => {
    const text = read(scene, file);
    const known = { ...loose, ...old }[file];
    return text !== null && text !== known && !young?.[file]?.startsWith(text);
  });
}

async function leftFaults({ scene, before: events }: Rehearsal): Promise<readonly string[]> {
  const faults = [...(await journalFaults(scene, events)), ...brokenViews(scene).map((name) => `${name} is broken`)];
  for (const file of bytesLost(scene))
    faults.push(`${file} holds what nobody wrote: ${read(scene, file)?.slice(0, 40)}`);
  if (read(scene, "notes.txt") !== loose["notes.txt"]) faults.push("notes.txt is lost");
  return faults;
}

async function againFaults(scene: Scene): Promise<readonly string[]> {
  const faults = [...(await mend(scene)), ...(await viewFaults(scene))];
  const again = await scene.harness("accept");
  if (again.code !== 0) faults.push(`accept again → ${again.code} ${again.stderr}`);
  for (const [file, text] of Object.entries({ ...after, ...loose }))
    if (read(scene, file) !== text) faults.push(`${file} is not as it should be`);
  if (read(scene, "gone.txt") !== null) faults.push("gone.txt is there");
  const status = scene.git("status", "--porcelain");
  if (status !== "?? notes.txt") faults.push(`the checkout is not clean: ${status}`);
  const log = scene.git("log", "--first-parent", "--format=%s", "main");
  if (log !== "task-001: A\nbeside\nfiles\nbase") faults.push(`main is ${log}`);
  if (scene.git("rev-list", "--count", "--merges", "main") !== "1") faults.push("not merged once");
  const left = readdirSync(join(scene.root, ".git")).filter((name) => /lock|harness/.test(name));
  if (left.length > 0) faults.push(`left over: ${left}`);
  const told = (await eventsOf(scene)).filter(({ type }) => type === "work.accepted").length;
  if (told !== 1) faults.push(`recorded ${told} times`);
  return [...faults, ...(await viewFaults(scene))];
}

const aftermath = async (rehearsal: Rehearsal): Promise<readonly string[]> => [
  ...(await leftFaults(rehearsal)),
  ...(await againFaults(rehearsal.scene)),
];

test.concurrent("G5, PR-3, PR-5: accept, killed at any call that changes a file, loses nothing and is finished by the next", async () => {
  const rehearsal = await rehearse(operation);
  const points = sample(rehearsal.points.filter(isChange), { few: 12, many: 2 });
  expect(points.length).toBeGreaterThan(3);
  const faultsOf = () => aftermath(rehearsal);
  const faults = await hitEach(rehearsal, points.map(kill), { tally: tally.killed, faultsOf });
  rehearsal.scene.remove();
  expect(faults).toEqual([]);
});

test.concurrent("G5, PR-3, PR-5: with any git killed while it writes – files, index, objects or branch – nothing is lost either", async () => {
  const rehearsal = await rehearse(operation);
  const watch = await GitWatch.create(rehearsal.scene, operation);
  const points = sample(await watch.points(), { few: 12, many: 1 });
  expect(points.length).toBeGreaterThan(3);
  const faults: string[] = [];
  for (const point of points) {
    const ended = await reachGit(watch, point);
    const found = ended === null ? ["not reached"] : await aftermath(rehearsal);
    if (ended !== null) tally.gitKilled.reached += 1;
    faults.push(...tellFaults("accept", `killed at ${tellGit(point)}`, found));
  }
  rehearsal.scene.remove();
  expect(faults).toEqual([]);
});

/** What is wrong with how it ended under an error, and with the checkout then: it is whole, or the next one finishes it. */
async function endedFaults(rehearsal: Rehearsal, ended: Traced): Promise<readonly string[]> {
  const { scene } = rehearsal;
  const faults = [...conduct(rehearsal, ended)];
  if (ended.code === 10 && !/^ {2}next: .|; ./m.test(ended.stderr)) faults.push(`no remedy: ${ended.stderr}`);
  const project = await projectOf(scene);
  const isUnderWay = project !== undefined && existsSync(join(project.home, "accept.json"));
  const status = scene.git("status", "--porcelain");
  if (!isUnderWay && status !== "?? notes.txt") faults.push(`left in the checkout: ${status}`);
  if (isUnderWay && ended.code === 0) faults.push("it ended well and is still under way");
  const isIn = scene.git("rev-list", "--count", "--merges", "main") === "1";
  const isTold = /^Accepted 1 task into main/.test(ended.stdout);
  if (isTold && !isIn) faults.push("it was told and is not there");
  return [...faults, ...processesIn(scene.live)];
}

async function failAt(isMeant: (point: Point) => boolean, steps: Steps, tally: Tally): Promise<readonly string[]> {
  const rehearsal = await rehearse(operation);
  const isShared = await callsOfOthers(rehearsal);
  const chosen = sampleTroubles(rehearsal.points.filter(isMeant), steps);
  expect(chosen.length).toBeGreaterThan(0);
  const faultsOf = async (ended: Traced) => [
    ...(await endedFaults(rehearsal, ended)),
    ...(await leftFaults(rehearsal)),
  ];
  const afterwards = () => againFaults(rehearsal.scene);
  const isQuick = (point: Point) => !isShared(point);
  const faults = await hitEach(rehearsal, chosen, { tally, faultsOf, afterwards, isQuick });
  rehearsal.scene.remove();
  return faults;
}

test.concurrent("G5, PR-3, PR-5, PR-18: accept stops precisely or goes on, whatever error a call that changes a file meets, and is finished by the next", async () => {
  expect(await failAt(isChange, { few: 400, many: 10 }, tally.errors)).toEqual([]);
});

test.concurrent("G5, PR-3, PR-18: a branch that moved and could not be synced keeps its files, and the next accept ends it", async () => {
  const isSync = ({ name, path }: Point) => name === "fsync" && path.endsWith("/project/.git/refs/heads");
  expect(await failAt(isSync, { few: 8, many: 1 }, tally.errors)).toEqual([]);
});

/** What is synced by whoever says it again, after a kill right before the folder of the branch was synced. */
async function syncedAgain(operation: Operation, folder: string) {
  const rehearsal = await rehearse(operation);
  const { scene } = rehearsal;
  const isSync = ({ name, path }: Point) => name === "fsync" && path.endsWith(`/project/${folder}`);
  const sync = rehearsal.points.filter(isSync).at(-1);
  if (sync === undefined) throw new Error(`${operation.name} does not sync the branch's folder`);
  const killed = await reach(rehearsal, kill(sync));
  const again = await scene.traced(operation.args, { calls: ["fsync"], onlyItself: true });
  scene.remove();
  const paths = again.calls.map(({ path }) => path.slice(scene.root.length + 1));
  return { ends: [killed?.signal, again.code], said: again.stdout, synced: paths };
}

test.concurrent("G5, PR-1: who ends a move that was not synced says so only when the branch is on the disk", async () => {
  const { ends, said, synced } = await syncedAgain(operation, ".git/refs/heads");
  expect([ends, /^Accepted 1 task into main/.test(said)]).toEqual([["SIGKILL", 0], true]);
  expect(synced).toEqual(expect.arrayContaining([".git/refs/heads", ".git/refs"]));
});

test.concurrent("G5, PR-1: what is found dropped is on the disk before that is told", async () => {
  const drop: Operation = { name: "drop", args: ["drop", "task-001"], prepare: finished };
  const { ends, synced } = await syncedAgain(drop, ".git/refs/heads/harness");
  expect(ends).toEqual(["SIGKILL", 0]);
  expect(synced).toEqual(expect.arrayContaining([".git/refs/heads/harness", ".git/refs/heads"]));
});

test.concurrent("G5, PR-1: a branch that its git moved and was killed before it said so is synced before that is told", async () => {
  const rehearsal = await rehearse(operation);
  const { scene } = rehearsal;
  const real = await findProgram("git", { cwd: scene.root, env: scene.env });
  scene.restore();
  const script = `#!/bin/sh\ncase "$*" in *"harness accept: "*) '${real}' "$@"; kill -9 $$ ;; esac\nexec '${real}' "$@"\n`;
  writeFileSync(join(scene.live, "git"), script, { mode: 0o755 });
  const env = { PATH: `${scene.live}:${scene.env.PATH}` };
  const ended = await scene.traced(operation.args, { calls: ["fsync"], onlyItself: true }, env);
  const synced = ended.calls.map(({ path }) => path.slice(scene.root.length + 1));
  scene.remove();
  expect([ended.code, /^Accepted 1 task into main/.test(ended.stdout)]).toEqual([0, true]);
  expect(synced).toEqual(expect.arrayContaining([".git/refs/heads", ".git/refs"]));
});

test.concurrent("PR-18: an accept that cannot look at the state home or its journal says so, with the next step", async () => {
  const isMeant = ({ name, path }: Point) => name === "statx" && /\/state\/[0-9a-f]{32}(?:\/journal\.db)?$/.test(path);
  expect(await failAt(isMeant, { few: 4, many: 1 }, tally.looks)).toEqual([]);
});

test.concurrent("G5, PR-3, PR-5, PR-18: so it does, whatever error keeps it from looking at a file", async () => {
  expect(await failAt((point) => !isChange(point), { few: 1_400, many: 30 }, tally.looks)).toEqual([]);
});

test.concurrent("G5, PR-18: accept ends as ever when the system takes only half of what it writes", async () => {
  const rehearsal = await rehearse(operation);
  const chosen = await shortWrites(stageOf(rehearsal), { few: 30, many: 3 });
  expect(chosen.length).toBeGreaterThan(1);
  const perform = (trouble: Trouble) => cutWrite(stageOf(rehearsal), trouble);
  const faultsOf = async (ended: Traced) => [
    ...unharmed(ended),
    ...(await endedFaults(rehearsal, ended)),
    ...(await leftFaults(rehearsal)),
  ];
  const afterwards = () => againFaults(rehearsal.scene);
  const faults = await hitEach(rehearsal, chosen, { tally: tally.cut, faultsOf, afterwards, perform });
  rehearsal.scene.remove();
  expect(faults).toEqual([]);
});
