// Small file acts whose order matters: whole files appear at once, and renames are on the disk when they are answered.
// What waits for the disk is waited for; a look at a small file is done at once, as an errand of the thread pool costs
// ten times as much, and a slot takes a hundred of them.
import { createHash, randomBytes } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  copyFileSync,
  fsync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  type WriteFileOptions,
  writeFileSync,
} from "node:fs";
import { chmod, copyFile, readdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createFolderDurably } from "../kit/durable-folder.ts";
import { namingFile } from "../kit/file-error.ts";

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

export async function kindOf(path: string): Promise<"directory" | "file" | "other" | "missing"> {
  try {
    const found = lstatSync(path);
    return found.isDirectory() ? "directory" : found.isFile() ? "file" : "other";
  } catch (error) {
    if (isMissing(error)) return "missing";
    throw error;
  }
}

/** Text of a regular file, or null when there is none. A pipe or a file past `maxBytes` counts as none. */
export async function readText(path: string, maxBytes: number): Promise<string | null> {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size <= maxBytes ? readFileSync(path, "utf8") : null;
  } catch (error) {
    return isMissing(error) ? null : namingFile(path)(error);
  }
}

export async function writeWhole(path: string, text: string): Promise<void> {
  await replaceWhole(path, text);
  await syncDirectory(dirname(path));
}

/** The same for a caller that syncs the directory itself: until then a crash may bring the old one back. */
export async function replaceWhole(path: string, text: string): Promise<void> {
  const draft = draftOf(path);
  await writeSynced(draft, text);
  renameSync(draft, path);
}

/** A new file whose content is on the disk; its name is once its directory is synced. */
export async function writeSynced(path: string, text: string, mode = 0o600): Promise<void> {
  const file = openSync(path, "wx", mode);
  try {
    writeFileSync(file, text);
    await sync(file);
  } catch (error) {
    namingFile(path)(error);
  } finally {
    closeSync(file);
  }
}

/** For what is checked and written anew after a crash: whole for every reader, but not yet on the disk. */
export async function keepText(path: string, text: string): Promise<void> {
  if ((await readText(path, text.length * 4 + 1024)) === text) return;
  const draft = draftOf(path);
  writeSmall(draft, text, { flag: "wx", mode: 0o600 });
  renameSync(draft, path);
}

/** Where nobody else can be looking; not on the disk. */
export function writeSmall(path: string, text: string, options: WriteFileOptions = {}): void {
  try {
    writeFileSync(path, text, options);
  } catch (error) {
    namingFile(path)(error);
  }
}

const draftOf = (path: string): string => `${path}.${randomBytes(6).toString("hex")}.tmp`;

export const syncDirectory = (path: string): Promise<void> => syncPath(path, constants.O_DIRECTORY);
export const syncFile = (path: string): Promise<void> => syncPath(path, constants.O_NOFOLLOW);

export async function syncPath(path: string, flags: number): Promise<void> {
  const opened = openSync(path, constants.O_RDONLY | flags);
  try {
    await sync(opened).catch(namingFile(path));
  } finally {
    closeSync(opened);
  }
}

const sync = promisify(fsync);

/** Everything below a directory of ours, and the directory itself. Links are not followed. */
export async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncFile(path);
  }
  await syncDirectory(directory);
}

export async function moveDurably(from: string, to: string): Promise<void> {
  createFolderDurably(dirname(to), 0o700);
  await rename(from, to).catch(async (error: unknown) => {
    // A directory made read-only cannot be moved by its owner.
    if (!(error instanceof Error && "code" in error && error.code === "EACCES")) throw error;
    await chmod(from, 0o700);
    await rename(from, to);
  });
  await syncDirectory(dirname(to));
  await syncDirectory(dirname(from));
}

/** Done at once in less time than an errand takes; the index of ten thousand files. */
const smallBytes = 2 ** 20;

/**
 * Copies a git index. Its modification time tells git which entries were written too late to be trusted by their
 * stamps; a copy must not look younger than the original, so it is made a little older.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  const { mtimeNs, size }: BigIntStats = statSync(from, { bigint: true });
  if (size < smallBytes) copyFileSync(from, to);
  else await copyFile(from, to);
  const seconds = (Number(mtimeNs / 1_000_000n) - 1) / 1000;
  utimesSync(to, seconds, seconds);
}

/** Larger than the index of any repository we know of; what an agent puts in its place must not fill our memory. */
const maxHashedBytes = 256 * 1024 * 1024;

/** SHA-256 of a regular file; "" of one that is too large. */
export async function hashOfFile(path: string): Promise<string> {
  const { size } = statSync(path);
  if (size > maxHashedBytes) return "";
  try {
    const bytes = size < smallBytes ? readFileSync(path) : await readFile(path);
    return createHash("sha256").update(bytes).digest("hex");
  } catch (error) {
    return namingFile(path)(error);
  }
}
