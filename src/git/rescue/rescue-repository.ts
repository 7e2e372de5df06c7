// The rescue repository: bare, in the state home, complete on its own. It needs no object of the user's repository or
// of a workspace; histories end where the user's begins, as its `shallow` file says. One process changes it at a time.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createFolderDurably } from "../../kit/durable-folder.ts";
import { identifySelf, isAlive } from "../../kit/process-identity.ts";
import { takeLock } from "../../kit/process-lock.ts";
import { kindOf, readText, syncDirectory, syncFile, syncTree, writeWhole } from "../files.ts";
import { type GitPlace, gitBytes, gitText } from "../git.ts";
import { refuse } from "../refusal.ts";
import type { Scratch, Site } from "../site.ts";

export const repositoryIn = (home: string): string => join(home, "rescue.git");
export const rescueRef = (name: string): string => `refs/harness/rescue/${name}`;
export const tagRef = (name: string, id: string): string => `refs/harness/rescued-tags/${name}/${id}`;

export async function openRescueRepository({ home, user }: Site): Promise<string> {
  const gitDir = repositoryIn(home);
  if ((await kindOf(gitDir)) !== "missing") return gitDir;
  const draft = await mkdtemp(join(home, "tmp", `${process.pid}-`));
  await gitBytes({ gitDir: draft }, ["init", "-q", "--bare", "--template=", `--object-format=${user.format}`]);
  await syncTree(draft);
  // Another process may have been first; then its repository serves and the draft is swept later.
  await rename(draft, gitDir).catch(async (error: unknown) => {
    if ((await kindOf(gitDir)) === "missing") throw error;
  });
  await syncDirectory(home);
  return gitDir;
}

const patienceMs = 60_000;
const pauseMs = 20;

/** Rescues of several lanes wait for each other: names, cuts and clearing out are decided by one at a time. */
export async function alone<T>(home: string, work: () => Promise<T>): Promise<T> {
  const lookout = { self: identifySelf, isAlive };
  createFolderDurably(home, 0o700);
  for (let waited = 0; ; waited += pauseMs) {
    const taken = await takeLock(join(home, "rescue.lock"), lookout);
    if (taken.ok) return work().finally(() => taken.release());
    if (waited > patienceMs)
      refuse({
        kind: "env_setup",
        message: `another process (pid ${taken.holder?.pid ?? "unknown"}) has been at the rescues for a minute`,
        remedy: "Wait for it, or end it.",
      });
    await setTimeout(pauseMs);
  }
}

export interface Wanted {
  readonly commit: string;
  readonly tags: readonly string[];
  /** Commits kept without their parents. */
  readonly cut: readonly string[];
  /** Commits kept with them. */
  readonly own: ReadonlySet<string>;
}

/** Brings in what is missing of everything the wanted reach; answers all of it. */
export async function bringIn(
  site: Site,
  scratch: Scratch,
  gitDir: string,
  wanted: Wanted,
): Promise<readonly string[]> {
  await cutHistories(gitDir, wanted);
  const place = await cutView(site, scratch, gitDir);
  const input = `${[wanted.commit, ...wanted.tags].join("\n")}\n`;
  const listed = await gitText({ ...place, input }, ["rev-list", "--objects", "--no-object-names", "--stdin"]);
  const all = listed.split("\n");
  const missing = await missingOf(gitDir, all);
  if (missing.length > 0) await bringPack(place, scratch, gitDir, missing);
  return all;
}

async function missingOf(gitDir: string, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const input = ids.map((id) => `${id}\n`).join("");
  const checked = await gitText({ gitDir, input }, ["cat-file", "--batch-check=%(objecttype)"]);
  return checked.split("\n").flatMap((line, i) => (line.endsWith("missing") ? [ids[i] ?? ""] : []));
}

/** A commit that is complete there already keeps its parents; one whose parents come now is no longer cut. */
async function cutHistories(gitDir: string, { cut, own }: Wanted): Promise<void> {
  const file = join(gitDir, "shallow");
  const before = ((await readText(file, 2 ** 28)) ?? "").split("\n").filter((line) => line !== "");
  const known = new Set(before);
  const fresh = await missingOf(
    gitDir,
    cut.filter((id) => !known.has(id)),
  );
  const after = [...new Set([...before, ...fresh])].filter((id) => !own.has(id));
  if (after.join() !== before.join()) await writeWhole(file, after.map((id) => `${id}\n`).join(""));
}

/** The scratch's objects, and all it reads from, seen with the histories cut. */
async function cutView({ config }: Site, { directory, place }: Scratch, gitDir: string): Promise<GitPlace> {
  const view = join(directory, "cut");
  mkdirSync(join(view, "refs"), { recursive: true });
  writeFileSync(join(view, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(view, "config"), config);
  writeFileSync(join(view, "shallow"), (await readText(join(gitDir, "shallow"), 2 ** 28)) ?? "");
  return { gitDir: view, objectsDir: place.objectsDir };
}

async function bringPack(
  from: GitPlace,
  { directory }: Scratch,
  gitDir: string,
  ids: readonly string[],
): Promise<void> {
  const input = ids.map((id) => `${id}\n`).join("");
  const options = ["--window=0", "--compression=1", "-q"];
  const name = await gitText({ ...from, input }, ["pack-objects", ...options, join(directory, "rescue")]);
  const folder = join(gitDir, "objects", "pack");
  // Reads every object, so that none can be other than its name says.
  await gitBytes({ gitDir, inputFile: join(directory, `rescue-${name}.pack`) }, ["index-pack", "--stdin"]);
  // git leaves a pack's index, without which nobody finds the pack, to the page cache.
  const files = readdirSync(folder).filter((file) => file.startsWith(`pack-${name}.`));
  await Promise.all(files.map((file) => syncFile(join(folder, file))));
  await Promise.all([syncDirectory(folder), syncDirectory(dirname(folder))]);
}

/** By hand, because git syncs a reference but not the directories that name it. */
export async function setRescueRef(gitDir: string, ref: string, id: string): Promise<void> {
  const file = join(gitDir, ref);
  createFolderDurably(dirname(file), 0o700);
  await writeWhole(file, `${id}\n`);
}

const manyPacks = 40;

/** One pack instead of many. What no rescue needs any more goes. */
export async function compact(gitDir: string, when: "always" | "many packs"): Promise<void> {
  const folder = join(gitDir, "objects", "pack");
  const packs = readdirSync(folder).filter((file) => file.endsWith(".pack"));
  if (when === "many packs" && packs.length < manyPacks) return;
  await gitBytes({ gitDir, durable: true }, ["repack", "-a", "-d", "-q", "--window=0"]);
  await syncTree(folder);
}
