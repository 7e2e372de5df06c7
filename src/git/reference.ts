// References of the user's repository as their files say it, so that a look at one starts no process. Only what is
// plain is answered; git is asked about everything else. New ones of our own are written in the same way.
import { randomBytes } from "node:crypto";
import { lstatSync, renameSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../kit/make-folder.ts";
import { CommitId } from "../protocol/ids.ts";
import { isMissing, kindOf, readText, syncDirectory, writeSynced } from "./files.ts";

/** Nothing was understood: git has to be asked. */
export const unclear = Symbol("unclear");
type Read<T> = T | typeof unclear;

const maxRefBytes = 4_096;
const maxPackedBytes = 64 * 1024 * 1024;
/** As far as git itself follows one name to the next. */
const maxSteps = 5;

/** The commit that a full reference is at, or null when there is no such reference. */
export async function readReference(commonDir: string, ref: string): Promise<Read<CommitId | null>> {
  if ((await kindOf(join(commonDir, "reftable"))) !== "missing") return unclear;
  let name = ref;
  for (let step = 0; step < maxSteps; step += 1) {
    const text = await readLoose(commonDir, name);
    if (text === unclear) return unclear;
    if (text === null) return readPacked(commonDir, name);
    const next = /^ref: (refs\/[!-~]+)\n$/.exec(text)?.[1];
    if (next === undefined || next.includes("..")) return CommitId.safeParse(text.replace(/\n$/, "")).data ?? unclear;
    name = next;
  }
  return unclear;
}

async function readLoose(commonDir: string, name: string): Promise<Read<string | null>> {
  const path = join(commonDir, name);
  const text = await readText(path, maxRefBytes);
  // A directory: references below a name that is none itself, or was one until it was packed.
  if (text === null) return ["missing", "directory"].includes(await kindOf(path)) ? null : unclear;
  return text;
}

/** Looked into after the reference's own file was not found: git writes the list before it removes the file. */
async function readPacked(commonDir: string, name: string): Promise<Read<CommitId | null>> {
  const path = join(commonDir, "packed-refs");
  const text = await readText(path, maxPackedBytes);
  if (text === null) return (await kindOf(path)) === "missing" ? null : unclear;
  const at = text.indexOf(` ${name}\n`);
  if (at === -1) return null;
  return CommitId.safeParse(text.slice(text.lastIndexOf("\n", at) + 1, at)).data ?? unclear;
}

/** Whether no checkout of the repository, the main one or a linked one, is on that branch. */
export async function isOnNoCheckout(commonDir: string, branch: string): Promise<boolean> {
  const linked = join(commonDir, "worktrees");
  const names = (await kindOf(linked)) === "missing" ? [] : await readdir(linked).catch(() => null);
  if (names === null) return false;
  for (const gitDir of [commonDir, ...names.map((name) => join(linked, name))]) {
    const text = await readText(join(gitDir, "HEAD"), maxRefBytes);
    if (text === null || !/^(ref: refs\/\S+|[0-9a-f]{40,64})\n$/.test(text)) return false;
    if (text === `ref: refs/heads/${branch}\n`) return false;
  }
  return true;
}

/** Names directly below a prefix; git alone can say when references were packed. */
export async function namesBelow(commonDir: string, prefix: string): Promise<Read<readonly string[]>> {
  if ((await kindOf(join(commonDir, "reftable"))) !== "missing") return unclear;
  const directory = join(commonDir, prefix);
  const loose = (await kindOf(directory)) === "missing" ? [] : await readdir(directory).catch(() => null);
  const path = join(commonDir, "packed-refs");
  const packed = await readText(path, maxPackedBytes);
  const unread = packed === null && (await kindOf(path)) !== "missing";
  return loose === null || unread || packed?.includes(` ${prefix}/`) ? unclear : loose;
}

/**
 * A reference that only this mission uses, made as git makes one: whole, by one rename, and on the disk. False where git
 * has to do it: it is there already, is being changed, or is kept in another way.
 */
export async function createReference(commonDir: string, ref: string, text: string): Promise<boolean> {
  const path = join(commonDir, ref);
  if ((await readReference(commonDir, ref)) !== null || (await kindOf(path)) !== "missing") return false;
  if ((await kindOf(`${path}.lock`)) !== "missing") return false;
  return putInPlace(commonDir, ref, text);
}

/** For names that git may be asked about and does not change; false where its clearing up of folders came between. */
async function putInPlace(commonDir: string, ref: string, text: string): Promise<boolean> {
  const draft = join(commonDir, `${draftPrefix}${randomBytes(6).toString("hex")}`);
  await writeSynced(draft, `${text}\n`, 0o666);
  const path = join(commonDir, ref);
  try {
    const changed = await makeRoom(dirname(path));
    renameSync(draft, path);
    await Promise.all(changed.map(syncDirectory));
    return true;
  } catch (error) {
    await rm(draft, { force: true });
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Makes a folder; answers those that have to be synced when something was put into it. */
async function makeRoom(folder: string): Promise<readonly string[]> {
  const changed = [folder];
  for (let at = folder; (await kindOf(at)) === "missing"; at = dirname(at)) changed.push(dirname(at));
  await makeFolder(folder);
  return changed;
}

const draftPrefix = "harness-ref.";
/** A draft lives for milliseconds; whoever loses one all the same leaves the reference to git. */
const draftMs = 600_000;

/** What processes that were killed left of references they were making. */
export async function sweepDrafts(commonDir: string): Promise<void> {
  for (const name of await readdir(commonDir)) {
    if (!name.startsWith(draftPrefix)) continue;
    const path = join(commonDir, name);
    const made = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - made > draftMs) await rm(path, { force: true });
  }
}
