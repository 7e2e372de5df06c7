// Where the visible lock of a state root lies, and what lies beside it for a moment.
import { createHash, randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";

/** Literally this, not TMPDIR: seed-style scripts of other sessions look nowhere else. */
const usualBase = "/tmp";

/** `root` must be a real path, or two names of one directory would give two locks. */
export function lockPath(root: string, base: string = usualBase): string {
  const key = createHash("sha256").update(root).digest("hex").slice(0, 16);
  return join(base, `harness-${key}.lock`);
}

export const newNonce = (): string => randomBytes(16).toString("hex");

/** Built here before it is published. */
export const newName = (path: string): string => `${path}.new.${newNonce()}`;
/** Moved here before it is removed. */
export const staleName = (path: string): string => `${path}.stale.${newNonce()}`;

/** Whether an entry of the lock's folder is one of the above; those of seed-style scripts end in a pid and are theirs. */
export function isLeftover(entry: string, path: string): boolean {
  const name = basename(path);
  return entry.startsWith(`${name}.`) && /^\.(new|stale)\.[0-9a-f]{32}$/.test(entry.slice(name.length));
}

export const folderOf = (path: string): string => dirname(path);
