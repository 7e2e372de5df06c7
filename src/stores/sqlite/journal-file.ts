// The file itself, before SQLite touches it: private to the user, and lasting once it is there.
//
// An existing file is never opened and closed here: closing any descriptor of a file drops every lock that SQLite
// holds on it in this process.
import { accessSync, chmodSync, closeSync, constants, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isThere } from "../../kit/is-there.ts";

/** Creates file (0600) and folder (0700) where missing, and takes other users' rights to the file away. */
export function prepareJournalFile(path: string): void {
  const folder = dirname(resolve(path));
  createFolder(folder);
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  createFile(path);
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  accessSync(path, constants.R_OK | constants.W_OK);
}

/** A folder that was there already keeps its rights: it may be anyone's. */
function createFolder(folder: string): void {
  if (isThere(folder)) return;
  const parent = dirname(folder);
  createFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    // Another process was quicker.
    if (!isThere(folder)) throw error;
  }
  // SQLite syncs the folder of its file, but the entries of new folders above it are ours to make lasting.
  syncFolder(parent);
}

function createFile(path: string): void {
  if (isThere(path)) return;
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // Another process was quicker.
    if (!isThere(path)) throw error;
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
