// A git that was killed leaves the lock of the reference it was changing behind, and no later git gets past it. Such a
// file is removed only when nobody can be holding it.
import { link, lstat, readdir, readFile, readlink, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseStat, startedAtMs } from "../kit/process-table.ts";
import { isMissing } from "./files.ts";

/** git holds such a lock for milliseconds. */
const watchMs = 1_000;
/** One that is just ending cannot be told from a holder; at the next look it has ended. */
const looks = 3;

/** The lock in a repository that git says is in its way: of our own references, or of the list they may be packed in. */
export function lockInTheWay(stderr: string, commonDir: string): string | null {
  const path = /Unable to create '(.+\.lock)': File exists/.exec(stderr)?.[1];
  const within = path?.startsWith(`${commonDir}/`) ? path.slice(commonDir.length + 1) : "";
  const ours = /^refs\/(heads\/)?harness\//.test(within) || within === "packed-refs.lock";
  return path !== undefined && ours ? path : null;
}

/** True when the lock is gone now: it did not change while it was watched, and no process can be holding it. */
export async function removeIfStale(lock: string, commonDir: string): Promise<boolean> {
  const seen = await identityOf(lock);
  if (seen === null) return true;
  for (let look = 1; look <= looks; look += 1) {
    await delay(watchMs);
    const now = await identityOf(lock);
    if (now === null) return true;
    if (now.text !== seen.text) return false;
    if (!(await mayBeHeld(now, dirname(commonDir)))) return remove(lock, seen, commonDir);
  }
  return false;
}

async function remove(lock: string, seen: Identity, commonDir: string): Promise<boolean> {
  // Not among the references: what a crash leaves there would be taken for one.
  const aside = join(commonDir, `harness-stale-lock.${process.pid}`);
  try {
    await rename(lock, aside);
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
  // Another process may have removed the stale one meanwhile, and a git have made its own: that is given back.
  const isIt = (await identityOf(aside))?.text === seen.text;
  if (!isIt) await link(aside, lock).catch(() => undefined);
  await unlink(aside);
  return isIt;
}

interface Identity {
  readonly mtimeMs: number;
  readonly dev: bigint;
  readonly ino: bigint;
  readonly text: string;
}

async function identityOf(path: string): Promise<Identity | null> {
  try {
    const { dev, ino, size, mtimeNs } = await lstat(path, { bigint: true });
    return { mtimeMs: Number(mtimeNs / 1_000_000n), dev, ino, text: [dev, ino, size, mtimeNs].join() };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The clock of files is less exact than the one by which processes start. */
const slackMs = 2_000;

/**
 * Where processes cannot be looked at, or a git is stopped in the middle of something, the answer is yes. A git closes
 * a lock long before it lets go of it, so one that is at work around the repository since before the lock counts too.
 */
async function mayBeHeld(lock: Identity, around: string): Promise<boolean> {
  const processes = await readdir("/proc").catch(() => null);
  if (processes === null) return true;
  for (const pid of processes.filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(join("/proc", pid, "stat"), "latin1").catch(() => "");
    const row = parseStat(status);
    // What has ended holds nothing, even where nobody may look at it any more.
    if (row === null || row.zombie) continue;
    const isGit = status.includes("(git");
    if (isGit && / T /.test(status.slice(status.lastIndexOf(")")))) return true;
    if (isGit && startedAtMs(row) <= lock.mtimeMs + slackMs && (await worksIn(pid, around))) return true;
    const folder = join("/proc", pid, "fd");
    const open = await readdir(folder).catch((error: unknown) => (isMissing(error) ? [] : null));
    if (open === null && isGit) return true;
    for (const fd of open ?? []) {
      const found = await stat(join(folder, fd), { bigint: true }).catch(() => null);
      if (found?.dev === lock.dev && found.ino === lock.ino) return true;
    }
  }
  return false;
}

/** Whoever is ending has no folder any more; of whom it is kept from us, it may be. */
async function worksIn(pid: string, directory: string): Promise<boolean> {
  const cwd = await readlink(join("/proc", pid, "cwd")).catch((error: unknown) => (isMissing(error) ? "" : null));
  return cwd === null || cwd === directory || cwd.startsWith(`${directory}/`);
}
