// Tells whether files that a set-up made are still the ones it made, without reading them. What somebody added is seen
// by its name; what somebody changed by its change time, which only the system sets.
import { createHash } from "node:crypto";
import { createReadStream, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { isMissing } from "./files.ts";

/**
 * Path below the checkout → what it is. A directory is its inode and mode: files come and go in it, and each has a line
 * of its own. What is moved as such – a root – and hard links, whose change time moves with every further link, are
 * known by their content instead of that time.
 */
export type Fingerprint = ReadonlyMap<string, string>;

/** `roots` are paths below `top`; null when one lies behind a link, or holds what is no file, directory or link. */
export async function fingerprintOf(top: string, roots: readonly string[]): Promise<Fingerprint | null> {
  const found = new Map<string, string>();
  const note = async (path: string, isRoot: boolean): Promise<boolean> => {
    const seen = await look(join(top, path), isRoot);
    if (seen === null) return false;
    found.set(path, seen.line);
    // A large tree must not keep heartbeats waiting.
    if (found.size % 1_000 === 0) await setImmediate();
    for (const name of seen.names) if (!(await note(`${path}/${name}`, false))) return false;
    return true;
  };
  for (const root of roots) if (!isPlainlyIn(top, root) || !(await note(root, true))) return null;
  return found;
}

/**
 * Whether everything of the fingerprint is as it was. What was added among it is removed on the way or, with `look`, is
 * a difference as well.
 */
export async function isAsMade(
  top: string,
  { roots, made, added }: { roots: readonly string[]; made: Fingerprint; added: "remove" | "look" },
): Promise<boolean> {
  let checked = 0;
  const check = async (path: string, isRoot: boolean): Promise<boolean> => {
    const seen = await look(join(top, path), isRoot);
    if (seen === null || seen.line !== made.get(path)) return false;
    checked += 1;
    if (checked % 1_000 === 0) await setImmediate();
    for (const name of seen.names) {
      const below = `${path}/${name}`;
      if (made.has(below)) {
        if (!(await check(below, false))) return false;
      } else if (added === "look") return false;
      else await rm(join(top, below), { recursive: true, force: true });
    }
    return true;
  };
  for (const root of roots) if (!isPlainlyIn(top, root) || !(await check(root, true))) return false;
  return checked === made.size;
}

/** Null for what is missing or cannot be kept. Calls that wait would make a large tree take ten times as long. */
async function look(path: string, isRoot: boolean): Promise<{ line: string; names: readonly string[] } | null> {
  try {
    const seen = lstatSync(path, { bigint: true });
    const { ino, mode, size, mtimeNs, ctimeNs, nlink } = seen;
    if (seen.isDirectory()) return { line: `d ${ino} ${mode}`, names: readdirSync(path) };
    const stamps = `${ino} ${mode} ${size} ${mtimeNs}`;
    if (seen.isSymbolicLink()) return { line: `l ${stamps} ${isRoot ? readlinkSync(path) : ctimeNs}`, names: [] };
    if (!seen.isFile()) return null;
    return { line: `f ${stamps} ${isRoot || nlink > 1n ? await hashOf(path) : ctimeNs}`, names: [] };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Whether every directory on the way from `top` is one: a link would lead whoever cleans there elsewhere. */
export function isPlainlyIn(top: string, path: string): boolean {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) return false;
  return parts.every((_, depth) => {
    const at = join(top, ...parts.slice(0, depth));
    return lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
  });
}
