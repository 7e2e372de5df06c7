// Writes a rescue out again: the same names, bytes, modes and links, and a repository that needs no other. It is built
// beside its place and appears by one rename.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Failure } from "../../protocol/failure.ts";
import type { RescueEntry } from "../../protocol/rescue.ts";
import { kindOf, readText, syncDirectory } from "../files.ts";
import { gitBytes } from "../git.ts";
import { refuse } from "../refusal.ts";
import { copyWhole, type Made } from "./copy-whole.ts";
import { adminOfArchive, linkCopy } from "./linked.ts";
import { bytesBelow, gitPrefix, refuseUnkept, unkept } from "./place.ts";
import { readObjects } from "./read-objects.ts";
import { repositoryIn } from "./rescue-repository.ts";
import { type PutAway, readManifest } from "./shelf.ts";
import { fromVault, type Source, writeAll, writeSparsely } from "./vault.ts";

type Rescue = Extract<PutAway, { kind: "rescue" }>;

export interface Restored {
  readonly directory: string;
  /** What cannot be written: sockets, pipes, devices. */
  readonly left: readonly string[];
  /** Repositories inside, with the configuration that whoever made them gave them. */
  readonly nested: readonly string[];
}

/** `directory` must be missing or empty. `commonDir`: of the user's repository, for its linked work trees. */
export async function restore(
  home: string,
  of: PutAway,
  directory: string,
  commonDir: string | null = null,
): Promise<Restored> {
  await refuseTaken(directory);
  mkdirSync(dirname(directory), { recursive: true });
  const draft = await mkdtemp(join(dirname(directory), `.${basename(directory)}-`));
  const admin = await adminOfArchive(commonDir, of);
  let linked: string | null = null;
  try {
    const made = of.kind === "rescue" ? await build(home, of, draft) : await copyWhole(of.where, draft);
    await setAsideConfiguration(home, join(draft, ".git"));
    if (admin !== null) linked = await linkCopy(admin, draft, directory);
    await appear(draft, directory, made);
    return { directory, left: made.left, nested: made.nested };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (linked !== null) await rm(linked, { recursive: true, force: true });
    throw error;
  }
}

async function refuseTaken(directory: string): Promise<void> {
  if ((await kindOf(directory)) === "missing") return;
  if ((await kindOf(directory)) !== "directory" || (await readdir(directory)).length > 0) refuse(taken(directory));
}

const taken = (directory: string): Failure => ({
  kind: "usage",
  message: `${directory} is there already`,
  remedy: "Name another directory with --to, or move that one away.",
});

async function build(home: string, rescue: Rescue, draft: string): Promise<Made> {
  const { entries } = readManifest(rescue);
  const directories = entries.filter(({ kind }) => kind === "directory");
  for (const { path } of directories) mkdirSync(bytesBelow(draft, path), { mode: 0o700 });
  for (const entry of entries) {
    if (entry.kind === "link") writeLink(draft, entry);
    if (entry.kept.in === "vault") writeFile(draft, entry, (take) => fromVault(rescue.where, entry, take));
  }
  await writeBlobs(repositoryIn(home), entries, draft);
  if (directories.some(({ path }) => path === ".git")) await writeRepository(home, rescue, join(draft, ".git"));
  return {
    left: entries.filter(({ kind }) => kind === "special").map(({ path }) => path),
    nested: entries.flatMap(({ path }) => (path.endsWith("/.git") && !path.startsWith(gitPrefix) ? [path] : [])),
    files: entries.filter(({ kind }) => kind === "file").map(({ path }) => bytesBelow(draft, path)),
    modes: directories.map(({ path, mode }) => ({ path: bytesBelow(draft, path), mode })).reverse(),
  };
}

function writeLink(draft: string, { path, target }: RescueEntry): void {
  symlinkSync(Buffer.from(target ?? "", "latin1"), bytesBelow(draft, path));
}

