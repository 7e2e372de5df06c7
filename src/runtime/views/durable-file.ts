// Small steps of durable writing in a folder that others can write to as well: nothing planted there is followed.
import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { namingFile } from "../../kit/file-error.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Fails with EEXIST on whatever has that name, also on a link to nowhere. */
export async function writeNew(path: string, text: string, mode: number): Promise<void> {
  await withFile(path, await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, mode), async (file) => {
    await file.writeFile(text);
    await file.sync();
  });
}

/** Larger than any view of ours; a planted giant must not stop us. */
const maxBytes = 2 ** 28;

/** Null unless a regular file of a sensible size is there. */
export async function readRegular(path: string): Promise<{ readonly text: string; readonly stats: Stats } | null> {
  // Without O_NONBLOCK, opening a named pipe would wait for ever.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (["ENOENT", "ELOOP", "ENXIO"].includes(codeOf(error))) return null;
    throw error;
  });
  if (file === null) return null;
  return withFile(path, file, async () => {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= maxBytes ? { text: await file.readFile("utf8"), stats } : null;
  });
}

/** A rename or a new name is only durable once the folder is. */
export async function syncFolder(path: string): Promise<void> {
  await withFile(path, await open(path, O_RDONLY), (folder) => folder.sync());
}

/** The system's name for what went wrong, or "" for anything else. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Answers `fallback` when the thing is not there. */
export const unlessThere =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (codeOf(error) === "ENOENT") return fallback;
    throw error;
  };

async function withFile<T>(path: string, file: FileHandle, work: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await work(file).catch(namingFile(path));
  } finally {
    await file.close();
  }
}
