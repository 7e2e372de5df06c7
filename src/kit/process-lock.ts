// One process at a time: a directory with its owner inside, published populated by one rename.
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { namingFile } from "./file-error.ts";
import type { ProcessIdentity } from "./process-identity.ts";

export interface Lookout {
  self(): Promise<ProcessIdentity>;
  isAlive(identity: ProcessIdentity): Promise<boolean>;
}

export type Taken =
  | { readonly ok: true; release(): Promise<void> }
  /** Null when several were at it at once and none of them could be named. */
  | { readonly ok: false; readonly holder: ProcessIdentity | null };

interface Holder {
  /** Names this holding of the lock, not only its process: one process may hold it many times. */
  readonly name: string;
  /** Null when it cannot be read. It is published whole, so only a power cut does that: the owner is dead. */
  readonly owner: ProcessIdentity | null;
}

const ownerFile = "owner.json";
const tries = 3;

/** Does not wait: a live holder is an answer. A dead one is replaced. */
export async function takeLock(path: string, processes: Lookout): Promise<Taken> {
  for (let tried = 0; tried < tries; tried += 1) {
    const holder = await readHolder(path);
    if (holder !== null) {
      if (holder.owner !== null && (await processes.isAlive(holder.owner))) return { ok: false, holder: holder.owner };
      await removeDead(path, holder.name, processes);
    }
    const name = await publish(path, await processes.self());
    if (name !== null) return { ok: true, release: () => removeNamed(path, name) };
  }
  return { ok: false, holder: null };
}

/**
 * Two that found the same dead holder must not remove the lock of whoever came after it. So only who holds the lock
 * named after that holder may remove it; if that one dies in turn, it is replaced by the same rule.
 */
async function removeDead(path: string, name: string, processes: Lookout): Promise<void> {
  const right = await takeLock(`${path}.${name.slice(0, 8)}`, processes);
  if (!right.ok) return;
  try {
    await removeNamed(path, name);
  } finally {
    await right.release();
  }
}

async function removeNamed(path: string, name: string): Promise<void> {
  if ((await readHolder(path))?.name !== name) return;
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside).catch(unlessThere(undefined));
  await rm(aside, { recursive: true, force: true });
}

/** The name of the new holding, or null when somebody was faster. */
async function publish(path: string, owner: ProcessIdentity): Promise<string | null> {
  const name = randomUUID();
  const prepared = `${path}.${name}`;
  await mkdir(prepared, { mode: 0o700 });
  try {
    const file = join(prepared, ownerFile);
    await writeFile(file, JSON.stringify({ name, owner }), { mode: 0o600 }).catch(namingFile(file));
    // Over a directory that holds something, this fails.
    await rename(prepared, path);
    return name;
  } catch (error) {
    await rm(prepared, { recursive: true, force: true });
    if (["ENOTEMPTY", "EEXIST"].includes(codeOf(error))) return null;
    throw error;
  }
}

async function readHolder(path: string): Promise<Holder | null> {
  const text = await readFile(join(path, ownerFile), "utf8").catch(unlessThere(null));
  if (text === null) return null;
  try {
    const { name, owner } = JSON.parse(text) as Holder;
    if (typeof name === "string" && typeof owner?.pid === "number") return { name, owner };
  } catch {
    // Falls through: unreadable is handled like any other text that names nobody.
  }
  const stats = await stat(path).catch(unlessThere(null));
  return stats && { name: `unreadable-${stats.ino}`, owner: null };
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

const unlessThere =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (codeOf(error) === "ENOENT") return fallback;
    throw error;
  };
