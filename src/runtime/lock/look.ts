// Looks at what lies at the lock's name, without following links, waiting for pipes or believing anything.
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { LockOwner } from "../../protocol/lock.ts";
import { codeOf } from "../views/durable-file.ts";

export const pidFile = "pid";
export const ownerFile = "owner.json";

export interface FoundLock {
  readonly kind: "lock";
  /** Equal for the same directory with the same content, also under another name. */
  readonly print: string;
  /** Null when there is none that can be read: a seed-style script made the lock. */
  readonly owner: LockOwner | null;
  readonly pid: number | null;
  /** When `pid` was written. */
  readonly pidAtMs: number;
  readonly empty: boolean;
}

export type Found =
  | { readonly kind: "nothing"; readonly print: "" }
  /** Something that is no directory, and so was never a lock. */
  | { readonly kind: "other"; readonly print: string }
  | FoundLock;

/** Throws what the system says only when the name itself cannot be looked at. */
export function look(path: string): Found {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return { kind: "nothing", print: "" };
  if (!stats.isDirectory()) return { kind: "other", print: printOf(stats) };
  const [pid, owner] = [readSmall(join(path, pidFile)), readSmall(join(path, ownerFile))];
  return {
    kind: "lock",
    print: JSON.stringify([printOf(stats), pid, owner]),
    owner: parseOwner(owner?.text ?? ""),
    pid: parsePid(pid?.text ?? ""),
    pidAtMs: pid?.atMs ?? 0,
    empty: isEmpty(path),
  };
}

/** A rename changes none of these; every entry that is made or removed inside changes the last. */
const printOf = ({ dev, ino, mtimeNs }: BigIntStats): string => `${dev}:${ino}:${mtimeNs}`;

const maxBytes = 4_096;

interface Small {
  readonly text: string;
  readonly print: string;
  readonly atMs: number;
}

/** Null for whatever is no small regular file that we may read: it names nobody. */
function readSmall(path: string): Small | null {
  let file: number;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for ever.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) !== "") return null;
    throw error;
  }
  try {
    const stats = fstatSync(file, { bigint: true });
    if (!stats.isFile() || stats.size > maxBytes) return null;
    const bytes = Buffer.alloc(maxBytes);
    const length = readSync(file, bytes, 0, maxBytes, 0);
    return { text: bytes.toString("utf8", 0, length), print: printOf(stats), atMs: Number(stats.mtimeMs) };
  } finally {
    closeSync(file);
  }
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch (error) {
    // Gone, or not ours to list; then it is not known to be empty.
    if (codeOf(error) !== "") return false;
    throw error;
  }
}

function parseOwner(text: string): LockOwner | null {
  try {
    return LockOwner.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // No JSON: a power cut can leave that, and it names nobody.
    return null;
  }
}

/** As `kill` would take it, except for the numbers that mean a group or everybody. */
const parsePid = (text: string): number | null => (/^[1-9]\d{0,9}\s*$/.test(text) ? Number.parseInt(text, 10) : null);
