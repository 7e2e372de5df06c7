// Locks that a git of ours left when it was killed. git itself never removes one: it cannot know.
import { readFile, rm, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { isMissing } from "./files.ts";

/** A git that lives has long gone on by then. Only a hook may take longer, and its lock has a text. */
const patienceMs = 3_000;

/**
 * Removes a lock that holds nothing, or exactly what we would have written, and does not change any more. A lock with
 * another text is another's and stays.
 */
export async function clearStaleLock(lock: string, ours: string): Promise<void> {
  const found = await look(lock);
  if (found === null || (found.text !== "" && found.text.trim() !== ours)) return;
  const age = Date.now() - found.mtimeMs;
  // A clock that was set back must not make us wait for hours.
  if (age < patienceMs) await wait(Math.min(patienceMs, patienceMs - age));
  const still = await look(lock);
  if (still?.ino === found.ino && still.mtimeMs === found.mtimeMs && still.text === found.text)
    await rm(lock, { force: true });
}

async function look(path: string): Promise<{ text: string; ino: number; mtimeMs: number } | null> {
  try {
    const { ino, mtimeMs } = await stat(path);
    return { text: await readFile(path, "utf8"), ino, mtimeMs };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
