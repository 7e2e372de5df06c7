// Makes folders that outlast a power cut: the entry of each new one is synced in the folder above it.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Makes what is missing of `path`, each part with `mode`. Answers whether the last part is new. */
export function createFolderDurably(path: string, mode: number): boolean {
  const folder = resolve(path);
  if (existsSync(folder)) return false;
  const outermost = mkdirSync(folder, { recursive: true, mode });
  // Another process was quicker, and syncs what it made.
  if (outermost === undefined) return false;
  for (let parent = dirname(folder); ; parent = dirname(parent)) {
    syncFolder(parent);
    if (parent === dirname(outermost) || parent === dirname(parent)) return true;
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
