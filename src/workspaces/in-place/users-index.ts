// Changes the user's index the way git does: a new one is written beside it, under the name that says it is locked.
import { copyFile, open, readFile, rename, stat, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, kindOf, readText, syncDirectory } from "../../git/files.ts";
import { refuse } from "../../git/refusal.ts";
import { processesInside } from "../../kit/processes-inside.ts";
import type { Here } from "./here.ts";

const lockOf = (here: Here): string => join(here.gitDir, "index.lock");

/**
 * The bytes of `source` become the index, and its age too: git trusts the stamps of files that are older than their
 * index, so a younger one would hide a change made in the second in which the index was written.
 */
export async function replaceIndex(here: Here, source: string): Promise<void> {
  const bytes = await readFile(source);
  const { mtime } = await stat(source);
  if ((await kindOf(here.theirIndex)) === "file" && bytes.equals(await readFile(here.theirIndex)))
    return utimes(here.theirIndex, mtime, mtime);
  await freeIndex(here);
  const file = await open(lockOf(here), "wx", 0o644);
  try {
    await file.writeFile(bytes);
    await file.utimes(mtime, mtime);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(lockOf(here), here.theirIndex);
  await syncDirectory(here.gitDir);
}

/** A lock that a killed git left is put aside; one that a git at work may hold is not touched. */
export async function freeIndex(here: Here): Promise<void> {
  const lock = lockOf(here);
  if ((await kindOf(lock)) === "missing") return;
  if (await isHeld(here))
    refuse({
      kind: "env_setup",
      message: `${lock} is there: git is at work in the checkout`,
      remedy: "Wait for it to end. If no git is running there, remove the file.",
    });
  await copyFile(lock, join(here.slot.directory, "index.lock.left"));
  await unlink(lock).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/** git closes the file before its editor does, so any git in the checkout may hold it. */
async function isHeld(here: Here): Promise<boolean> {
  const inside = await processesInside(here.work);
  if (inside === null) return true;
  const names = await Promise.all(inside.map((pid) => readText(`/proc/${pid}/comm`, 4_096)));
  if (names.some((name) => name?.trim() === "git")) return true;
  return (await processesInside(lockOf(here)))?.length !== 0;
}
