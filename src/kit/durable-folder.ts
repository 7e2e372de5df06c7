// Makes folders that outlast a power cut: the entry of each new one is synced in the folder above it.
import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { namingFile } from "./file-error.ts";
import { isThere } from "./is-there.ts";

/**
 * Makes what is missing of `path`, each part with `mode`. Answers whether the last part is new. Part by part: Node's own
 * recursive mkdir tells most errors as ENOENT.
 */
export function createFolderDurably(path: string, mode: number): boolean {
  const folder = resolve(path);
  if (isThere(folder)) return false;
  const parent = dirname(folder);
  createFolderDurably(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process was quicker, and syncs what it made.
    if (isThere(folder)) return false;
    return namingFile(folder)(error);
  }
  syncFolder(parent);
  return true;
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } catch (error) {
    namingFile(folder)(error);
  } finally {
    closeSync(descriptor);
  }
}
