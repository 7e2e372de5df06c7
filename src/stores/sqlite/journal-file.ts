// The file itself, before SQLite touches it: private to the user, and lasting once it is there.
//
// An existing file is never opened and closed here: closing any descriptor of a file drops every lock that SQLite
// holds on it in this process.
import { accessSync, chmodSync, closeSync, constants, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { createFolderDurably } from "../../kit/durable-folder.ts";
import { isThere } from "../../kit/is-there.ts";

/** Creates file (0600) and folder (0700) where missing, and takes other users' rights to the file away. */
export function prepareJournalFile(path: string): void {
  const folder = dirname(resolve(path));
  // A folder that was there already keeps its rights: it may be anyone's. SQLite syncs it once the file is in it.
  if (createFolderDurably(folder, 0o700)) chmodSync(folder, 0o700);
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  createFile(path);
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  accessSync(path, constants.R_OK | constants.W_OK);
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
