// Accepting, killed at its calls on files – ours, and those of the git that writes the user's checkout: nothing of the
// user's is lost, and saying it again brings the work in, once.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { GitWatch, reachGit, tellGit } from "./git-points.ts";
import { type Operation, runArgs } from "./operations.ts";
import { isChange, kill, tell } from "./points.ts";
import { newTally, reach, tellFaults, tellTally, unreached } from "./reach.ts";
import { type Rehearsal, rehearse } from "./rehearsal.ts";
import { howMuch, sample } from "./sample.ts";
import type { Scene } from "./scene.ts";
import { requireStrace } from "./strace.ts";
import { brokenViews, eventsOf, journalFaults, mend, viewFaults } from "./truth.ts";

const tally = newTally();
const gits = newTally();
beforeAll(requireStrace);
afterAll(() =>
  recordNumbers(
    ["PR-3", "PR-5"],
    `accept (${howMuch}): kill -9 at file calls of ours ${tellTally(tally)}, of git ${tellTally(gits)}; merged once or not at all, 0 bytes lost, each finished by saying it again`,
  ),
);

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

async function aftermath({ scene, before: events }: Rehearsal): Promise<readonly string[]> {
  const faults = [...(await journalFaults(scene, events)), ...brokenViews(scene).map((name) => `${name} is broken`)];
  for (const file of bytesLost(scene))
    faults.push(`${file} holds what nobody wrote: ${read(scene, file)?.slice(0, 40)}`);
  if (read(scene, "notes.txt") !== loose["notes.txt"]) faults.push("notes.txt is lost");
  faults.push(...(await mend(scene)), ...(await viewFaults(scene)));
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

test("G5, PR-3, PR-5: accept, killed at any call that changes a file, loses nothing and is finished by the next", async () => {
  const rehearsal = await rehearse(operation);
  const points = sample(rehearsal.points.filter(isChange), { few: 12, many: 2 });
  expect(points.length).toBeGreaterThan(3);
  const faults: string[] = [];
  for (const point of points) {
    const ended = await reach(rehearsal, kill(point));
    const found = ended === null ? unreached(tally, point) : await aftermath(rehearsal);
    if (ended !== null) tally.reached += 1;
    faults.push(...tellFaults("accept", `killed at ${tell(point, rehearsal.scene.live)}`, found));
  }
  rehearsal.scene.remove();
  expect(faults).toEqual([]);
});

test("G5, PR-3, PR-5: with any git killed while it writes – files, index, objects or branch – nothing is lost either", async () => {
  const rehearsal = await rehearse(operation);
  const watch = await GitWatch.create(rehearsal.scene, operation);
  const points = sample(await watch.points(), { few: 12, many: 1 });
  expect(points.length).toBeGreaterThan(3);
  const faults: string[] = [];
  for (const point of points) {
    const ended = await reachGit(watch, point);
    const found = ended === null ? ["not reached"] : await aftermath(rehearsal);
    if (ended !== null) gits.reached += 1;
    faults.push(...tellFaults("accept", `killed at ${tellGit(point)}`, found));
  }
  rehearsal.scene.remove();
  expect(faults).toEqual([]);
});
