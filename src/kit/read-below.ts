// Reads small files in a folder that somebody hostile may have filled. No link is followed, also none above the file;
// nothing is waited for; and no more is taken in than was asked for.
import { closeSync, constants, fstatSync, opendirSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

const { O_DIRECTORY, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

export type ReadBelow =
  /** `changedAt`: when anything about it last changed, in ms. */
  { readonly bytes: Buffer; readonly changedAt: number } | { readonly why: string } | null;

export interface ReadLimits {
  readonly maxBytes: number;
  /** Not changed since then, in ms, it is none. */
  readonly since?: number | undefined;
  /** It may have a second name; else one of a file which is not for us may be meant. */
  readonly manyNames?: true;
}

export interface OpenFolder {
  /** Names byte by byte, as Latin-1, sorted; at most `most` are looked at. `more`: there are others. */
  names(most: number): { readonly names: readonly string[]; readonly more: boolean };
  /** Null when there is no such file, or an older one than was asked for. */
  read(name: string, limits: ReadLimits): ReadBelow;
  close(): void;
}

/** A folder below `top`, each part opened inside the one before; null when there is none, or why it is not read. */
export function openFolderBelow(top: string, parts: readonly string[]): OpenFolder | { readonly why: string } | null {
  let at = { fd: openSync(top, O_RDONLY | O_DIRECTORY), path: top };
  for (const part of parts) {
    try {
      const fd = openSync(inside(at, part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      closeSync(at.fd);
      at = { fd, path: join(at.path, part) };
    } catch (error) {
      closeSync(at.fd);
      const code = codeOf(error);
      return code === "ENOENT"
        ? null
        : { why: `${part} ${folderTrouble[code] ?? `cannot be opened (${codeOf(error)})`}` };
    }
  }
  const folder = at;
  return {
    names: (most) => namesIn(folder, most),
    read: (name, limits) => readIn(folder, name, limits),
    close: () => closeSync(folder.fd),
  };
}

interface Opened {
  readonly fd: number;
  readonly path: string;
}

/** By its descriptor where the system has such paths: whoever renames a folder above meanwhile changes nothing. */
const base = ({ fd, path }: Opened): string => (process.platform === "linux" ? `/proc/self/fd/${fd}` : path);
const inside = (folder: Opened, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${base(folder)}/`), Buffer.from(name, "latin1")]);

const folderTrouble: Readonly<Record<string, string>> = {
  ELOOP: "is a link, not a folder",
  ENOTDIR: "is a link or a file, not a folder",
};

function namesIn(folder: Opened, most: number): { readonly names: readonly string[]; readonly more: boolean } {
  const names: string[] = [];
  const listing = opendirSync(base(folder), { encoding: "latin1", bufferSize: 256 });
  try {
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      if (names.length === most) return { names: names.sort(), more: true };
      names.push(entry.name);
    }
  } finally {
    listing.closeSync();
  }
  return { names: names.sort(), more: false };
}

function readIn(folder: Opened, name: string, { maxBytes, since = 0, manyNames }: ReadLimits): ReadBelow {
  let fd: number;
  try {
    // A named pipe without a writer would hold up a plain open for ever.
    fd = openSync(inside(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return null;
    if (code === "ELOOP") return { why: "is a link" };
    return { why: code === "ENXIO" ? "is a socket or a device" : `cannot be opened (${codeOf(error)})` };
  }
  try {
    const stats = fstatSync(fd);
    if (stats.isDirectory()) return { why: "is a folder" };
    if (!stats.isFile()) return { why: stats.isFIFO() ? "is a named pipe" : "is no regular file" };
    if (stats.ctimeMs < since) return null;
    if (stats.nlink > 1 && manyNames !== true) return { why: "has more than one name (a hard link)" };
    const tooLarge = { why: `is larger than ${maxBytes} bytes` };
    if (stats.size > maxBytes) return tooLarge;
    // To the end rather than to the size: it may grow meanwhile.
    const bytes = Buffer.alloc(stats.size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(fd, bytes, length, bytes.length - length, null);
    return length > stats.size ? tooLarge : { bytes: bytes.subarray(0, length), changedAt: stats.ctimeMs };
  } catch (error) {
    return { why: `cannot be read (${codeOf(error)})` };
  } finally {
    closeSync(fd);
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
