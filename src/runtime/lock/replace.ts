// Puts our lock at its name. Everything here is synchronous and runs with the journal locked: of all that share the
// journal, one at a time. Seed-style scripts do not share it, so each step is also safe against them.
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { type LockOwner, lockContention, lockReclaimed } from "../../protocol/lock.ts";
import { codeOf } from "../views/durable-file.ts";
import { type Found, look, ownerFile, pidFile } from "./look.ts";
import { folderOf, isLeftover, newName, staleName } from "./names.ts";

export type Rename = (from: string, to: string) => void;

export interface Replacement {
  readonly path: string;
  /** What was found and judged to be nobody's. */
  readonly judged: Found;
  readonly mine: LockOwner;
  readonly rename: Rename;
}

/** "changed": what lies there is not what was judged, and nothing was done. Throws what the system says. */
export function replace({ path, judged, mine, rename }: Replacement): Outcome<null> | "changed" {
  if (look(path).print !== judged.print) return "changed";
  removeLeftovers(path);
  const built = newName(path);
  let aside: string | null = null;
  try {
    build(built, mine);
    // An empty directory is replaced by the rename itself: there is no moment without a lock.
    if (judged.kind === "lock" && !judged.empty) {
      aside = moveAside(path, rename);
      if (aside !== null && look(aside).print !== judged.print) {
        putBack(aside, path, rename);
        return failed(lockReclaimed);
      }
    }
    rename(built, path);
    return succeeded(null);
  } catch (error) {
    // Somebody else's lock is there, or – with another journal – somebody removed what we had built as a leftover.
    if (["ENOTEMPTY", "EEXIST", "ENOENT"].includes(codeOf(error))) return failed(lockContention);
    throw error;
  } finally {
    remove(built);
    if (aside !== null) remove(aside);
  }
}

/** Removes the lock if it is still the one of this nonce; anything else is somebody's, and stays. */
export function withdraw(path: string, nonce: string, rename: Rename): void {
  if (!isOf(look(path), nonce)) return;
  const aside = moveAside(path, rename);
  if (aside === null) return;
  if (isOf(look(aside), nonce)) remove(aside);
  else putBack(aside, path, rename);
}

const isOf = (found: Found, nonce: string): boolean => found.kind === "lock" && found.owner?.nonce === nonce;

/** Null when nothing is there any more. */
function moveAside(path: string, rename: Rename): string | null {
  const aside = staleName(path);
  try {
    rename(path, aside);
    return aside;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** It was put there between our look and our move. If yet another took its place since, that one has the lock. */
function putBack(aside: string, path: string, rename: Rename): void {
  try {
    rename(aside, path);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(codeOf(error))) throw error;
  }
}

/** Readable for all: other users' sessions must be able to judge it. */
function build(directory: string, mine: LockOwner): void {
  mkdirSync(directory, { mode: 0o700 });
  writeDurably(join(directory, pidFile), `${mine.pid}\n`);
  writeDurably(join(directory, ownerFile), `${JSON.stringify(mine)}\n`);
  chmodSync(directory, 0o755);
}

function writeDurably(path: string, text: string): void {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const file = openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    fchmodSync(file, 0o644);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What killed takers and releasers left: with the journal locked, none of them can still be at it. */
function removeLeftovers(path: string): void {
  const folder = folderOf(path);
  for (const entry of readdirSync(folder)) if (isLeftover(entry, path)) remove(join(folder, entry));
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    // It no longer has the lock's name, so nobody is held up by it; another user's entries stay.
    if (codeOf(error) === "") throw error;
  }
}
