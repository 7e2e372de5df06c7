// Reads a file that people wrote, whatever is really in its place: it neither waits for a writer nor takes in a flood.
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";

export const maxSmallFileBytes = 1_000_000;

/** The text, or null when there is no such file. */
export async function readSmallFile(path: string): Promise<Outcome<string | null>> {
  const bytes = await readSmallBytes(path, maxSmallFileBytes);
  if (!bytes.ok || bytes.value === null) return bytes.ok ? succeeded(null) : bytes;
  const text = textOf(bytes.value);
  return text === null ? refused(path, "is not UTF-8 text", "save it as UTF-8") : succeeded(text);
}

/** Null for bytes that are no UTF-8; a byte order mark is part of the text. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The only error a decoder knows.
    return null;
  }
}

/** Null when there is no such file. */
export async function readSmallBytes(path: string, max: number): Promise<Outcome<Uint8Array | null>> {
  const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = constants;
  let file: FileHandle;
  try {
    // A named pipe without a writer would hold up a plain open for ever.
    file = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    return notOpened(path, codeOf(error));
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return refused(path, `is ${kindOf(stats)}, not a file`, "put a regular file in its place");
    const bytes = await readAtMost(file, max + 1);
    if (bytes.length > max) {
      return refused(path, `is larger than ${max} bytes`, "make it smaller");
    }
    return succeeded(bytes);
  } catch (error) {
    return refused(path, `cannot be read (${codeOf(error)})`, "see that it may be read");
  } finally {
    await file.close();
  }
}

async function notOpened(path: string, code: string): Promise<Outcome<null>> {
  if (code === "ENOTDIR") return succeeded(null);
  if (code === "ENXIO") return refused(path, "is a socket or device, not a file", "put a regular file in its place");
  if (code !== "ENOENT") return refused(path, `cannot be opened (${code})`, "see that it may be read");
  // A link that leads nowhere was meant to be a file: to pass over it would drop what it says.
  const isLink = await lstat(path).then(
    () => true,
    () => false,
  );
  return isLink ? refused(path, "is a link that leads nowhere", "mend or remove the link") : succeeded(null);
}

/** Reads to the end rather than to the size: that is 0 for some files, and may change meanwhile. */
async function readAtMost(file: FileHandle, max: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(max);
  let length = 0;
  while (length < max) {
    const { bytesRead } = await file.read(bytes, length, max - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a directory";
  return stats.isFIFO() ? "a named pipe" : "a device";
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

const refused = (path: string, what: string, remedy: string): Outcome<never> =>
  failed({ kind: "config", message: `${path} ${what}`, remedy });
