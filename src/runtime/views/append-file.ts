// A file that is only ever appended to, with a look at its end that does not read the rest.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { namingFile } from "../../kit/file-error.ts";
import { syncFolder } from "./durable-file.ts";

export interface AppendFile {
  size(): Promise<number>;
  /** At most `length` bytes from `offset`; fewer where the file ends. */
  read(offset: number, length: number): Promise<Buffer>;
  /** One write, unless the system takes only a part of it. */
  append(text: string): Promise<void>;
  /** Takes away what is beyond `length`, if the file is still `from` bytes long. */
  cut(from: number, length: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Makes the file if it is not there. A link or anything but a regular file is refused. */
export async function openAppendFile(path: string): Promise<AppendFile> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
    if (stats.size === 0) await syncFolder(dirname(path));
    return handleOn(path, file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

const handleOn = (path: string, file: FileHandle): AppendFile => ({
  size: async () => (await file.stat().catch(namingFile(path))).size,
  async read(offset, length) {
    const buffer = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled).catch(namingFile(path));
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  },
  async append(text) {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) {
      const rest = file.write(bytes, written, bytes.length - written, null);
      written += (await rest.catch(namingFile(path))).bytesWritten;
    }
  },
  async cut(from, length) {
    const { size } = await file.stat().catch(namingFile(path));
    if (size === from) await file.truncate(length).catch(namingFile(path));
  },
  sync: () => file.datasync().catch(namingFile(path)),
  close: () => file.close(),
});
