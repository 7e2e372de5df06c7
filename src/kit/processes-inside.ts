// Which processes are at work in a directory: whoever moves or removes it must know.
import { readdir, readlink } from "node:fs/promises";

/**
 * Pids of processes whose working directory, or an open file, is in `directory`; null when this system does not show
 * that. Processes of other users are not seen: a directory that only its owner may enter has none of them inside.
 */
export async function processesInside(directory: string): Promise<readonly number[] | null> {
  const listed = await readdir("/proc").catch(() => null);
  const pids = (listed ?? []).map(Number).filter((pid) => Number.isInteger(pid) && pid > 0);
  if (!pids.includes(process.pid)) return null;
  const inside = (path: string): boolean => path === directory || path.startsWith(`${directory}/`);
  const found = await Promise.all(pids.map(async (pid) => ((await placesOf(pid)).some(inside) ? [pid] : [])));
  return found.flat();
}

/** Nothing for a process that ended meanwhile, or that we may not look at. */
async function placesOf(pid: number): Promise<readonly string[]> {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = [`/proc/${pid}/cwd`, ...files.map((file) => `/proc/${pid}/fd/${file}`)];
  return Promise.all(links.map((link) => readlink(link).catch(() => "")));
}
