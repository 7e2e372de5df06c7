// Appends to a file that keeps only its newest part: full, it becomes `<path>.1` in place of the one before.
import { constants } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { namingFile } from "./file-error.ts";
import { makeFolder } from "./make-folder.ts";

export interface RotatedFile {
  /** Resolves when the system has it; one text after another. After the first error, which it throws, nothing is written. */
  write(text: string): Promise<void>;
  /** Bytes in both parts. */
  size(): number;
  close(): Promise<void>;
}

export interface RotatedFileOptions {
  readonly path: string;
  /** Of both parts together; the newest half of it is always kept. */
  readonly maxBytes: number;
}

export const olderPart = (path: string): string => `${path}.1`;

const maxScratch = 262_144;

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Neither a link nor a named pipe that somebody put in its place is written to. */
const flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK;

/** The file is made with the first text; one that is there is gone on with. Only its owner may read it. */
export function createRotatedFile({ path, maxBytes }: RotatedFileOptions): RotatedFile {
  const partBytes = Math.max(1, Math.floor(maxBytes / 2));
  let file: FileHandle | null = null;
  let [present, older] = [0, 0];
  let broken = false;
  let before: Promise<unknown> = Promise.resolve();

  const openPart = async (): Promise<FileHandle> => {
    await makeFolder(dirname(path), 0o700);
    const handle = await open(path, flags, 0o600).catch(namingFile(path));
    const about = await handle.stat();
    if (about.isFile()) {
      present = about.size;
      return handle;
    }
    await handle.close();
    throw new Error(`${path} is not a plain file`);
  };
  const turnOver = async (): Promise<void> => {
    await file?.close();
    file = null;
    await rename(path, olderPart(path)).catch(namingFile(path));
    older = present;
    file = await openPart();
  };
  const append = async (bytes: Buffer): Promise<void> => {
    file ??= await openPart();
    for (let rest = bytes; rest.length > 0; ) {
      // Between two texts wherever that is possible: whoever writes whole lines finds whole lines in both parts.
      if (present > 0 && present + Math.min(rest.length, partBytes) > partBytes) await turnOver();
      const { bytesWritten } = await file.write(rest.subarray(0, partBytes - present)).catch(namingFile(path));
      present += bytesWritten;
      rest = rest.subarray(bytesWritten);
    }
  };
  // One for all texts, for one is written at a time: buffers that come and go lie about until they are collected.
  let scratch = Buffer.alloc(0);
  const bytesOf = (text: string): Buffer => {
    const length = Buffer.byteLength(text);
    if (length > maxScratch) return Buffer.from(text, "utf8");
    if (length > scratch.length) scratch = Buffer.allocUnsafeSlow(Math.min(maxScratch, 2 * length));
    scratch.write(text, "utf8");
    return scratch.subarray(0, length);
  };
  const write = async (text: string): Promise<void> => {
    if (broken || text === "") return;
    try {
      await append(bytesOf(text));
    } catch (error) {
      broken = true;
      throw error;
    }
  };
  return {
    write(text) {
      const written = before.then(() => write(text));
      before = written.catch(() => undefined);
      return written;
    },
    size: () => present + older,
    async close() {
      await before;
      const last = file;
      file = null;
      await last?.close();
    },
  };
}