function writeFile(draft: string, entry: RescueEntry, source: Source): void {
  try {
    const descriptor = openSync(bytesBelow(draft, entry.path), "wx", 0o600);
    try {
      writeSparsely(descriptor, entry.size, source);
    } finally {
      closeSync(descriptor);
    }
    chmodSync(bytesBelow(draft, entry.path), entry.mode);
  } catch (error) {
    unkept(entry.path)(error);
  }
}

async function writeBlobs(gitDir: string, entries: readonly RescueEntry[], draft: string): Promise<void> {
  const files = new Map<string, RescueEntry[]>();
  for (const entry of entries) {
    if (entry.kind !== "file" || entry.kept.in !== "git" || entry.blob === null) continue;
    const same = files.get(entry.blob);
    if (same === undefined) files.set(entry.blob, [entry]);
    else same.push(entry);
  }
  const wanted = [...files].map(([id, [entry]]) => ({ id, size: entry?.size ?? 0 }));
  await readObjects(gitDir, wanted, (id, content) => {
    for (const entry of files.get(id) ?? [])
      if (content === null) refuseUnkept(entry.path, `${gitDir} no longer has ${id}`);
      else writeFile(draft, entry, (take) => take(content));
  });
}

/** Everything the rescue's references reach, in one pack; the rest of the git directory is among the entries. */
async function writeRepository(home: string, rescue: Rescue, gitDir: string): Promise<void> {
  const packs = join(gitDir, "objects", "pack");
  mkdirSync(packs, { recursive: true });
  const input = `${[rescue.commit, ...rescue.tags].join("\n")}\n`;
  const options = ["--revs", "-q", "--window=0", "--no-reuse-delta"];
  await gitBytes({ gitDir: repositoryIn(home), input, durable: true }, [
    "pack-objects",
    ...options,
    join(packs, "pack"),
  ]);
  await syncDirectory(packs);
  for (const [ref, id] of Object.entries(rescue.refs)) writeSmall(join(gitDir, ref), `${id}\n`);
  const cut = new Set([...((await readText(join(gitDir, "shallow"), 2 ** 28)) ?? "").split("\n"), ...rescue.shallow]);
  cut.delete("");
  await rm(join(gitDir, "shallow"), { force: true });
  writeSmall(join(gitDir, "shallow"), [...cut].map((id) => `${id}\n`).join(""));
}

function writeSmall(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const descriptor = openSync(path, "wx", 0o644);
  try {
    writeAll(descriptor, Buffer.from(text), 0);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** An agent wrote them, and git would run what they name. They stay beside, to be read. */
async function setAsideConfiguration(home: string, gitDir: string): Promise<void> {
  if ((await kindOf(gitDir)) !== "directory") return;
  for (const name of ["config", "config.worktree", "hooks"])
    if ((await kindOf(join(gitDir, name))) !== "missing")
      await rename(join(gitDir, name), join(gitDir, `${name}.rescued`));
  const ours = readFileSync(join(home, "ledger.git", "config"), "utf8");
  writeSmall(join(gitDir, "config"), ours.replace("bare = true", "bare = false"));
}

async function appear(draft: string, directory: string, { files, modes }: Made): Promise<void> {
  // All at the end: the first one brings most of the others along.
  for (const file of files) if (existsSync(file)) syncNow(file);
  // What was set aside has another name by now.
  for (const { path, mode } of modes.filter((one) => existsSync(one.path))) {
    syncNow(path);
    chmodSync(path, mode);
  }
  chmodSync(draft, 0o755);
  await syncDirectory(draft);
  // Replaces an empty directory, and nothing else.
  await rename(draft, directory).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? error.code : "";
    return code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOTDIR"
      ? refuse(taken(directory))
      : unkept(directory)(error);
  });
  await syncDirectory(dirname(directory));
}

/** Whatever its mode: its owner may not be allowed to read it. */
function syncNow(path: Buffer): void {
  const mode = statSync(path).mode & 0o7777;
  const isClosed = (mode & 0o400) === 0;
  if (isClosed) chmodSync(path, mode | 0o400);
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  if (isClosed) chmodSync(path, mode);
}
